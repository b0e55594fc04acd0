import * as z from 'zod/mini';
import { customerPatch } from '../../contract/customer-request.js';
import { endpointOf, type EndpointName } from '../../contract/endpoints.js';
import { object, phone } from '../../contract/fields.js';
import { duplicateKey, isJsonObject, parseJson, type JsonValue } from '../../contract/json.js';
import { fieldErrors, type FieldError } from '../../contract/problem.js';
import { schemasOf, type Requests } from '../../contract/schemas.js';
import type { AnswerChoices } from '../answers.js';
import { amountOverLimit } from '../domain/amount-limit.js';
import { invalidRequest } from '../domain/references.js';
import { Refusal } from '../domain/refusal.js';
import { requirePlainBody } from './body-headers.js';

/** A request of the service, whatever carried it. */
export interface ServiceRequest {
  method: string;
  appId: string;
  /** Below `/api/apps/{appId}`, still encoded. */
  path: string;
  query: URLSearchParams;
  header(name: string): string | undefined;
  /** The body as text; refuses one that is too large. */
  body(): Promise<string>;
  /** How a delay passes, where the request comes from something with a clock of its own. */
  pause?(ms: number): Promise<void>;
}

/** Query and body of a request, checked by the contract. All problems are reported at once. */
export async function readRequest<Name extends EndpointName>(
  request: ServiceRequest,
  name: Name,
  answers: AnswerChoices,
  wrongReferences: (body: object) => Promise<FieldError[]>,
): Promise<Pick<Requests[Name], 'query' | 'body'>> {
  const { query, body } = schemasOf(name);
  if (isOperation(name)) await refuseUnknown(request, Object.keys(query?.shape ?? {}));
  // The one cast of this table: TypeScript does not follow a generic name from a schema to the type inferred from it.
  return {
    query: query && readQuery(query, request.query),
    body: body && (await readBody(request, bodySchema(name, body, answers), wrongReferences)),
  } as Pick<Requests[Name], 'query' | 'body'>;
}

/** What a parameter or a field asks of these is never left out: the payment would be moved as nobody asked. */
const isOperation = (name: EndpointName): boolean =>
  endpointOf(name).method === 'POST' && schemasOf(name).body === undefined;

const noFields = object({});

/** Operations take no body; `{}` is as good as none. */
async function refuseUnknown(request: ServiceRequest, parameters: readonly string[]): Promise<void> {
  const errors = [...new Set(request.query.keys())]
    .filter((key) => !parameters.includes(key))
    .map((path): FieldError => ({ path, message: 'is not a parameter of this request' }));
  // Who sent none may be gone by now, and what was asked is carried out all the same.
  const text = hasBody(request) ? (await readText(request)).trim() : '';
  if (text !== '' && !/^\{\s*\}$/.test(text)) {
    requireJson(request);
    const parsed = noFields.safeParse(parseBody(text));
    if (!parsed.success) errors.push(...fieldErrors(parsed.error));
  }
  if (errors.length > 0) throw invalidRequest(errors);
}

const hasBody = ({ header }: ServiceRequest): boolean =>
  header('transfer-encoding') !== undefined || Number(header('content-length') ?? 0) > 0;

/** Another name for the phone, under the variant that takes both. */
const patchWithPhone = z.pipe(
  z.extend(customerPatch, { phoneNumber: z.optional(phone) }),
  z.transform(({ phoneNumber, ...patch }) =>
    phoneNumber === undefined ? patch : { ...patch, mobileNumber: phoneNumber },
  ),
);

function bodySchema(name: EndpointName, schema: z.ZodMiniType, answers: AnswerChoices): z.ZodMiniType {
  return name === 'updateCustomer' && answers.phone === 'phoneNumber' ? patchWithPhone : schema;
}

/** Where something is only read, what the contract does not know of is passed over. */
function readQuery(schema: z.ZodMiniObject, search: URLSearchParams): unknown {
  const known = Object.keys(schema.shape);
  const parsed = schema.safeParse(Object.fromEntries([...search].filter(([key]) => known.includes(key))));
  if (!parsed.success) throw invalidRequest(fieldErrors(parsed.error));
  return parsed.data;
}

async function readBody(
  request: ServiceRequest,
  schema: z.ZodMiniType,
  wrongReferences: (body: object) => Promise<FieldError[]>,
): Promise<unknown> {
  requireJson(request);
  const value = parseBody(await readText(request));
  const parsed = schema.safeParse(value);
  const tooLarge = isJsonObject(value) ? amountOverLimit(value) : [];
  if (parsed.success && tooLarge.length === 0) return parsed.data;
  const errors = [...(parsed.success ? [] : fieldErrors(parsed.error)), ...tooLarge];
  const more = isJsonObject(value) ? await wrongReferences(value) : [];
  throw invalidRequest([
    ...errors,
    ...more.filter(({ path }) => !errors.some((error) => error.path === path)),
  ]);
}

function readText(request: ServiceRequest): Promise<string> {
  requirePlainBody(request.header);
  return request.body();
}

function requireJson(request: ServiceRequest): void {
  const type = request.header('content-type')?.split(';')[0]?.trim().toLowerCase();
  if (type === 'application/json') return;
  throw new Refusal('unsupported-media-type', `Send application/json${type ? `, not ${type}` : ''}.`);
}

function parseBody(text: string): JsonValue {
  let value: JsonValue;
  try {
    value = parseJson(text);
  } catch (error) {
    throw new Refusal('invalid-json', `The body is not valid JSON: ${(error as Error).message}`);
  }
  const twice = duplicateKey(text, value);
  if (twice !== undefined)
    throw new Refusal('invalid-json', `The body has the key ${JSON.stringify(twice)} twice.`);
  return value;
}
