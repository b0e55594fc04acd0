import { isJsonObject, parseJson, type JsonObject, type JsonValue } from '../contract/json.js';
import { type ErrorOptions, type PaydeskError, ServiceError, TemporaryError, UsageError } from '../errors.js';
import type { Run } from './runs.js';

// The control API of a running sandbox, called from another process.

type Address = Pick<Run, 'url' | 'controlToken'>;

/** How a payment is to be paid; what is absent is for the sandbox to choose. */
export interface PayRequest {
  card?: string;
  method?: string;
  paymentProfileId?: number;
  saveMethod?: boolean;
  challenge?: string;
}

export interface Remote {
  readonly run: Run;
  status(): Promise<JsonObject>;
  stop(): Promise<void>;
  /** The payment as it stands; of one app where the reference alone could be another's. */
  payment(key: string, appId?: string): Promise<JsonObject>;
  pay(paymentId: string, request: PayRequest): Promise<JsonObject>;
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

export function createRemote(run: Run, signal?: AbortSignal): Remote {
  async function call(method: string, path: string, options: Call = {}): Promise<JsonValue> {
    const answer = await ask(method, path, options);
    return parseJson(answer);
  }

  async function ask(method: string, path: string, options: Call): Promise<string> {
    let answer: Answer;
    try {
      answer = await send(run, method, path, { ...options, signal });
    } catch (error) {
      throw signal?.aborted ? error : unreachable(run, error);
    }
    if (answer.status >= 400) throw refusal(run, answer);
    return answer.text;
  }

  const object = async (method: string, path: string, options?: Call) =>
    (await call(method, path, options)) as JsonObject;
  const paymentPath = (key: string) => `/payments/${encodeURIComponent(key)}`;

  return {
    run,
    status: () => object('GET', '/status'),
    stop: async () => void (await call('POST', '/stop')),
    async payment(key, appId) {
      const story = await object('GET', `${paymentPath(key)}/story`, { query: { appId } });
      return story['payment'] as JsonObject;
    },
    pay: (paymentId, request) => object('POST', `${paymentPath(`id:${paymentId}`)}/pay`, { body: request }),
  };
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined;
}

function unreachable(run: Run, cause: unknown): PaydeskError {
  if (codeOf(cause) === 'ECONNREFUSED') {
    return new ServiceError(`The sandbox at ${run.url} is no longer there.`, {
      code: 'no-sandbox',
      next: ['paydesk sandbox start'],
      cause,
    });
  }
  const why = cause instanceof Error ? cause.message : String(cause);
  return new ServiceError(`The connection to the sandbox at ${run.url} was lost: ${why}.`, {
    code: 'sandbox-lost',
    next: ['paydesk sandbox status'],
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
    return new ServiceError(`The sandbox at ${run.url} does not take our control token: ${detail}`, options);
  }
  if (status === 400) return new UsageError(detail, options);
  if (status === 503) return new TemporaryError(detail, options);
  return new ServiceError(detail, options);
}

function readProblem(text: string): JsonObject {
  try {
    const problem = parseJson(text);
    return isJsonObject(problem) ? problem : {};
  } catch {
    return {};
  }
}
