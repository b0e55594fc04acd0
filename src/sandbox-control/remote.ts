import { paydesk } from '../next-command.js';
import { isJsonObject, parseJson, type JsonNumber, type JsonObject } from '../contract/json.js';
import { type ErrorOptions, type PaydeskError, ServiceError, TemporaryError, UsageError } from '../errors.js';
import type { Run } from './run.js';
import type { SandboxApp } from '../sandbox/index.js';

// The control API of a running sandbox, called from another process.

type Address = Pick<Run, 'url' | 'controlToken'>;

/** How a payment is to be paid; what is absent is for the sandbox to choose. */
export interface PayRequest {
  card?: string | undefined;
  method?: string | undefined;
  paymentProfileId?: number | undefined;
  saveMethod?: boolean | undefined;
  challenge?: string | undefined;
}

/** A sample payment. */
export interface SeededPayment {
  appId: string;
  paymentId: JsonNumber;
  referenceId: string;
  state: string;
  amount: JsonNumber;
  currency: string;
  customerId: string;
  createdTime: string;
  /** What is interesting about it. */
  about: string;
  /** Whether it was not there before. */
  added: boolean;
}

/** A delivery of a webhook: what was sent where, and what came back. */
export interface Delivery {
  webhookId: number;
  url: string;
  /** Null when nobody answered; `error` then says why. */
  status: number | null;
  error: string | null;
  ms: number;
  answer: string | null;
}

/** A change of state with its webhook; without an address there is none to send. */
export interface SandboxWebhook {
  id: number;
  to_state: string;
  url: string | null;
}

export interface ClockTime {
  now: string;
  stopped: boolean;
}

export type ClockChange =
  | { action: 'stop' | 'resume' }
  /** An instant for set, a duration for advance, in milliseconds. */
  | { action: 'set' | 'advance'; value: number };

export interface FaultRequest {
  kind: string;
  route?: string | undefined;
  next?: number | undefined;
  probability?: number | undefined;
  status?: number | undefined;
  delayMs?: number | undefined;
  retryAfterS?: number | undefined;
  afterCommit?: boolean | undefined;
}

export interface Fault {
  id: number;
  kind: string;
  route: string;
  remaining: number | null;
  probability: number | null;
  /** How many calls it has met, hit or not. */
  seen: number;
  status?: number;
  delayMs?: number;
  retryAfterS?: number;
  afterCommit?: boolean;
}

/** What is absent stays as it is; null takes it away. */
export interface AppChange {
  webhookUrl?: string | null | undefined;
  isBlocked?: boolean | undefined;
  fraudPolicyId?: number | null | undefined;
  profile?: {
    paymentProfileId: number;
    isActive?: boolean | undefined;
    windowMs?: number | undefined;
    delayMs?: number | undefined;
  };
}

export interface Remote {
  readonly run: Run;
  status(): Promise<JsonObject>;
  stop(): Promise<void>;
  /** The payment as it stands; of one app where the reference alone could be another's. */
  payment(key: string, appId?: string): Promise<JsonObject>;
  /** The changes of a payment, the oldest first. */
  webhooks(paymentId: string): Promise<SandboxWebhook[]>;
  /** Sends a webhook again, delivered or not. */
  resend(webhookId: number): Promise<Delivery>;
  provider(paymentId: string, answer: string): Promise<JsonObject>;
  pay(paymentId: string, request: PayRequest): Promise<JsonObject>;
  books(paymentId: string): Promise<JsonObject>;
  clock(): Promise<ClockTime>;
  changeClock(change: ClockChange): Promise<ClockTime>;
  faults(): Promise<Fault[]>;
  addFault(fault: FaultRequest): Promise<Fault>;
  /** One fault, or all of them; answers with how many there were. */
  clearFaults(id?: number): Promise<number>;
  apps(): Promise<SandboxApp[]>;
  createApp(app: { friendlyName: string; isSandbox: boolean }): Promise<SandboxApp>;
  changeApp(appId: string, change: AppChange): Promise<SandboxApp>;
  seed(): Promise<SeededPayment[]>;
  reset(): Promise<void>;
  export(): Promise<string>;
  import(document: string): Promise<void>;
}

interface Call {
  body?: unknown;
  text?: string;
  query?: Record<string, string | undefined>;
  signal?: AbortSignal | undefined;
}

interface Answer {
  status: number;
  text: string;
}

const PROBE_MS = 2_000;

async function send(to: Address, method: string, path: string, call: Call = {}): Promise<Answer> {
  // Loaded by file: the index of undici brings everything along.
  const [{ default: Client }, { default: request }] = await Promise.all([
    import('undici/lib/dispatcher/client.js'),
    import('undici/lib/api/api-request.js'),
  ]);
  const client = new Client(new URL(to.url).origin, { allowH2: false, headersTimeout: 0, bodyTimeout: 0 });
  const query = Object.entries(call.query ?? {}).filter((entry): entry is [string, string] => !!entry[1]);
  const search = query.length > 0 ? `?${new URLSearchParams(query).toString()}` : '';
  const body = call.text ?? (call.body === undefined ? undefined : JSON.stringify(call.body));
  try {
    const answer = await request.call(client, {
      method,
      path: `/_sandbox${path}${search}`,
      headers: {
        authorization: `Bearer ${to.controlToken}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body }),
      ...(call.signal && { signal: call.signal }),
    });
    return { status: answer.statusCode, text: await answer.body.text() };
  } finally {
    await client.destroy();
  }
}

/** Whether the sandbox of a note is there: `gone` when nothing, or something else, answers at its address. */
export async function isAnswering(to: Address): Promise<'yes' | 'no' | 'gone'> {
  try {
    const { status } = await send(to, 'GET', '/status', { signal: AbortSignal.timeout(PROBE_MS) });
    return status === 200 ? 'yes' : status >= 500 ? 'no' : 'gone';
  } catch (error) {
    if (codeOf(error) === undefined && !(error instanceof DOMException)) throw error;
    return codeOf(error) === 'ECONNREFUSED' ? 'gone' : 'no';
  }
}

/** `onChange` is called before anything is sent that may change something. */
export function createRemote(run: Run, signal?: AbortSignal, onChange?: () => void): Remote {
  async function ask(method: string, path: string, options: Call = {}): Promise<string> {
    let answer: Answer;
    if (method !== 'GET') onChange?.();
    try {
      answer = await send(run, method, path, { ...options, signal });
    } catch (error) {
      throw signal?.aborted ? error : unreachable(run, error);
    }
    if (answer.status >= 400) throw refusal(run, answer);
    return answer.text;
  }

  /** The sandbox is our own, of this version or one close to it: its answers are what the types say. */
  async function call<T = JsonObject>(method: string, path: string, options?: Call): Promise<T> {
    return parseJson(await ask(method, path, options)) as T;
  }

  const paymentPath = (key: string) => `/payments/${encodeURIComponent(key)}`;

  return {
    run,
    status: () => call('GET', '/status'),
    stop: async () => void (await ask('POST', '/stop')),
    async payment(key, appId) {
      const { payment } = await call('GET', `${paymentPath(key)}/story`, { query: { appId } });
      return payment as JsonObject;
    },
    webhooks: async (paymentId) =>
      (await call<{ events: SandboxWebhook[] }>('GET', `${paymentPath(paymentId)}/story`)).events,
    resend: (webhookId) => call('POST', `/webhooks/${webhookId}/resend`),
    provider: (paymentId, answer) => call('POST', `${paymentPath(paymentId)}/provider`, { body: { answer } }),
    pay: (paymentId, request) => call('POST', `${paymentPath(paymentId)}/pay`, { body: request }),
    books: (paymentId) => call('GET', `${paymentPath(paymentId)}/books`),
    clock: () => call('GET', '/clock'),
    changeClock: (change) => call('POST', '/clock', { body: change }),
    faults: () => call('GET', '/faults'),
    addFault: (fault) => call('POST', '/faults', { body: fault }),
    async clearFaults(id) {
      const path = id === undefined ? '/faults' : `/faults/${id}`;
      return (await call<{ cleared: number }>('DELETE', path)).cleared;
    },
    apps: () => call('GET', '/apps'),
    createApp: (app) => call('POST', '/apps', { body: app }),
    changeApp: (appId, change) => call('PATCH', `/apps/${encodeURIComponent(appId)}`, { body: change }),
    seed: () => call('POST', '/seed'),
    reset: async () => void (await ask('POST', '/reset')),
    export: () => ask('GET', '/export'),
    import: async (document) => void (await ask('POST', '/import', { text: document })),
  };
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined;
}

function unreachable(run: Run, cause: unknown): PaydeskError {
  if (codeOf(cause) === 'ECONNREFUSED') {
    return new ServiceError(`The sandbox at ${run.url} is not running any more.`, {
      code: 'no-sandbox',
      next: [paydesk('sandbox', 'start')],
      cause,
    });
  }
  const why = cause instanceof Error ? cause.message : String(cause);
  return new ServiceError(`The connection to the sandbox at ${run.url} was lost: ${why}.`, {
    code: 'sandbox-lost',
    next: [paydesk('sandbox', 'status')],
    cause,
  });
}

/** A problem answer of the control API as the error that it means. */
function refusal(run: Run, { status, text }: Answer): PaydeskError {
  const problem = readProblem(text);
  const code = typeof problem['code'] === 'string' ? problem['code'] : 'sandbox-refused';
  const detail = typeof problem['detail'] === 'string' ? problem['detail'] : `It answered ${status}.`;
  const options: ErrorOptions = { code, httpStatus: status };
  if (status === 401 || status === 403) {
    return new ServiceError(
      `The sandbox at ${run.url} does not accept the control token: ${detail}`,
      options,
    );
  }
  if (status === 400) return badInput(problem, detail, options);
  if (status === 503) return new TemporaryError(detail, options);
  return new ServiceError(detail, options);
}

/** How people type what the control API calls by the names of its fields. */
const inputs: Readonly<Record<string, string>> = {
  value: 'the time',
  route: '--route',
  probability: '--probability',
  method: '--method',
  paymentProfileId: '--provider-profile',
  saveMethod: '--save-method',
  webhookUrl: '--webhook-url',
  fraudPolicyId: '--fraud-policy',
  delayMs: '--delay',
  'profile.paymentProfileId': '--provider-profile',
};

function badInput(problem: JsonObject, detail: string, options: ErrorOptions): UsageError {
  const errors = (Array.isArray(problem['errors']) ? problem['errors'] : []).filter(isJsonObject);
  const details = errors.flatMap(({ path, message }) =>
    typeof path === 'string' && typeof message === 'string' && inputs[path] !== undefined
      ? [{ input: inputs[path], problem: message }]
      : [],
  );
  if (details.length === 0 || details.length < errors.length) return new UsageError(detail, options);
  const many = details.length === 1 ? 'Invalid value' : `${details.length} invalid values`;
  return new UsageError(`${many}. Nothing was changed.`, { ...options, details });
}

function readProblem(text: string): JsonObject {
  try {
    const problem = parseJson(text);
    return isJsonObject(problem) ? problem : {};
  } catch {
    return {};
  }
}
