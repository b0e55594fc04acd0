// Scenarios: all that ship in one run, ten steps beside the same calls made by hand, and a sandbox inside a test.
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Client } from 'undici';
import type * as clients from '../src/client/client.js';
import type * as clocks from '../src/client/clock.js';
import type * as databases from '../src/ledger/database.js';
import type * as library from '../src/library/index.js';
import type { Sandbox } from '../src/library/types.js';
import type * as views from '../src/output/views/scenarios.js';
import type * as ownWorlds from '../src/scenarios/own/own-world.js';
import type * as profileWorlds from '../src/scenarios/profile-world.js';
import type * as reading from '../src/scenarios/read.js';
import type * as running from '../src/scenarios/run.js';
import type * as runningAll from '../src/scenarios/run-all.js';
import type * as worlds from '../src/scenarios/world.js';
import { median, type Figure } from './measure.ts';

const dist = async <T>(path: string): Promise<T> =>
  (await import(new URL(`../dist/${path}`, import.meta.url).href)) as T;
const { createClient } = await dist<typeof clients>('client/client.js');
const { systemClock } = await dist<typeof clocks>('client/clock.js');
const { openDeskDatabase } = await dist<typeof databases>('ledger/database.js');
const { startSandbox } = await dist<typeof library>('library/index.js');
const { runJson } = await dist<typeof views>('output/views/scenarios.js');
const { openOwnWorld } = await dist<typeof ownWorlds>('scenarios/own/own-world.js');
const { createProfileWorld } = await dist<typeof profileWorlds>('scenarios/profile-world.js');
const { readScenario } = await dist<typeof reading>('scenarios/read.js');
const { runScenario } = await dist<typeof running>('scenarios/run.js');
const { runAll } = await dist<typeof runningAll>('scenarios/run-all.js');

const folder = fileURLToPath(new URL('../scenarios/', import.meta.url));
const { signal } = new AbortController();
const CLOCK = Date.UTC(2026, 0, 1);
const ROUNDS = 25;

function read(file: string, text: string): reading.Scenario {
  const { scenario } = readScenario(file, text);
  if (!scenario) throw new Error(`${file} cannot be read`);
  return scenario;
}

const ownWorld = ({ clock }: Pick<reading.Scenario, 'clock'>, seed: number) =>
  openOwnWorld({ seed, clock: clock ?? CLOCK, quietMs: 2_000, signal });

async function shipped(report: (figure: Figure) => void): Promise<void> {
  const scenarios = readdirSync(folder).map((file) => read(file, readFileSync(`${folder}${file}`, 'utf8')));
  const outputs: string[] = [];
  const seconds: number[] = [];
  for (let round = 0; round < 2; round++) {
    const from = performance.now();
    const results = await runAll(scenarios, { parallel: 4, openWorld: ownWorld });
    seconds.push((performance.now() - from) / 1000);
    const failed = results.filter(({ failure }) => failure);
    if (failed.length > 0) throw new Error(`${failed.length} scenarios failed`);
    outputs.push(JSON.stringify(runJson(results)));
  }
  const [first = 0, second = 0] = seconds;
  report({
    name: 'all shipped scenarios in one run',
    value: first,
    unit: 's',
    limit: 15,
    better: 'less',
    detail: `${scenarios.length} scenarios; again in the same process: ${second.toFixed(2)} s`,
  });
  report({
    name: 'what a second run of them prints otherwise',
    value: outputs[0] === outputs[1] ? 0 : 1,
    unit: 'runs',
    limit: 0,
    better: 'less',
    detail: `${outputs[0]?.length} bytes, the same seeds`,
  });
}

/** Five payments, each created and read. A create reads the customer first, so that both sides make 15 calls. */
const STEPS = 5;
const text = [
  'name: ten steps',
  'steps:',
  ...Array.from({ length: STEPS }, (_, index) => [
    `  - create: { amount: 10, currency: EUR, customer: c_1 }\n    as: p${index}`,
    `  - expect: { payment: '\${p${index}}', state: Created }`,
  ]).flat(),
].join('\n');

async function byHand({ url, appId, apiKey }: Sandbox, client: Client, round: number): Promise<void> {
  const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' };
  const path = new URL(`/api/apps/${appId}`, url).pathname;
  for (let index = 0; index < STEPS; index++) {
    const customer = await client.request({ method: 'GET', path: `${path}/customers/c_1`, headers });
    await customer.body.text();
    const body = JSON.stringify({
      referenceId: `hand-${round}-${index}`,
      amount: 10,
      currency: 'EUR',
      returnUrl: 'https://shop.example/thanks',
      autoCapture: true,
      showPayRecurringInCheckout: false,
      customerOrder: { customer: { customerId: 'c_1' } },
    });
    const created = await client.request({
      method: 'POST',
      path: `${path}/payments/hosted-page`,
      headers,
      body,
    });
    const { paymentId } = (await created.body.json()) as { paymentId: number };
    const seen = await client.request({ method: 'GET', path: `${path}/payments/${paymentId}`, headers });
    const { paymentState } = (await seen.body.json()) as { paymentState: string };
    if (paymentState !== 'Created') throw new Error(`payment ${paymentId} is ${paymentState}`);
  }
}

async function openProfileWorld({ url, appId, apiKey }: Sandbox) {
  const database = await openDeskDatabase({ location: ':memory:', operator: 'bench' });
  const client = createClient({
    baseUrl: url,
    appId,
    kind: 'sandbox',
    isSandbox: true,
    apiKey: () => apiKey,
  });
  const desk = {
    client,
    settling: client,
    ledger: database.ledger,
    app: { baseUrl: url, appId, kind: 'sandbox', profile: undefined },
    quietMs: 2_000,
    clock: systemClock,
    steady: () => performance.now(),
    signal,
    waitMs: 60_000,
    note: () => {},
  } as const;
  const world = createProfileWorld({ desk, database, sandbox: undefined });
  const close = async () => {
    await client.close();
    await database.close();
  };
  return { world, close };
}

async function run(scenario: reading.Scenario, world: worlds.World): Promise<void> {
  const { failure } = await runScenario(scenario, world, 1);
  if (failure) throw new Error(JSON.stringify(failure));
}

const timed = async (times: number[], work: () => Promise<void>): Promise<void> => {
  const from = performance.now();
  await work();
  times.push(performance.now() - from);
};

/** As --on does: both sides call one sandbox over HTTP, and ours also keeps its ledger and its search index. */
async function onOneSandbox(report: (figure: Figure) => void): Promise<void> {
  const sandbox = await startSandbox({ seed: 1 });
  const client = new Client(sandbox.url);
  const { world, close } = await openProfileWorld(sandbox);
  const scenario = read('ten-steps', text);
  const [hand, scenarios]: [number[], number[]] = [[], []];
  for (let round = 0; round < ROUNDS; round++) {
    await timed(hand, () => byHand(sandbox, client, round));
    await timed(scenarios, () => run(scenario, world));
  }
  await client.close();
  await close();
  await sandbox.stop();
  report({
    name: 'ten steps with --on, against the same calls by hand on that sandbox',
    value: median(scenarios) / median(hand),
    unit: 'times',
    limit: 2,
    better: 'less',
    detail: `${median(scenarios).toFixed(1)} ms and ${median(hand).toFixed(1)} ms by undici, on the same sandbox`,
  });
}

/** The same sandbox on both sides, from its start to its end: what a test costs as a scenario, and by hand. */
async function onItsOwn(report: (figure: Figure) => void): Promise<void> {
  const scenario = read('ten-steps', text);
  const [hand, scenarios, starts]: [number[], number[], number[]] = [[], [], []];
  for (let round = 0; round < ROUNDS; round++) {
    await timed(hand, async () => {
      const from = performance.now();
      const sandbox = await startSandbox({ seed: 1, clock: new Date(CLOCK) });
      starts.push(performance.now() - from);
      const client = new Client(sandbox.url);
      await byHand(sandbox, client, round);
      await client.close();
      await sandbox.stop();
    });
    await timed(scenarios, async () => {
      const world = await ownWorld(scenario, 1);
      await run(scenario, world);
      await world.close();
    });
  }
  report({
    name: 'ten steps, against the same calls by hand on the same sandbox',
    value: median(scenarios) / median(hand),
    unit: 'times',
    limit: 1.5,
    better: 'less',
    detail: `${median(scenarios).toFixed(1)} ms and ${median(hand).toFixed(1)} ms by startSandbox and undici`,
  });
  const [, ...warm] = starts;
  report({
    name: 'startSandbox until it answers, in a warm process',
    value: Math.max(...warm),
    unit: 'ms',
    limit: 150,
    better: 'less',
    detail: `the slowest of ${warm.length}; median ${median(warm).toFixed(1)} ms, the first one ${starts[0]?.toFixed(0)} ms`,
  });
}

export async function scenarioFigures(report: (figure: Figure) => void): Promise<void> {
  await shipped(report);
  await onItsOwn(report);
  await onOneSandbox(report);
}
