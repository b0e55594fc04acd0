// Scenarios: all that ship in one run, and ten steps beside the same calls made by hand.
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Client } from 'undici';
import type * as clients from '../src/client/client.js';
import type * as clocks from '../src/client/clock.js';
import type * as desks from '../src/ledger/desk.js';
import type * as ownWorlds from '../src/scenarios/own/own-world.js';
import type * as profileWorlds from '../src/scenarios/profile-world.js';
import type * as reading from '../src/scenarios/read.js';
import type * as running from '../src/scenarios/run.js';
import type * as runningAll from '../src/scenarios/run-all.js';
import { median, startServer, type Figure, type Server } from './measure.ts';

const dist = async <T>(path: string): Promise<T> =>
  (await import(new URL(`../dist/${path}`, import.meta.url).href)) as T;
const { createClient } = await dist<typeof clients>('client/client.js');
const { systemClock } = await dist<typeof clocks>('client/clock.js');
const { openDeskDatabase } = await dist<typeof desks>('ledger/desk.js');
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

async function shipped(report: (figure: Figure) => void): Promise<void> {
  const scenarios = readdirSync(folder).map((file) => read(file, readFileSync(`${folder}${file}`, 'utf8')));
  const from = performance.now();
  const results = await runAll(scenarios, {
    parallel: 4,
    openWorld: ({ clock }, seed) => openOwnWorld({ seed, clock: clock ?? CLOCK, quietMs: 2_000, signal }),
  });
  const failed = results.filter(({ failure }) => failure);
  if (failed.length > 0) throw new Error(`${failed.length} scenarios failed`);
  const seconds = (performance.now() - from) / 1000;
  report({
    name: 'all shipped scenarios in one run',
    value: seconds,
    unit: 's',
    limit: 15,
    better: 'less',
    detail: `${scenarios.length} scenarios, ${Math.round((seconds * 1000) / scenarios.length)} ms each`,
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

async function byHand(client: Client, server: Server, round: number): Promise<void> {
  const headers = { authorization: `Bearer ${server.apiKey}`, 'content-type': 'application/json' };
  const path = `/api/apps/${server.appId}`;
  for (let index = 0; index < STEPS; index++) {
    const customer = await client.request({ method: 'GET', path: `${path}/customers/c_1`, headers });
    await customer.body.text();
    const body = JSON.stringify({
      referenceId: `hand-${round}-${index}-${process.pid}`,
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

async function tenSteps(report: (figure: Figure) => void): Promise<void> {
  const server = await startServer('sandbox', ':memory:');
  const client = new Client(server.url);
  const database = await openDeskDatabase({ location: ':memory:', operator: 'bench' });
  const ours = createClient({
    baseUrl: server.url,
    appId: server.appId,
    kind: 'sandbox',
    isSandbox: true,
    apiKey: () => server.apiKey,
  });
  const desk = {
    client: ours,
    settling: ours,
    ledger: database.ledger,
    place: { baseUrl: server.url, appId: server.appId, kind: 'sandbox', profile: undefined },
    quietMs: 2_000,
    clock: systemClock,
    steady: () => performance.now(),
    signal,
    waitMs: 60_000,
    note: () => {},
  } as const;
  const scenario = read('ten-steps', text);
  const [hand, run]: [number[], number[]] = [[], []];
  try {
    for (let round = 0; round < ROUNDS; round++) {
      const from = performance.now();
      await byHand(client, server, round);
      const between = performance.now();
      const world = createProfileWorld({ desk, database, sandbox: undefined });
      const { failure } = await runScenario(scenario, world, 1);
      if (failure) throw new Error(JSON.stringify(failure));
      hand.push(between - from);
      run.push(performance.now() - between);
    }
  } finally {
    await client.close();
    await ours.close();
    await database.close();
    await server.stop();
  }
  report({
    name: 'ten steps, against the same calls by hand',
    value: median(run) / median(hand),
    unit: 'times',
    limit: 1.5,
    better: 'less',
    detail: `${median(run).toFixed(1)} ms and ${median(hand).toFixed(1)} ms by undici, on the same sandbox`,
  });
}

export async function scenarioFigures(report: (figure: Figure) => void): Promise<void> {
  await shipped(report);
  await tenSteps(report);
}
