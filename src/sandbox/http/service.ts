import { randomUUID } from 'node:crypto';
import { matchEndpoint, type EndpointMatch, type EndpointName } from '../../contract/endpoints.js';
import type { FieldError } from '../../contract/problem.js';
import { GENERATION_HEADER, KIND_HEADER } from '../../contract/sandbox-headers.js';
import { StoreError } from '../../store/store.js';
import { jsonAnswer, shapeFailure, shapeSuccess, type ShapedAnswer, type AnswerChoices } from '../answers.js';
import type { App } from '../domain/apps.js';
import type { TakenFault } from '../domain/faults.js';
import { referenceErrors } from '../domain/references.js';
import { Refusal } from '../domain/refusal.js';
import type { SandboxEngine } from '../engine.js';
import type { Addresses } from './addresses.js';
import { authenticate } from './authenticate.js';
import type { Handlers } from './call.js';
import { customerHandlers } from './customer-handlers.js';
import { createKeptAnswers } from './kept-answers.js';
import { paymentHandlers } from './payment-handlers.js';
import { applyAfter, applyBefore, isHitBy, ServerFault, takeFaults } from './request-faults.js';
import { readRequest, type ServiceRequest } from './service-request.js';

/** What each endpoint of the contract does here. */
const handlers: Handlers = { ...paymentHandlers, ...customerHandlers };

/** Reads whose answer changes only when something is committed. */
const keptReads: ReadonlySet<EndpointName> = new Set(['getPayment', 'getPaymentByReference']);

export interface ServiceAnswer extends ShapedAnswer {
  /** A fault: the connection ends without this answer, or in the middle of it. */
  cut?: 'drop' | 'truncate';
  /** What a log line says of a failure. */
  note?: string;
}

interface ServiceOptions {
  engine: SandboxEngine;
  answers: AnswerChoices;
  /** The links of an answer, by the Host header of its request. */
  addressesAt(host: string | undefined): Addresses;
  /** Requests a second for each app; undefined for no limit. */
  rateLimit?: number;
  onError(error: unknown): void;
}

/** The payments service: authentication, validation, rules, answers. */
export function createService({ engine, answers, addressesAt, rateLimit, onError }: ServiceOptions) {
  const limiter = rateLimit === undefined ? undefined : createLimiter(rateLimit);
  const keptAnswer = createKeptAnswers(engine.store);
  const failed = (error: unknown, requestId: string) => failureOf(error, requestId, answers, onError);

  async function handle(request: ServiceRequest): Promise<ServiceAnswer> {
    const requestId = randomUUID();
    const marks: Record<string, string> = { 'x-request-id': requestId };
    try {
      // Read before the rules run: what an answer tells is never older than the generation that it names.
      marks[GENERATION_HEADER] = (await engine.generations.read()).id;
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
    const app = await authenticate(request, engine, answers);
    marks[KIND_HEADER] = app.is_sandbox ? 'sandbox' : 'live';
    const wait = limiter?.(app.app_id);
    if (wait !== undefined) throw rateLimited(answers, wait);
    const match = requireEndpoint(request);
    const faults = await takeFaults(engine, match.name);
    if (faults.length === 0) {
      const make = () => carryOut(request, app, match, faults);
      if (!keptReads.has(match.name)) return make();
      // A link in the answer is of the host that was called and of the generation.
      const key = [marks[GENERATION_HEADER], request.header('host'), app.app_id, request.path].join(' ');
      return keptAnswer(key, make);
    }
    await applyBefore(faults, (seconds) => rateLimited(answers, seconds), request.pause);
    if (isHitBy(faults, 'drop-before-commit')) return { status: 0, headers: {}, body: '', cut: 'drop' };
    const outcome = await carryOut(request, app, match, faults).catch((error: unknown) =>
      failed(error, requestId),
    );
    return applyAfter(faults, outcome, (error) => failed(error, requestId), request.pause);
  }

  async function carryOut<Name extends EndpointName>(
    request: ServiceRequest,
    app: App,
    { name, parameters }: EndpointMatch<Name>,
    faults: TakenFault[],
  ): Promise<ServiceAnswer> {
    const wrongReferences = async (body: object): Promise<FieldError[]> =>
      referenceErrors(app, body, (await engine.clock.read()).now);
    const { query, body } = await readRequest(request, name, answers, wrongReferences);
    const result = await handlers[name]({
      engine,
      answers,
      addresses: addressesAt(request.header('host')),
      app,
      parameters,
      query,
      body,
      search: request.query,
      via: viaOf(request),
      stale: isHitBy(faults, 'stale-read'),
    });
    if ('variant' in result) return jsonAnswer(result.status, result.variant);
    return shapeSuccess(answers, name, result.status, result.body);
  }

  return { handle };
}

function requireEndpoint({ method, path }: ServiceRequest): EndpointMatch {
  const match = matchEndpoint(method, path);
  if (!match) throw new Refusal('not-found', `There is nothing at ${path}.`);
  if (!('allowed' in match)) return match;
  const allow = match.allowed.join(', ');
  throw new Refusal('method-not-allowed', `${path} takes ${allow}, not ${method}.`, { headers: { allow } });
}

function rateLimited(answers: AnswerChoices, seconds: number): Refusal {
  const tells = answers['retry-after'] === 'present' && seconds > 0;
  return new Refusal('rate-limited', 'Too many requests; slow down.', {
    headers: tells ? { 'retry-after': String(Math.ceil(seconds)) } : {},
  });
}

function failureOf(
  error: unknown,
  requestId: string,
  answers: AnswerChoices,
  onError: (error: unknown) => void,
): ServiceAnswer {
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

const NAME_LENGTH = 60;

/** A name that the caller gives itself is only a hint, but tells a shop's own calls from those of a desk. */
function viaOf(request: ServiceRequest): string {
  const name = request.header('user-agent');
  return name === undefined ? 'api' : `api ${name.slice(0, NAME_LENGTH)}`;
}

function withHeaders(answer: ServiceAnswer, headers: Record<string, string>): ServiceAnswer {
  Object.assign(answer.headers, headers);
  return answer;
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
