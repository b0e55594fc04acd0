import { pathParameters } from '../../contract/endpoints.js';
import { failureResponses, failuresOf } from '../../contract/openapi-responses.js';
import {
  contentOf,
  createSchemaList,
  type Json,
  queryParameters,
  type UseSchema,
} from '../../contract/openapi-schemas.js';
import { problem } from '../../contract/problem.js';
import { defectNames } from '../settlement/defects.js';
import { CONTROL_PATH, controlOperation, controlRoutes, splitRoute, type ControlRoute } from './api.js';

/** The control API as an OpenAPI 3.1 document, made from its table. */
export function controlDocument(): Json {
  const { sorted, use } = createSchemaList();
  const paths: Record<string, Json> = { '/healthz': { get: health } };
  for (const route of controlRoutes) {
    const { method, path } = splitRoute(route);
    (paths[CONTROL_PATH + path] ??= {})[method.toLowerCase()] = describeOperation(route, use);
  }
  use(problem, 'output');
  return {
    openapi: '3.1.0',
    info: {
      title: 'Control API of the paydesk sandbox',
      version: '1',
      license: { name: 'MIT', identifier: 'MIT' },
      description:
        'What the sandbox can be told that the service cannot: play the customer and the provider, move the clock, ' +
        'add faults, change apps, fill and empty the database.',
    },
    servers: [
      { url: 'http://127.0.0.1:4010', description: 'The sandbox on this machine: paydesk sandbox start' },
    ],
    security: [{ controlToken: [] }],
    tags: Object.entries(tags).map(([name, description]) => ({ name, description })),
    paths,
    components: {
      securitySchemes: {
        controlToken: {
          type: 'http',
          scheme: 'bearer',
          description: 'The `controlToken` that `paydesk sandbox start --json` prints.',
        },
      },
      responses: failureResponses([400, 401, 403, 404, 415, 422]),
      schemas: sorted(),
    },
  };
}

/** By the first part of a path; everything else is about the sandbox as a whole. */
const tags = {
  sandbox: 'The sandbox as a whole.',
  payments: 'Act as the customer and as the provider of a payment.',
  webhooks: 'Webhooks that were sent.',
  clock: 'The clock of the sandbox.',
  faults: 'Failures on demand.',
  apps: 'The apps of the sandbox.',
};

const health: Json = {
  operationId: 'getHealth',
  summary: 'Whether the sandbox answers',
  tags: ['sandbox'],
  security: [],
  responses: {
    200: {
      description: 'It does.',
      content: contentOf({
        type: 'object',
        properties: { status: { const: 'ok' } },
        required: ['status'],
      }),
    },
    ...failuresOf([403]),
  },
};

function describeOperation(route: ControlRoute, use: UseSchema): Json {
  const { operationId, summary, query, body, answer, status = 200, mediaTypes } = controlOperation(route);
  const { path } = splitRoute(route);
  const names = pathParameters(path);
  const [, first = ''] = path.split('/');
  return {
    operationId,
    summary,
    tags: [first in tags ? first : 'sandbox'],
    ...((names.length > 0 || query) && {
      parameters: [...names.map(pathParameter), ...queryParameters(query, use, parameterTexts)],
    }),
    ...(body && { requestBody: { required: true, content: contentOf(use(body, 'input')) } }),
    responses: {
      [status]: {
        description: status === 201 ? 'Created.' : 'Done.',
        content: contentOf(use(answer, 'output'), mediaTypes),
      },
      ...failuresOf([
        ...(body || query ? [400] : []),
        401,
        403,
        ...(names.length > 0 ? [404] : []),
        ...(body ? [415] : []),
        ...(first === 'payments' || first === 'seed' || first === 'settlement' ? [422] : []),
      ]),
    },
  };
}

const parameterTexts: Readonly<Record<string, string>> = {
  key: 'The paymentId or the referenceId; `id:` or `ref:` before it says which.',
  id: 'The id as it is listed.',
  appId: 'The App ID.',
  provider: 'The name of a provider; all of them without it.',
  defects: `What is to be wrong with the file, separated by commas: ${defectNames.join(', ')}; \`all\` for one of each.`,
  seed: 'Decides which payments have the defects; 1 unless it is given.',
  since: 'Only what was booked since this time.',
  until: 'Only what was booked until this time; now unless it is given.',
  format: 'CSV unless it is given.',
};

function pathParameter(name: string): Json {
  return {
    name,
    in: 'path',
    required: true,
    description: parameterTexts[name],
    schema: name === 'id' ? { type: 'integer', format: 'int64' } : { type: 'string', minLength: 1 },
  };
}
