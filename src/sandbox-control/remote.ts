// The control API of a running sandbox, called from another process.

import { paydesk } from '../next-command.js';
import { isJsonObject, parseJson, type JsonObject } from '../contract/json.js';
import { type ErrorOptions, PaydeskError, ServiceError, TemporaryError, UsageError } from '../errors.js';
import type { Run } from './run.js';
import type { ControlInputs, ControlResults, ControlRoute } from '../sandbox/index.js';

type Address = Pick<Run, 'url' | 'controlToken'>;

export type Remote = ReturnType<typeof createRemote>;

/** What any route may be given. */
interface Input {
  parameters?: Record<string, string>;
  /** Texts by name; an absent or empty one is left out. */
  query?: unknown;
  /** A text goes out as it is, anything else as JSON. */
  body?: unknown;
}

type Body<Route extends ControlRoute> = ControlInputs[Route] extends { body: infer Given } ? Given : never;

type SettlementQuery = NonNullable<ControlInputs['GET /settlement']['query']>;

/** What is absent stays as it is; null takes it away. */
export type AppChange = Body<'PATCH /apps/{appId}'>;

interface Answer {
  status: number;
  text: string;
}

/** An answer whose body is read piece by piece. `close` ends the connection, read to the end or not. */
interface OpenAnswer {
  status: number;
  pieces: AsyncIterable<string>;
  close(): Promise<void>;
}

/** How long a sandbox may take to answer on a busy machine before it counts as silent: loading what answers included. */
const PROBE_MS = 15_000;

/** Loaded by file: the index of undici brings everything along. */
const loadClient = () =>
  Promise.all([import('undici/lib/dispatcher/client.js'), import('undici/lib/api/api-request.js')]);

async function open(
  to: Address,
  route: ControlRoute,
  { parameters = {}, query, body }: Input,
  signal: AbortSignal | undefined,
): Promise<OpenAnswer> {
  const [{ default: Client }, { default: request }] = await loadClient();
  const client = new Client(new URL(to.url).origin, { allowH2: false, headersTimeout: 0, bodyTimeout: 0 });
  const [method = '', template = ''] = route.split(' ');
  const path = template.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(parameters[name] ?? ''),
  );
  const pairs = Object.entries(query ?? {}).filter((entry): entry is [string, string] => !!entry[1]);
  const search = pairs.length > 0 ? `?${new URLSearchParams(pairs).toString()}` : '';
  const text = typeof body === 'string' || body === undefined ? body : JSON.stringify(body);
  try {
    const answer = await request.call(client, {
      method,
      path: `/_sandbox${path}${search}`,
      headers: {
        authorization: `Bearer ${to.controlToken}`,
        ...(text !== undefined && { 'content-type': 'application/json' }),
      },
      ...(text !== undefined && { body: text }),
      ...(signal && { signal }),
    });
    const pieces = answer.body.setEncoding('utf8') as AsyncIterable<string>;
    return { status: answer.statusCode, pieces, close: () => client.destroy() };
  } catch (error) {
    await client.destroy();
    throw error;
  }
}

async function send(...request: Parameters<typeof open>): Promise<Answer> {
  const { status, pieces, close } = await open(...request);
  try {
    return { status, text: (await Array.fromAsync(pieces)).join('') };
  } finally {
    await close();
  }
}

/** The text of an answer as it comes, however long it becomes. */
async function* readPieces(
  run: Run,
  route: ControlRoute,
  input: Input,
  signal: AbortSignal | undefined,
): AsyncGenerator<string> {
  let answer: OpenAnswer | undefined;
  try {
    answer = await open(run, route, input, signal);
    const { status, pieces } = answer;
    if (status >= 400) throw refusal(run, { status, text: (await Array.fromAsync(pieces)).join('') });
    yield* pieces;
  } catch (error) {
    throw signal?.aborted || error instanceof PaydeskError ? error : unreachable(run, error);
  } finally {
    await answer?.close();
  }
}

/** Whether the sandbox of a note is there: `gone` when nothing, or something else, answers at its address. */
export async function isAnswering(to: Address): Promise<'yes' | 'no' | 'gone'> {
  try {
    // The time begins with the request, not with loading what makes it.
    await loadClient();
    const { status } = await send(to, 'GET /status', {}, AbortSignal.timeout(PROBE_MS));
    return status === 200 ? 'yes' : status >= 500 ? 'no' : 'gone';
  } catch (error) {
    if (codeOf(error) === undefined && !(error instanceof DOMException)) throw error;
    return codeOf(error) === 'ECONNREFUSED' ? 'gone' : 'no';
  }
}

type Arguments<Route extends ControlRoute> = object extends ControlInputs[Route]
  ? [input?: ControlInputs[Route]]
  : [input: ControlInputs[Route]];

/** `onChange` is called before anything is sent that may change something. */
export function createRemote(run: Run, signal?: AbortSignal, onChange?: () => void) {
  async function ask<Route extends ControlRoute>(
    route: Route,
    ...[input]: Arguments<Route>
  ): Promise<string> {
    let answer: Answer;
    if (!route.startsWith('GET ')) onChange?.();
    try {
      answer = await send(run, route, input ?? {}, signal);
    } catch (error) {
      throw signal?.aborted ? error : unreachable(run, error);
    }
    if (answer.status >= 400) throw refusal(run, answer);
    return answer.text;
  }

  /** The one cast of this side: the sandbox is our own, so its answers are not checked against the table again. */
  async function call<Route extends ControlRoute>(
    route: Route,
    ...input: Arguments<Route>
  ): Promise<ControlResults[Route]> {
    return parseJson(await ask(route, ...input)) as ControlResults[Route];
  }

  return {
    run,
    status: () => call('GET /status'),
    stop: async () => void (await ask('POST /stop')),
    /** The payment as it stands; of one app where the reference alone could be another's. */
    payment: async (key: string, appId?: string) =>
      (await call('GET /payments/{key}/story', { parameters: { key }, query: { appId } })).payment,
    /** The changes of a payment, the oldest first. */
    changes: async (key: string) => (await call('GET /payments/{key}/story', { parameters: { key } })).events,
    /** Sends a webhook again, delivered or not. */
    resend: (webhookId: number) =>
      call('POST /webhooks/{id}/resend', { parameters: { id: String(webhookId) } }),
    provider: (key: string, body: Body<'POST /payments/{key}/provider'>) =>
      call('POST /payments/{key}/provider', { parameters: { key }, body }),
    pay: (key: string, body: Body<'POST /payments/{key}/pay'>) =>
      call('POST /payments/{key}/pay', { parameters: { key }, body }),
    books: (key: string) => call('GET /payments/{key}/books', { parameters: { key } }),
    clock: () => call('GET /clock'),
    changeClock: (body: Body<'POST /clock'>) => call('POST /clock', { body }),
    faults: () => call('GET /faults'),
    addFault: (body: Body<'POST /faults'>) => call('POST /faults', { body }),
    /** One fault, or all of them; answers with how many there were. */
    async clearFaults(id?: number) {
      const { cleared } =
        id === undefined
          ? await call('DELETE /faults')
          : await call('DELETE /faults/{id}', { parameters: { id: String(id) } });
      return cleared;
    },
    apps: () => call('GET /apps'),
    createApp: (body: Body<'POST /apps'>) => call('POST /apps', { body }),
    changeApp: (appId: string, body: AppChange) =>
      call('PATCH /apps/{appId}', { parameters: { appId }, body }),
    seed: () => call('POST /seed'),
    reset: async () => void (await ask('POST /reset')),
    /** The text of the file, as it is written. */
    settlement: (query: SettlementQuery) => readPieces(run, 'GET /settlement', { query }, signal),
    settlementDefects: (query: SettlementQuery) => call('GET /settlement/defects', { query }),
    export: () => ask('GET /export'),
    import: async (body: string) => void (await ask('POST /import', { body })),
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
  if (status === 401) {
    return new ServiceError(
      `The sandbox at ${run.url} does not accept the control token: ${detail}`,
      options,
    );
  }
  if (status === 400) return badInput(problem, detail, options);
  if (status === 503) return new TemporaryError(detail, options);
  const next = code === 'app-blocked' ? [paydesk('sandbox', 'apps', 'list')] : [];
  return new ServiceError(detail, { ...options, next });
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
  provider: '--provider',
  defects: '--defects',
  seed: '--seed',
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
