import { APP_PATH, endpointNames, endpointOf, pathParameters, type EndpointName } from './endpoints.js';
import { failureResponses, responsesOf } from './openapi-responses.js';
import {
  contentOf,
  createSchemaList,
  type Json,
  queryParameters,
  type UseSchema,
} from './openapi-schemas.js';
import { problem } from './problem.js';
import { schemasOf } from './schemas.js';
import { states, stateNames } from './states.js';
import { webhookBody } from './webhook.js';

/** The service as an OpenAPI 3.1 document, made from the endpoint table. */
export function openApiDocument(): Json {
  const { sorted, use } = createSchemaList();
  const paths: Record<string, Json> = {};
  for (const name of endpointNames) {
    if (name === 'getPaymentByReference') continue;
    const { method, path } = documented(name);
    (paths[APP_PATH + path] ??= {})[method.toLowerCase()] = operation(name, use);
  }
  use(problem, 'output');
  const webhook = use(webhookBody, 'output');
  return {
    openapi: '3.1.0',
    info: {
      title: 'Payments service',
      version: '1',
      license: { name: 'MIT', identifier: 'MIT' },
      description: [
        'A payment-orchestration service: hosted checkout, capture, cancel, refund, stored-method charges, customers.',
        `States: ${stateNames.map((name) => `${name} (${states[name].id})`).join(', ')}.`,
      ].join('\n\n'),
    },
    servers,
    security: [{ apiKey: [] }],
    tags: [
      { name: 'payments', description: 'Create, charge, move and read payments.' },
      { name: 'customers', description: 'Customers, their stored methods and their panel.' },
    ],
    paths,
    webhooks: {
      paymentStateChanged: {
        post: {
          operationId: 'paymentStateChanged',
          summary: 'Sent to the webhook address for each change of state',
          requestBody: { required: true, content: contentOf(webhook) },
          security: [],
          responses: { '2XX': { description: 'Received.' } },
        },
      },
    },
    components: {
      securitySchemes: { apiKey: { type: 'http', scheme: 'bearer', description: 'The API key of the app.' } },
      responses: failureResponses(),
      schemas: sorted(),
    },
  };
}

const servers = [
  { url: 'http://127.0.0.1:4010', description: 'The sandbox on this machine: paydesk sandbox start' },
  {
    url: '{baseUrl}',
    description: 'Another sandbox, or the service itself.',
    variables: { baseUrl: { default: 'http://127.0.0.1:4010' } },
  },
];

function operation(name: EndpointName, use: UseSchema): Json {
  const { path, summary, repeat } = documented(name);
  const { query, body, answer } = schemasOf(name);
  return {
    operationId: name,
    summary,
    tags: [path.split('/')[1]],
    'x-repeat': repeat,
    parameters: [
      ...pathParameters(APP_PATH + path).map((key) => ({
        name: key,
        in: 'path',
        required: true,
        ...pathValues[key as keyof typeof pathValues],
      })),
      ...queryParameters(query, use),
    ],
    ...(body && { requestBody: { required: true, content: contentOf(use(body, 'input')) } }),
    responses: responsesOf(name, answer && contentOf(use(answer, 'output'))),
  };
}

/** Routers cannot tell `{paymentId}` from `referenceId:{referenceId}`: both reads of a payment are one operation here. */
function documented(name: EndpointName) {
  const endpoint = endpointOf(name);
  return name === 'getPayment'
    ? { ...endpoint, path: '/payments/{payment}', summary: 'Read a payment by its id or by its reference' }
    : endpoint;
}

const text = { schema: { type: 'string', minLength: 1 } };
const number = { schema: { type: 'integer', format: 'int64' } };

const pathValues = {
  appId: { ...text, description: 'The App ID, which belongs to the API key.' },
  paymentId: { ...number, description: 'The numeric id, not the reference.' },
  payment: {
    description: 'The paymentId, or `referenceId:` and the reference of the merchant.',
    schema: { type: 'string', pattern: '^(\\d+|referenceId:.+)$' },
    examples: {
      id: { summary: 'By id', value: '1001' },
      reference: { summary: 'By reference', value: 'referenceId:order-17' },
    },
  },
  customerId: { ...text, description: "The merchant's identifier of the customer." },
  paymentMethodId: number,
  customerAutomaticProfileId: number,
};
