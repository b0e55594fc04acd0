import { GENERATION_HEADER, KIND_HEADER } from '../../contract/sandbox-headers.js';
import { randomUUID } from 'node:crypto';
import * as z from 'zod/mini';
import { customerPatch } from '../../contract/customer-request.js';
import { matchEndpoint, type EndpointName } from '../../contract/endpoints.js';
import { schemasOf } from '../../contract/schemas.js';
import { phone } from '../../contract/fields.js';
import { duplicateKey, isJsonObject, parseJson, type JsonValue } from '../../contract/json.js';
import { fieldErrors, problems, type FieldError } from '../../contract/problem.js';
import { StoreError } from '../../store/store.js';
import { shapeFailure, shapeSuccess, type Answer, type AnswerChoices } from '../answers.js';
import type { App } from '../domain/apps.js';
import type { FaultKind, TakenFault } from '../domain/faults.js';
import { invalidRequest, referenceErrors } from '../domain/references.js';
import { Refusal } from '../domain/refusal.js';
import type { Engine } from '../engine.js';
import { equal, type Addresses } from './addresses.js';
import { handlers } from './handlers.js';

export const BODY_LIMIT = 1024 * 1024;

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
}

export interface ServiceAnswer extends Answer {
  /** A fault: the connection ends without this answer, or in the middle of it. */
  cut?: 'drop' | 'truncate';
  /** What a log line says of a failure. */
  note?: string;
}

export interface ServiceOptions {
  engine: Engine;
  answers: AnswerChoices;
  addresses: Addresses;
  /** Requests a second for each app; undefined for no limit. */
  rateLimit?: number;
  onError(error: unknown): void;
}

const faultsBefore: readonly FaultKind[] = [
  'latency',
  'rate-limit',
  'error-before-commit',
  'drop-before-commit',
  'error-after-commit',
  'drop-after-commit',
  'truncate',
  'stale-read',
];

/** The payments service: authentication, validation, rules, answers. */
export function createService({ engine, answers, addresses, rateLimit, onError }: ServiceOptions) {
  const limiter = rateLimit === undefined ? undefined : createLimiter(rateLimit);

  async function handle(request: ServiceRequest): Promise<ServiceAnswer> {
    const requestId = randomUUID();
    const marks: Record<string, string> = { 'x-request-id': requestId };
    try {
      // Read before the rules run: what an answer tells is never older than the generation that it names.
      marks[GENERATION_HEADER] = await engine.generation.read();
      return withHeaders(await answer(request, requestId, marks), marks);
    } catch (error) {
      return withHeaders(failed(error, requestId), marks);
    }
  }

  async function answer(
    request: ServiceRequest,
    requestId: string,
    marks: Record<string, string>,
  ): Promise<ServiceAnswer> {
    const app = await authenticate(request);
    marks[KIND_HEADER] = app.is_sandbox ? 'sandbox' : 'live';
    const wait = limiter?.(app.app_id);
    if (wait !== undefined) throw rateLimited(wait);
    const match = matchEndpoint(request.method, request.path);
    if (!match) throw new Refusal('not-found', `There is nothing at ${request.path}.`);
    if ('allowed' in match) {
      const allow = match.allowed.join(', ');
      throw new Refusal('method-not-allowed', `${request.path} takes ${allow}, not ${request.method}.`, {
        headers: { allow },
      });
    }
    const faults = await takeFaults(match.name);
    await applyBefore(faults);
    if (faults.some((fault) => fault.kind === 'drop-before-commit')) return { ...nothing(), cut: 'drop' };
    const outcome = await carryOut(request, app, match.name, match.parameters, faults, requestId);
    return applyAfter(faults, outcome);
  }

  /** A refusal is an answer too: faults after the commit hit it just the same. */
  async function carryOut(
    request: ServiceRequest,
    app: App,
    name: EndpointName,
    parameters: Record<string, string>,
    faults: TakenFault[],
    requestId: string,
  ): Promise<ServiceAnswer> {
    try {
      const takes = schemasOf(name);
      const query = takes.query ? readQuery(takes.query, request.query) : Object.fromEntries(request.query);
      const body = takes.body
        ? await readBody(request, bodySchema(name, takes.body), (value) => wrongReferences(app, value))
        : undefined;
      const stale = faults.some((fault) => fault.kind === 'stale-read');
      const result = await handlers[name]({
        engine,
        answers,
        addresses,
        app,
        parameters,
        query,
        body,
        via: viaOf(request),
        stale,
      });
      return shapeSuccess(answers, name, result.status, result.body);
    } catch (error) {
      return failed(error, requestId);
    }
  }

  async function wrongReferences(app: App, body: object): Promise<FieldError[]> {
    return referenceErrors(app, body, (await engine.clock.read()).now);
  }

  function bodySchema(name: EndpointName, schema: z.ZodMiniType): z.ZodMiniType {
    return name === 'updateCustomer' && answers.phone === 'phoneNumber'
      ? z.extend(customerPatch, { phoneNumber: z.optional(phone) })
      : schema;
  }

  async function authenticate(request: ServiceRequest): Promise<App> {
    const header = request.header('authorization');
    if (header === undefined)
      throw new Refusal('missing-authorization', 'Send the header Authorization: Bearer <API_KEY>.');
    const match = /^Bearer ([\x21-\x7e]+)$/.exec(header);
    if (!match)
      throw new Refusal('malformed-authorization', 'The header must be "Bearer", one space and the API key.');
    const app = await engine.apps.byKey(match[1] as string);
    if (!app) throw keyRefused('unknown-key', 'No app has this API key.');
    if (!equal(app.app_id, request.appId))
      throw keyRefused('wrong-app', 'This API key belongs to another app.');
    if (app.is_blocked === 1) throw new Refusal('app-blocked', `The app ${app.friendly_name} is blocked.`);
    return app;
  }

  function keyRefused(code: 'unknown-key' | 'wrong-app', detail: string): Refusal {
    if (answers.auth === 'not-found') return new Refusal('not-found', 'There is no such app.');
    return new Refusal(answers.auth === 'unauthorized' ? 'unknown-key' : code, detail);
  }

  async function takeFaults(name: EndpointName): Promise<TakenFault[]> {
    if (!(await engine.faults.may(faultsBefore, name))) return [];
    return engine.store.transaction((tx) => engine.faults.take(tx, faultsBefore, name));
  }

  async function applyBefore(faults: TakenFault[]): Promise<void> {
    for (const fault of faults) {
      if (fault.kind === 'latency' && !fault.afterCommit) await pause(fault.delayMs);
    }
    for (const fault of faults) {
      if (fault.kind === 'rate-limit') throw rateLimited(fault.retryAfterS ?? 1);
      if (fault.kind === 'error-before-commit') throw serverError(fault.status);
    }
  }

  async function applyAfter(faults: TakenFault[], outcome: ServiceAnswer): Promise<ServiceAnswer> {
    let shaped = outcome;
    for (const fault of faults) {
      if (fault.kind === 'latency' && fault.afterCommit) await pause(fault.delayMs);
      if (fault.kind === 'error-after-commit')
        shaped = { ...failed(serverError(fault.status), randomUUID()) };
      if (fault.kind === 'truncate') shaped = { ...shaped, cut: 'truncate' };
      if (fault.kind === 'drop-after-commit') shaped = { ...shaped, cut: 'drop' };
    }
    return shaped;
  }

  function rateLimited(seconds: number): Refusal {
    const tells = answers['retry-after'] === 'present' && seconds > 0;
    return new Refusal('rate-limited', 'Too many requests; slow down.', {
      headers: tells ? { 'retry-after': String(Math.ceil(seconds)) } : {},
    });
  }

  function failed(error: unknown, requestId: string): ServiceAnswer {
    const status = error instanceof ServerFault ? error.status : undefined;
    const refusal = refusalOf(error, onError);
    const shaped = shapeFailure(answers, {
      code: refusal.code,
      ...(status !== undefined && { status }),
      detail: refusal.message,
      errors: refusal.errors,
      headers: refusal.headers,
      requestId,
    });
    return { ...shaped, note: refusal.message };
  }

  return { handle };
}

/** What a fault answers with, on purpose. */
class ServerFault extends Error {
  readonly status: number;

  constructor(status: number) {
    super('An internal error, made by a fault of the sandbox.');
    this.status = status;
  }
}

function serverError(status: number = problems.internal.status): ServerFault {
  return new ServerFault(status);
}

export function refusalOf(error: unknown, onError: (error: unknown) => void): Refusal {
  if (error instanceof Refusal) return error;
  if (error instanceof ServerFault) return new Refusal('internal', error.message);
  onError(error);
  if (error instanceof StoreError) {
    return new Refusal('unavailable', 'The database is not available at the moment; nothing was changed.', {
      headers: { 'retry-after': '1' },
    });
  }
  return new Refusal('internal', 'The sandbox failed; its log says why.');
}

function readQuery(schema: z.ZodMiniType, search: URLSearchParams): Record<string, string> {
  const query = Object.fromEntries(search);
  const known = Object.keys((schema as z.ZodMiniObject).shape);
  const parsed = schema.safeParse(
    Object.fromEntries(Object.entries(query).filter(([key]) => known.includes(key))),
  );
  if (!parsed.success) throw invalidRequest(fieldErrors(parsed.error));
  return query;
}

async function readBody(
  request: ServiceRequest,
  schema: z.ZodMiniType,
  wrongReferences: (body: object) => Promise<FieldError[]>,
): Promise<unknown> {
  const type = request.header('content-type')?.split(';')[0]?.trim().toLowerCase();
  if (type !== 'application/json') {
    throw new Refusal('unsupported-media-type', `Send application/json${type ? `, not ${type}` : ''}.`);
  }
  const value = parseBody(await request.body());
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const errors = fieldErrors(parsed.error);
  const more = isJsonObject(value) ? await wrongReferences(value) : [];
  throw invalidRequest([
    ...errors,
    ...more.filter(({ path }) => !errors.some((error) => error.path === path)),
  ]);
}

function parseBody(text: string): JsonValue {
  let value: JsonValue;
  try {
    value = parseJson(text);
  } catch (error) {
    throw new Refusal('invalid-json', `The body is not valid JSON: ${(error as Error).message}`);
  }
  const twice = duplicateKey(text);
  if (twice !== undefined)
    throw new Refusal('invalid-json', `The body has the key ${JSON.stringify(twice)} twice.`);
  return value;
}

const NAME_LENGTH = 60;

/** A name that the caller gives itself is only a hint, but tells a shop's own calls from those of a desk. */
function viaOf(request: ServiceRequest): string {
  const name = request.header('user-agent');
  return name === undefined ? 'api' : `api ${name.slice(0, NAME_LENGTH)}`;
}

function withHeaders(answer: ServiceAnswer, headers: Record<string, string>): ServiceAnswer {
  return { ...answer, headers: { ...answer.headers, ...headers } };
}

function nothing(): Answer {
  return { status: 0, headers: {}, body: '' };
}

function pause(ms = 1000): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** A bucket for each app that fills at the given rate; returns the seconds to wait when it is empty. */
function createLimiter(perSecond: number): (appId: string) => number | undefined {
  const buckets = new Map<string, { tokens: number; at: number }>();
  return (appId) => {
    const now = performance.now();
    const bucket = buckets.get(appId) ?? { tokens: perSecond, at: now };
    bucket.tokens = Math.min(perSecond, bucket.tokens + ((now - bucket.at) / 1000) * perSecond);
    bucket.at = now;
    buckets.set(appId, bucket);
    if (bucket.tokens < 1) return (1 - bucket.tokens) / perSecond;
    bucket.tokens -= 1;
    return undefined;
  };
}
