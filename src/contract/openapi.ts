import * as z from 'zod/mini';
import { APP_PATH, endpointNames, endpointOf, pathParameters } from './endpoints.js';
import { payment } from './payment.js';
import { customer, customerList, panelLink, paymentMethod, paymentMethodList } from './customer.js';
import { problem, problems } from './problem.js';
import { states, stateNames } from './states.js';
import { schemasOf } from './schemas.js';
import { webhookBody } from './webhook.js';

type Json = Record<string, unknown>;

const components = {
  payment,
  customer,
  customerList,
  paymentMethod,
  paymentMethodList,
  panelLink,
  problem,
  webhookBody,
};

const bodyIds: Record<string, string> = {
  createHostedPayment: 'HostedPaymentBody',
  createPayment: 'PlainPaymentBody',
  createProviderHostedPayment: 'ProviderHostedPaymentBody',
  createAutoPayment: 'AutoPaymentBody',
  createCustomer: 'CustomerBody',
  updateCustomer: 'CustomerPatch',
};

/** The service as an OpenAPI 3.1 document, made from the endpoint table. */
export function openApiDocument(): Json {
  const schemas: Json = {};
  for (const schema of Object.values(components)) {
    schemas[(z.globalRegistry.get(schema) as { id: string }).id] = jsonSchema(schema, 'output');
  }
  const paths: Record<string, Json> = {};
  for (const name of endpointNames) {
    const endpoint = endpointOf(name);
    const { query, body, answer } = schemasOf(name);
    if (body) schemas[bodyIds[name] as string] = jsonSchema(body, 'input');
    const path = APP_PATH + endpoint.path;
    (paths[path] ??= {})[endpoint.method.toLowerCase()] = {
      operationId: name,
      summary: endpoint.summary,
      tags: [endpoint.path.split('/')[1]],
      'x-repeat': endpoint.repeat,
      parameters: [
        ...pathParameters(path).map((key) => ({
          name: key,
          in: 'path',
          required: true,
          schema: { type: integerIds.has(key) ? 'integer' : 'string' },
        })),
        ...queryParameters(query),
      ],
      ...(body && {
        requestBody: { required: true, content: json(`#/components/schemas/${bodyIds[name]}`) },
      }),
      responses: {
        [endpoint.success]: {
          description: 'Success',
          ...(answer && { content: json(refOf(answer)) }),
        },
        default: {
          description: 'A problem',
          content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
        },
      },
    };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Payments service',
      version: '1',
      description: [
        'A payment-orchestration service: hosted checkout, capture, cancel, refund, stored-method charges, customers.',
        `States: ${stateNames.map((name) => `${name} (${states[name].id})`).join(', ')}.`,
        `Problem codes: ${Object.keys(problems).join(', ')}.`,
      ].join('\n\n'),
    },
    security: [{ apiKey: [] }],
    paths,
    webhooks: {
      paymentStateChanged: {
        post: {
          summary: 'Sent to the webhook address for each change of state',
          requestBody: { content: json('#/components/schemas/Webhook') },
          responses: { '2XX': { description: 'Received' } },
        },
      },
    },
    components: {
      securitySchemes: { apiKey: { type: 'http', scheme: 'bearer', description: 'The API key of the app.' } },
      schemas,
    },
  };
}

const integerIds = new Set(['paymentId', 'paymentMethodId', 'customerAutomaticProfileId']);

function json($ref: string): Json {
  return { 'application/json': { schema: { $ref } } };
}

function refOf(schema: z.ZodMiniType): string {
  return `#/components/schemas/${(z.globalRegistry.get(schema) as { id: string }).id}`;
}

function queryParameters(query: z.ZodMiniType | undefined): Json[] {
  if (!query) return [];
  const schema = jsonSchema(query, 'input') as { properties: Record<string, Json> };
  return Object.entries(schema.properties).map(([name, property]) => ({
    name,
    in: 'query',
    schema: property,
  }));
}

function jsonSchema(schema: z.ZodMiniType, io: 'input' | 'output'): Json {
  const { $schema: _, $defs, ...inline } = z.toJSONSchema(schema, { io, unrepresentable: 'any' }) as Json;
  const id = z.globalRegistry.get(schema)?.id;
  const own = id === undefined ? inline : ((($defs as Json | undefined)?.[id] as Json | undefined) ?? inline);
  const text = JSON.stringify(own, (key, value: unknown) =>
    key === 'id' && typeof value === 'string' ? undefined : value,
  );
  return JSON.parse(text.replaceAll('#/$defs/', '#/components/schemas/')) as Json;
}
