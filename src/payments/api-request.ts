// What `paydesk api` is about to ask for. Nothing that moves money gets past the guards by being spelt differently.

import { paydesk } from '../next-command.js';
import { resolvePath } from '../client/app-path.js';
import { isSettleOperation, operations, type SettleOperation } from '../contract/states.js';
import { operationEndpoints } from '../client/payment-calls.js';
import {
  APP_PATH,
  endpointNames,
  endpointOf,
  type EndpointName,
  type RepeatClass,
} from '../contract/endpoints.js';
import { isJsonObject, type JsonObject, type JsonValue } from '../contract/json.js';
import { UsageError } from '../errors.js';
import { BadValue, parseId } from '../typed-values.js';
import { type CreateRequest, requestEndpoints } from './send-create.js';
import { customerOf, type RequestKind } from './differences.js';
import { FieldConflict, fieldsBody } from './api-fields.js';

interface TypedRequest {
  method: string;
  path: string;
  fields: ReadonlyArray<{ key: string; value: string }>;
  body: JsonValue | undefined;
}

export type ApiRequest =
  /** Capture, cancel, refund or unhold: to be done as the commands of that name do it. */
  | { kind: 'move'; operation: SettleOperation; paymentId: string; description: string | undefined }
  /** A create or a charge: made once, as the commands of that name do it. */
  | { kind: 'make'; of: RequestKind; body: CreateRequest['body'] }
  | {
      kind: 'request';
      method: string;
      path: string;
      query: Record<string, string>;
      body: JsonValue | undefined;
      repeat: RepeatClass;
      endpoint: EndpointName | undefined;
      /** A customer whom it concerns: reading them shows which app answers. */
      customerId: string | undefined;
    };

const money = endpointNames.filter((name) => {
  const { repeat, key } = endpointOf(name);
  return repeat === 'settle' || key === 'referenceId';
});

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

export function parseMethod(text: string): string {
  const method = text.toUpperCase();
  if (methods.includes(method)) return method;
  throw new Error(`one of ${methods.join(', ')}`);
}

/** Requests that `--reason` and `--ticket` are saved with, in the words of help and errors. */
export const RECORDED_REQUESTS = 'a create, charge, capture, cancel, refund or unhold';
/** Requests that `--wait` can wait for. */
export const FOLLOWED_REQUESTS = 'a charge, capture, cancel, refund or unhold';

/** Refuses flags that would have no effect on this request. */
export function refuseFlagsWithoutEffect(
  request: ApiRequest,
  { reason, ticket, wait }: { reason?: string | undefined; ticket?: string | undefined; wait: boolean },
): void {
  const isRecorded = request.kind !== 'request';
  const isFollowed = request.kind === 'move' || (request.kind === 'make' && request.of === 'charge');
  const saved = Object.entries({ reason, ticket }).filter(([, value]) => value !== undefined);
  const unused = [
    ...(isRecorded
      ? []
      : saved.map(([name]) => ({ input: `--${name}`, problem: `works only with ${RECORDED_REQUESTS}` }))),
    ...(wait && !isFollowed ? [{ input: '--wait', problem: `works only with ${FOLLOWED_REQUESTS}` }] : []),
  ];
  if (unused.length > 0) throw refuseAll(unused);
}

/** The query of every page of a list; throws for what has no pages. */
export function queryOfPages(request: ApiRequest): Record<string, string> {
  if (request.kind !== 'request' || request.endpoint !== 'listCustomers') {
    throw refuse('--paginate', 'only GET /customers has pages');
  }
  const { searchParams } = new URL(request.path, 'http://path.invalid');
  return { ...Object.fromEntries(searchParams), ...request.query };
}

export function planApiRequest(typed: TypedRequest, appId: string): ApiRequest {
  const { method, path, fields } = typed;
  const reads = method === 'GET';
  const query = reads ? Object.fromEntries(fields.map(({ key, value }) => [key, value])) : {};
  if (reads && typed.body !== undefined)
    throw refuse('--body', 'a GET has no body; use --field for its query');
  refuseTwice(fields, reads);
  refuseOtherApp(path, appId);
  const resolved = resolvePath(method, path, appId, query);
  const { endpoint, parameters } = resolved;
  if (endpoint === undefined || !money.includes(endpoint)) refuseDisguise(resolved.path, method, appId);

  const given = typed.body ?? (reads || fields.length === 0 ? undefined : bodyOf(fields));
  const operation = operationOf(endpoint);
  if (operation !== undefined) {
    if (given !== undefined) throw refuseBody(operation, typed.body === undefined ? '--field' : '--body');
    return move(operation, parameters.paymentId ?? '', resolved.path);
  }
  // Without its key a create that is sent again may make a second one.
  const key = endpoint && endpointOf(endpoint).key;
  const body = key === undefined ? given : withKey(key, given);
  const of = madeBy(endpoint);
  if (of !== undefined) {
    refuseQuery(resolved.path, of === 'charge' ? 'a charge' : 'a create');
    return { kind: 'make', of, body: body as CreateRequest['body'] };
  }
  const customerId = parameters.customerId ?? customerOf(body);
  return { kind: 'request', method, path, query, body, repeat: resolved.repeat, endpoint, customerId };
}

function refuseBody(operation: SettleOperation, input: '--field' | '--body'): UsageError {
  const instead = takesDescription(operation) ? '; put a description into the path: ?description=TEXT' : '';
  return refuse(input, `${operation} has no body${instead}`);
}

const takesDescription = (operation: SettleOperation): boolean => operation === 'refund';

function move(operation: SettleOperation, paymentId: string, path: string): ApiRequest {
  if (!/^[1-9]\d*$/.test(paymentId)) throw refuse('PATH', 'use the digits of the paymentId');
  const query = refuseQuery(path, operation, takesDescription(operation) ? ['description'] : []);
  return { kind: 'move', operation, paymentId, description: query.get('description') ?? undefined };
}

/** The query of a path that may have only these names in it. */
function refuseQuery(path: string, what: string, known: readonly string[] = []): URLSearchParams {
  const query = new URL(path, 'http://path.invalid').searchParams;
  const extra = [...query.keys()].filter((name) => !known.includes(name));
  if (extra.length > 0) throw refuse('PATH', `${what} takes no ${extra.join(', ')}`);
  return query;
}

function operationOf(endpoint: EndpointName | undefined): SettleOperation | undefined {
  return operations.filter(isSettleOperation).find((operation) => operationEndpoints[operation] === endpoint);
}

function madeBy(endpoint: EndpointName | undefined): RequestKind | undefined {
  const kinds = Object.keys(requestEndpoints) as RequestKind[];
  return kinds.find((kind) => requestEndpoints[kind] === endpoint);
}

function bodyOf(fields: TypedRequest['fields']): JsonValue {
  try {
    return fieldsBody(fields);
  } catch (error) {
    if (!(error instanceof FieldConflict)) throw error;
    throw refuse(`--field ${error.key}`, error.message);
  }
}

/** The body with its key as the commands read it: a reference that looks the same is the same. */
function withKey(key: string, body: JsonValue | undefined): JsonObject {
  const value = isJsonObject(body) && Object.hasOwn(body, key) ? body[key] : undefined;
  if (!isJsonObject(body) || typeof value !== 'string' || value === '') {
    throw refuse('--body', `needs ${key} as text, so that it cannot happen twice`);
  }
  try {
    return { ...body, [key]: parseId(value) };
  } catch (error) {
    if (!(error instanceof BadValue)) throw error;
    throw refuse('--body', `${key}: ${error.message}`);
  }
}

/** A query has every name once; a body has lists. */
function refuseTwice(fields: TypedRequest['fields'], reads: boolean): void {
  const seen = new Set<string>();
  for (const { key } of fields) {
    if (seen.has(key) && (reads || !key.endsWith('[]')))
      throw refuse(`--field ${key}`, 'used twice; choose one');
    seen.add(key);
  }
}

/** The way that paths are written in the spec is understood, but for the app of the profile only. */
function refuseOtherApp(typed: string, appId: string): void {
  if (typed !== typed.trim()) throw refuse('PATH', 'has spaces around it');
  const own = `${APP_PATH.replace('{appId}', encodeURIComponent(appId))}/`;
  if (`/${typed}`.startsWith(own) || typed.startsWith(own)) return;
  if (/^[\s/\\]*api([/\\]|$)/i.test(decodedWholly(typed))) {
    throw refuse('PATH', `is outside app ${appId}; use the path after ${own.slice(0, -1)}`);
  }
}

/**
 * A server may decode twice, overlook case, endings such as `.json` or what stands behind a semicolon. A path that
 * only then is one of the money verbs is refused, and so is a money path with another method than its own.
 */
function refuseDisguise(path: string, method: string, appId: string): void {
  const pathname = decodedWholly(path.split('?', 1)[0] ?? '');
  if (/(^|[/\\])\.{1,2}([/\\]|$)/.test(pathname)) throw refuse('PATH', 'has dot segments');
  const below = pathname.slice(APP_PATH.replace('{appId}', appId).length);
  const parts = below
    .split(/[/\\]+/)
    .filter((part) => part !== '')
    .map(plainly);
  for (const name of money) {
    const { path: own, method: ownMethod } = endpointOf(name);
    const isRead = method === 'GET' && operationOf(name) === undefined;
    // A lenient router takes what follows a verb for a part of it.
    const most = operationOf(name) === undefined ? parts.length : own.split('/').length - 1;
    const alike =
      sameParts(parts.slice(0, most), own) || sameParts(parts.filter(Boolean).slice(0, most), own);
    if (isRead || !alike) continue;
    throw refuse('PATH', `looks like ${ownMethod} ${own}; write it that way`);
  }
}

function sameParts(parts: readonly string[], template: string): boolean {
  const own = template.split('/').filter((part) => part !== '');
  return own.length === parts.length && own.every((part, at) => part.startsWith('{') || part === parts[at]);
}

/** As the most forgiving of servers would read it. */
function plainly(part: string): string {
  return part
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[\p{Default_Ignorable_Code_Point}\p{Cc}]/gu, '')
    .replace(/^[^a-z\d]+/, '')
    .replace(/[^a-z\d-].*$/s, '');
}

const MAX_DECODINGS = 5;

function decodedWholly(text: string): string {
  let decoded = text;
  for (let round = 0; round < MAX_DECODINGS; round += 1) {
    const next = decoded.replaceAll(/(%[0-9a-f]{2})+/gi, (run) => {
      try {
        return decodeURIComponent(run);
      } catch {
        return run;
      }
    });
    if (next === decoded) break;
    decoded = next;
  }
  return decoded;
}

const refuse = (input: string, problem: string): UsageError => refuseAll([{ input, problem }]);

function refuseAll(details: ReadonlyArray<{ input: string; problem: string }>): UsageError {
  return new UsageError('Invalid request. Nothing was sent.', {
    code: 'bad-request',
    saysNothingSent: true,
    details,
    next: [paydesk('api', '--help')],
  });
}
