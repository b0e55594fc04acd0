import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { Agent, request } from 'undici';
import type { SandboxApp } from '../../src/sandbox/index.js';
import { startSandbox, type SandboxOptions } from '../../src/sandbox/sandbox.js';

type Json = Record<string, unknown>;
type RequestLine = Parameters<NonNullable<SandboxOptions['onRequest']>>[0];

export interface Answer<Body = Json> {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  text: string;
  /** The parsed JSON of the answer; an empty object when it is none. */
  body: Body;
}

export interface CallOptions {
  /** Instead of the key of the sandbox app; null sends no Authorization header. */
  key?: string | null;
  appId?: string;
  headers?: Record<string, string>;
  /** Sent as it is instead of the body. */
  raw?: string | Uint8Array | AsyncIterable<Uint8Array>;
}

/** A payment as it is shown, with the fields that tests look at. */
export interface ShownPayment extends Json {
  paymentId: number;
  paymentState: string;
  referenceId: string;
  redirectUrl: string;
  payInfo?: Json;
}

export interface Client {
  readonly url: string;
  readonly controlToken: string;
  /** The app that calls are made for. */
  readonly app: SandboxApp;
  /** The app that poses as live. */
  readonly live: SandboxApp;
  /** Calls the service; the path is below `/api/apps/{appId}`, or whole when it begins with `//`. */
  call<Body = Json>(
    method: string,
    path: string,
    body?: unknown,
    options?: CallOptions,
  ): Promise<Answer<Body>>;
  control<Body = Json>(
    method: string,
    path: string,
    body?: unknown,
    options?: CallOptions,
  ): Promise<Answer<Body>>;
  /** Creates a hosted-page payment; throws when it is refused. */
  create(fields?: Json, options?: CallOptions): Promise<ShownPayment>;
  /** Plays the customer; throws when it is refused. */
  pay(paymentId: number, card?: string, more?: Json): Promise<ShownPayment>;
  read(paymentId: number): Promise<ShownPayment>;
  /** Moves the clock; everything due has happened and its webhooks have left. */
  advance(ms: number): Promise<void>;
  /** Everything due now has happened. */
  settle(): Promise<void>;
  /** The states that a payment went through, from its story. */
  states(paymentId: number): Promise<string[]>;
  /** What the provider was told and did, as `told/done` for each instruction that it was given. */
  books(paymentId: number): Promise<Record<string, string>>;
}

export interface TestSandbox extends Client {
  readonly lines: RequestLine[];
  readonly errors: unknown[];
  close(): Promise<void>;
}

let references = 0;

/** A reference that no other test uses. All are equally long: some tests look at what fits a terminal. */
export function newReference(): string {
  references += 1;
  const digits = (value: number) => value.toString(36).padStart(4, '0');
  return `ref-${digits(process.pid)}-${digits(references)}`;
}

/** A whole hosted-page body that is valid. */
export function hostedBody(fields: Json = {}): Json {
  return {
    referenceId: newReference(),
    amount: 10.5,
    currency: 'EUR',
    returnUrl: 'http://127.0.0.1:9/thanks',
    autoCapture: true,
    showPayRecurringInCheckout: false,
    customerOrder: { customer: { customerId: 'c1' } },
    ...fields,
  };
}

/** A sandbox in this process, on a free port; in memory unless a location is given. */
export async function startTestSandbox(options: Partial<SandboxOptions> = {}): Promise<TestSandbox> {
  const lines: RequestLine[] = [];
  const errors: unknown[] = [];
  const sandbox = await startSandbox({
    location: ':memory:',
    onRequest: (line) => lines.push(line),
    onError: (error) => errors.push(error),
    ...options,
  });
  // A connection for each request: the server may cut off an idle one that a request is just about to use.
  const agent = new Agent({ allowH2: false, pipelining: 0 });
  const client = createClient(sandbox.url, sandbox.controlToken, await sandbox.apps(), agent);
  return {
    ...client,
    lines,
    errors,
    async close() {
      await agent.destroy();
      await sandbox.close();
    },
  };
}

export interface SandboxProcess extends Client {
  readonly process: ChildProcess;
  kill(signal?: NodeJS.Signals): Promise<void>;
}

/** The sandbox as a process of its own, from dist; `through` is a command that is put in front. */
export async function sandboxProcess(
  options: Pick<SandboxOptions, 'location' | 'seed'>,
  through: string[] = [],
): Promise<SandboxProcess> {
  const script = fileURLToPath(new URL('../sandbox/serve.ts', import.meta.url));
  const [command, ...rest] = [...through, process.execPath, script, JSON.stringify(options)];
  const child = spawn(command, rest, { stdio: ['ignore', 'pipe', 'inherit'] });
  const exited = once(child, 'exit');
  // Should the tests end early, the sandbox must not stay behind.
  const onExit = () => void child.kill('SIGKILL');
  process.once('exit', onExit);
  void exited.then(() => process.off('exit', onExit));
  const first = await Promise.race([once(createInterface({ input: child.stdout }), 'line'), exited]);
  if (child.exitCode !== null) throw new Error(`the sandbox process ended with ${child.exitCode}`);
  const { url, controlToken, apps } = JSON.parse(String(first[0])) as {
    url: string;
    controlToken: string;
    apps: SandboxApp[];
  };
  // A connection for each request: an idle one may be closed by the other side just when it is used again.
  const agent = new Agent({ allowH2: false, pipelining: 0 });
  return {
    ...createClient(url, controlToken, apps, agent),
    process: child,
    async kill(signal = 'SIGKILL') {
      await agent.destroy();
      child.kill(signal);
      await exited;
    },
  };
}

function createSend(url: string, agent: Agent) {
  return async function send<Body>(
    method: string,
    path: string,
    body: unknown,
    { key, headers = {}, raw }: CallOptions,
  ): Promise<Answer<Body>> {
    const content = raw ?? (body === undefined ? undefined : JSON.stringify(body));
    const response = await request(url + path, {
      method: method as 'GET',
      headers: {
        ...(key !== null && { authorization: `Bearer ${key}` }),
        ...(content !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(content !== undefined && { body: content as string }),
      dispatcher: agent,
    });
    const text = await response.body.text();
    return { status: response.statusCode, headers: response.headers, text, body: parsed(text) as Body };
  };
}

function createClient(url: string, controlToken: string, apps: SandboxApp[], agent: Agent): Client {
  const [app, live] = apps as [SandboxApp, SandboxApp];

  const send = createSend(url, agent);
  const call: Client['call'] = (method, path, body, options = {}) =>
    send(
      method,
      path.startsWith('//') ? path.slice(1) : `/api/apps/${options.appId ?? app.appId}${path}`,
      body,
      { key: app.apiKey, ...options },
    );

  const control: Client['control'] = (method, path, body, options = {}) =>
    send(method, `/_sandbox${path}`, body, { key: controlToken, ...options });

  async function expectOk<Body>(answer: Promise<Answer<Body>>): Promise<Body> {
    const { status, text, body } = await answer;
    if (status >= 300) throw new Error(`answered ${status}: ${text}`);
    return body;
  }

  return {
    url,
    controlToken,
    app,
    live,
    call,
    control,
    create: (fields = {}, options = {}) =>
      expectOk(call<ShownPayment>('POST', '/payments/hosted-page', hostedBody(fields), options)),
    pay: (paymentId, card = 'approved', more = {}) =>
      expectOk(control<ShownPayment>('POST', `/payments/${paymentId}/pay`, { card, ...more })),
    read: async (paymentId) => {
      const { payment } = await expectOk(
        control<{ payment: ShownPayment }>('GET', `/payments/${paymentId}/story`),
      );
      return payment;
    },
    async advance(ms) {
      await expectOk(control('POST', '/clock', { action: 'advance', value: ms }));
    },
    async settle() {
      await expectOk(control('POST', '/clock', { action: 'advance', value: 0 }));
    },
    async states(paymentId) {
      const { events } = await expectOk(
        control<{ events: Array<{ to_state: string }> }>('GET', `/payments/${paymentId}/story`),
      );
      return events.map((event) => event.to_state);
    },
    async books(paymentId) {
      const { paymentId: _, ...kinds } = await expectOk(
        control<Record<string, { told: number; done: number }>>('GET', `/payments/${paymentId}/books`),
      );
      return Object.fromEntries(
        Object.entries(kinds)
          .filter(([, { told }]) => told > 0)
          .map(([kind, { told, done }]) => [kind, `${told}/${done}`]),
      );
    },
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}

export interface Received {
  method: string;
  /** Path and query. */
  path: string;
  headers: IncomingHttpHeaders;
  text: string;
  /** The parsed JSON body; an empty object when it is none. */
  body: Json;
}

/** What the receiver does with the next request, or with all further ones. */
export type Behaviour =
  | {
      status: number;
      headers?: Record<string, string>;
      body?: string;
      delayMs?: number;
      /** Answers only then. */
      until?: Promise<unknown>;
    }
  | 'hang'
  | 'drop';

export interface Receiver {
  readonly url: string;
  readonly requests: Received[];
  /** The states told of, in order of arrival. */
  states(paymentId?: number): string[];
  /** How to answer from now on; the behaviours given by `next` come first. */
  answer(behaviour: Behaviour): void;
  next(...behaviours: Behaviour[]): void;
  /** Waits until that many requests arrived; throws after the time given. */
  waitFor(count: number, ms?: number): Promise<void>;
  close(): Promise<void>;
}

/** A server that webhooks can go to: keeps what arrives, and answers as it is told. */
export async function startReceiver(): Promise<Receiver> {
  const requests: Received[] = [];
  const queue: Behaviour[] = [];
  let usual: Behaviour = { status: 200 };
  const server = createServer((incoming, response) => {
    const chunks: Buffer[] = [];
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
    incoming.on('end', () => {
      const text = Buffer.concat(chunks).toString('utf8');
      requests.push({
        method: incoming.method ?? '',
        path: incoming.url ?? '',
        headers: incoming.headers,
        text,
        body: parsed(text) as Json,
      });
      behave(queue.shift() ?? usual, response);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    requests,
    states: (paymentId) =>
      requests
        .filter(({ body }) => paymentId === undefined || body.paymentId === paymentId)
        .map(({ body }) => String(body.paymentState)),
    answer: (behaviour) => {
      usual = behaviour;
    },
    next: (...behaviours) => void queue.push(...behaviours),
    waitFor: (count, ms = 120_000) =>
      eventually(() => {
        if (requests.length < count) throw new Error(`${requests.length} of ${count} requests arrived`);
      }, ms),
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function behave(behaviour: Behaviour, response: ServerResponse): void {
  if (behaviour === 'hang') return;
  if (behaviour === 'drop') {
    response.socket?.destroy();
    return;
  }
  const { status, headers = {}, body = '', delayMs = 0, until } = behaviour;
  const answer = () => setTimeout(() => response.writeHead(status, headers).end(body), delayMs);
  if (until) void until.then(answer);
  else answer();
}

/** Tries again until it does not throw, or until the time is up; less and less often, since a try costs time too. */
export async function eventually<T>(check: () => T | Promise<T>, ms = 120_000): Promise<T> {
  const deadline = Date.now() + ms;
  for (let wait = 10; ; wait = Math.min(wait * 1.2, 200)) {
    try {
      return await check();
    } catch (error) {
      if (Date.now() > deadline) throw error;
      await new Promise((resolve) => setTimeout(resolve, wait));
    }
  }
}
