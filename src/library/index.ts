// The sandbox inside a test: `import { startSandbox } from 'paydesk/sandbox'`.

import {
  answerVariants,
  environmentFor,
  startSandbox as start,
  type AnswerChoices,
  type ControlInputs,
  type Sandbox,
} from '../sandbox/index.js';
import { checkStartOptions } from './start-options.js';
import { instantOf, millisecondsOf } from './times.js';
import type * as api from './types.js';
import { createWebhooks } from './webhooks.js';

export const startSandbox: api.StartSandbox = async (options = {}) => {
  checkStartOptions(options);
  const { seed, clock, contents, answers = {}, database, port, host, allowRemote } = options;
  const { rateLimit, webhookHosts } = options;
  const sandbox = await start({
    location: database ?? ':memory:',
    answers: answersOf(answers),
    ...(seed !== undefined && { seed }),
    ...(clock !== undefined && { clock: instantOf(clock) }),
    ...(contents !== undefined && { contents }),
    ...(port !== undefined && { port }),
    ...(host !== undefined && { host }),
    ...(allowRemote !== undefined && { allowRemote }),
    ...(rateLimit !== undefined && { rateLimit }),
    ...(webhookHosts && { webhookHosts: [...webhookHosts] }),
  });
  return present(untilStopped(sandbox)).catch(async (error: unknown) => {
    await sandbox.close();
    throw error;
  });
};

/** The sandbox, which is closed once and then says so to everybody who asks it something. */
function untilStopped(sandbox: Sandbox): Sandbox {
  let closing: Promise<void> | undefined;
  return {
    ...sandbox,
    async ask(route, input) {
      if (closing) throw new Error('The sandbox was stopped.');
      return sandbox.ask(route, input);
    },
    close: () => (closing ??= sandbox.close()),
  };
}

async function present(sandbox: Sandbox): Promise<api.Sandbox> {
  const { url, consoleUrl, controlToken, close } = sandbox;
  const app = (await sandbox.apps()).find(({ isSandbox }) => isSandbox);
  if (!app) throw new Error('The contents have no sandbox app.');
  const { appId, apiKey } = app;
  return {
    url,
    consoleUrl,
    controlToken,
    appId,
    apiKey,
    env: environmentFor(sandbox, app),
    ...payments(sandbox),
    settlement: (options = {}) => settlementOf(sandbox, options),
    clock: clockOf(sandbox),
    faults: faultsOf(sandbox),
    webhooks: createWebhooks(sandbox),
    apps: appsOf(sandbox),
    seed: async () => plain(await sandbox.ask('POST /seed', {})) as api.SeededPayment[],
    reset: async () => void (await sandbox.ask('POST /reset', {})),
    export: () => sandbox.ask('GET /export', {}),
    import: async (body) => void (await sandbox.ask('POST /import', { body })),
    stop: close,
  };
}

function payments(sandbox: Sandbox): Pick<api.Sandbox, 'payment' | 'pay' | 'provider' | 'books'> {
  const named = (payment: api.PaymentKey) => ({ parameters: { key: String(payment) } });
  return {
    async payment(key) {
      const { payment } = await sandbox.ask('GET /payments/{key}/story', named(key));
      return paymentOf(payment);
    },
    // Programs without types may name any card or method: the names are checked when they are used.
    pay: async (payment, body = {}) =>
      paymentOf(
        await sandbox.ask('POST /payments/{key}/pay', {
          ...named(payment),
          body: body as ControlInputs['POST /payments/{key}/pay']['body'],
        }),
      ),
    provider: async (payment, answer) =>
      paymentOf(await sandbox.ask('POST /payments/{key}/provider', { ...named(payment), body: { answer } })),
    books: (payment) => sandbox.ask('GET /payments/{key}/books', named(payment)),
  };
}

async function settlementOf(
  sandbox: Sandbox,
  { provider, defects, seed, since, until, format }: api.SettlementOptions,
): Promise<api.Settlement> {
  const query = {
    ...(provider !== undefined && { provider }),
    ...(defects !== undefined && { defects: [defects].flat().join(',') }),
    ...(seed !== undefined && { seed: String(seed) }),
    ...(since !== undefined && { since: new Date(instantOf(since)).toISOString() }),
    ...(until !== undefined && { until: new Date(instantOf(until)).toISOString() }),
    ...(format !== undefined && { format }),
  };
  const report = await sandbox.ask('GET /settlement/defects', { query });
  const { pieces } = await sandbox.ask('GET /settlement', { query: { ...query, until: report.until } });
  const text = (await Array.fromAsync(pieces)).join('');
  return { text, lines: report.lines, planted: report.planted };
}

function clockOf(sandbox: Sandbox): api.Clock {
  const change = (body: ControlInputs['POST /clock']['body']) => sandbox.ask('POST /clock', { body });
  return {
    read: () => sandbox.ask('GET /clock', {}),
    stop: () => change({ action: 'stop' }),
    resume: () => change({ action: 'resume' }),
    set: async (instant) => change({ action: 'set', value: instantOf(instant) }),
    advance: async (duration) => change({ action: 'advance', value: millisecondsOf(duration) }),
  };
}

function faultsOf(sandbox: Sandbox): api.Faults {
  return {
    list: () => sandbox.ask('GET /faults', {}),
    add: (fault) => sandbox.ask('POST /faults', { body: fault as ControlInputs['POST /faults']['body'] }),
    async clear(id) {
      const { cleared } =
        id === undefined
          ? await sandbox.ask('DELETE /faults', {})
          : await sandbox.ask('DELETE /faults/{id}', { parameters: { id: String(id) } });
      return cleared;
    },
  };
}

function appsOf(sandbox: Sandbox): api.Apps {
  return {
    list: () => sandbox.ask('GET /apps', {}),
    create: (body) => sandbox.ask('POST /apps', { body }),
    change: (appId, body) => sandbox.ask('PATCH /apps/{appId}', { parameters: { appId }, body }),
  };
}

/** What JSON shows of it: exact numbers become the numbers of JavaScript. */
const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value));
const paymentOf = (value: unknown): api.Payment => plain(value) as api.Payment;

function answersOf(chosen: Readonly<Record<string, string>>): Partial<AnswerChoices> {
  const variants = new Map<string, readonly string[]>(Object.entries(answerVariants));
  for (const [name, variant] of Object.entries(chosen)) {
    const known = variants.get(name);
    if (!known) throw new TypeError(`There is no answer ${name}: use ${[...variants.keys()].join(', ')}.`);
    if (!known.includes(variant)) throw new TypeError(`${name} is answered as one of ${known.join(', ')}.`);
  }
  return chosen;
}
