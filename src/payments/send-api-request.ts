import type { Client } from '../client/client.js';
import { readAnswer } from '../client/answers.js';
import type { PaymentRead } from '../client/payment-calls.js';
import { errorOf } from '../client/service-errors.js';
import type { EndpointName } from '../contract/endpoints.js';
import type { JsonValue } from '../contract/json.js';
import type { ApiRequest } from './api-request.js';
import { checkApp } from './app-check.js';

/** JSON as the service wrote it, other text as it is; undefined for an empty answer. */
type ApiAnswer = { json: JsonValue; payment?: PaymentRead | undefined } | { text: string } | undefined;

const paymentReads: ReadonlyArray<EndpointName | undefined> = ['getPayment', 'getPaymentByReference'];

/** Sends a request that is no money move; whatever is not a success is thrown. */
export async function sendApiRequest(
  client: Client,
  request: Extract<ApiRequest, { kind: 'request' }>,
): Promise<ApiAnswer> {
  const { method, path, query, body, repeat, customerId, endpoint } = request;
  if (method !== 'GET') await checkApp(client, customerId);
  const result = await client.raw(method, path, { query, ...(body === undefined ? {} : { body }) });
  const { last } = result;
  if (last.kind !== 'answer' || last.status < 200 || last.status >= 300) {
    throw errorOf(result, { repeat, what: `such thing as ${path}`, appId: client.appId });
  }
  const answer = readAnswer(last);
  const { raw, text } = answer;
  if (raw === undefined) return text === '' ? undefined : { text: last.body };
  client.checkIdentity(raw);
  return { json: raw, payment: paymentReads.includes(endpoint) ? client.paymentShownIn(answer) : undefined };
}
