// One seed: a service, a ledger, a network and people at work, until everything is settled that can be.

import type { SettleOperation } from '../../src/contract/states.js';
import type { DeskTables } from '../../src/ledger/schema.js';
import type { Store } from '../../src/store/store.js';
import { createBatchDesk } from './batches.ts';
import { checkCharges, chooseJob, runJob, type ChargeJob, type ChargeReport } from './charges.ts';
import { checkBatches } from './check-batches.ts';
import { checkAlways, checkEnd, follow, type Followed, type Records } from './check.ts';
import { calm, noFaults, weatherOf, type FaultCounts, type Weather } from './faults.ts';
import { createNetwork, LONGEST_DELAY_MS } from './network.ts';
import {
  QUIET_MS,
  runMove,
  type MoveCommand,
  type Report,
  type Sabotage,
  type Surroundings,
} from './operators.ts';
import { makePayment } from './payments.ts';
import { isLegal, openDeskDatabase, stateNames } from './program.ts';
import { createRandom, type Random } from './random.ts';
import { createWorld, type World } from './service.ts';
import { createTimeline, liveBy, type Timeline } from './timeline.ts';

export interface SeedOptions {
  operations: number;
  sabotage?: Sabotage;
  trace?: (text: string) => void;
}

export interface SeedResult {
  seed: number;
  operations: number;
  /** Instructions that may have left. */
  sent: number;
  faults: FaultCounts;
  violations: string[];
  /** Open intents that had been carried out when the weather cleared, and how many of them settled as such. */
  carriedOut: number;
  settled: number;
  /** Instructions that never arrived, or bounced unseen: open until a person decided. */
  decided: number;
}

const START = Date.UTC(2026, 10, 14, 9);
const HOUR = 3_600_000;
const settleOperations: readonly SettleOperation[] = ['refund', 'capture', 'cancel', 'unhold'];

export async function simulate(seed: number, options: SeedOptions): Promise<SeedResult> {
  const random = createRandom(seed);
  const timeline = createTimeline(START);
  liveBy(timeline, () => random.share());
  const trace = (text: string) =>
    options.trace?.(`${new Date(timeline.now()).toISOString().slice(11, 23)} ${text}`);
  return timeline.run(play(seed, random, timeline, { ...options, trace }));
}

async function play(
  seed: number,
  random: Random,
  timeline: Timeline,
  { operations, sabotage = {}, trace = () => undefined }: SeedOptions,
): Promise<SeedResult> {
  const faults = noFaults();
  const violations: string[] = [];
  const violate = (text: string) => {
    trace(`VIOLATION ${text}`);
    if (!violations.includes(text)) violations.push(text);
  };
  const count = (kind: keyof FaultCounts) => {
    faults[kind] += 1;
  };
  const world = await createWorld(timeline, seed);
  const desk = await openDeskDatabase({
    location: ':memory:',
    operator: 'simulator',
    now: () => timeline.now(),
  });
  const network = createNetwork({ world, timeline, random, count, trace });
  let weather: Weather = calm;
  const setWeather = (next: Weather) => {
    weather = next;
    network.setWeather(next);
  };
  const around: Surroundings = {
    world,
    store: desk.store,
    network,
    timeline,
    random,
    weather: () => weather,
    lives: new Map(),
    sabotage,
    count,
    violate,
    trace,
  };

  const payments: number[] = [];
  for (let index = 0; index < Math.max(4, operations / 2); index += 1) {
    payments.push(await makePayment(world, random, `inv-${index}`, timeline.now()));
  }
  const reports: Report[] = [];
  const read = (): Promise<Records> => readRecords(around, reports);

  setWeather(weatherOf(random, START, START + HOUR));
  if (weather.provider > 0) await world.providerFaults(weather.provider);
  const batches = createBatchDesk(around);
  const isBatchSeed = random.chance(0.5);
  const rows = isBatchSeed ? Math.ceil(operations / 4) : 0;
  const batch = isBatchSeed
    ? sleep(timeline, random.whole(HOUR / 2)).then(() => batches.play(rows))
    : undefined;
  const { asked, charges } = await work(around, payments, operations - rows, reports);
  await batch;

  setWeather(calm);
  await world.calm();
  await sleep(timeline, LONGEST_DELAY_MS);
  await recheckAll(world);
  await sleep(timeline, 120_000);
  let records = await read();
  const open = follow(records, violate).filter(isOpen);
  const unknown = open.filter(({ last }) => last === undefined || last.outcome === 'unknown');
  const carriedOut = unknown.filter(({ operation }) => operation && operation.status !== 'failed');
  await batches.resumeAll('settles', false);
  reports.push(...(await runAgain(around, open, 'settles')));

  records = await read();
  const left = follow(records, violate).filter(isOpen);
  checkAlways(records, follow(records, violate), violate);
  const stillOpen = new Set(left.map(({ intent }) => intent.id));
  const settled = carriedOut.filter(({ intent }) => !stillOpen.has(intent.id)).length;

  await sleep(timeline, QUIET_MS);
  await batches.resumeAll('decides', true);
  reports.push(...(await runAgain(around, left, 'decides', { resend: true })));
  await sleep(timeline, 120_000);
  for (let look = 1; look <= 3; look += 1) {
    const rest = follow(await read(), violate).filter(isOpen);
    if (look > 1 && rest.length === 0) break;
    reports.push(...(await runAgain(around, rest, `looks${look}`)));
    await batches.resumeAll(`looks${look}`, false);
    await sleep(timeline, 120_000);
  }
  records = await read();
  const followed = follow(records, violate);
  checkAlways(records, followed, violate);
  checkEnd(records, followed, violate);
  await checkCharges(world, charges, violate);
  checkBatches(
    { rows: await batches.rows(), batches: await batches.batches(), plans: batches.plans },
    records,
    violate,
  );
  Object.assign(faults, await world.providerTrouble());
  for (const error of world.errors) violate(`the service failed: ${String(error)}`);
  await world.close();
  await desk.close();
  return {
    seed,
    operations: asked + batches.plans.reduce((sum, { file }) => sum + file.counts.act, 0),
    sent: network.instructions.length,
    faults,
    violations,
    carriedOut: carriedOut.length,
    settled,
    decided: left.length,
  };
}

const isOpen = ({ outcomes, resentAs }: Followed): boolean =>
  !resentAs && outcomes.every(({ outcome }) => outcome === 'accepted' || outcome === 'unknown');

const sleep = (timeline: Timeline, ms: number): Promise<void> =>
  new Promise((resolve) => timeline.at(timeline.now() + ms, resolve));

/** Everybody at work for about an hour. */
async function work(
  around: Surroundings,
  payments: readonly number[],
  operations: number,
  reports: Report[],
): Promise<{ asked: number; charges: ChargeReport[] }> {
  const { timeline, random } = around;
  const running: Array<Promise<unknown>> = [];
  const track = (run: Promise<unknown>) => running.push(run);
  const typed: MoveCommand[] = [];
  const jobs: ChargeJob[] = [];
  const charges: ChargeReport[] = [];
  let asked = 0;
  for (let number = 1; asked < operations; number += 1) {
    // People come in bursts: when something is stuck, more than one of them tries.
    await sleep(timeline, random.chance(0.4) ? random.whole(3_000) : random.whole((3 * HOUR) / operations));
    if (random.chance(0.1)) {
      const known = random.chance(0.5) ? jobs.at(-1) : undefined;
      const job = known ?? chooseJob(around, `job-${number}`);
      if (!known) jobs.push(job);
      asked += 1;
      track(runJob(around, `job${random.whole(3)}#${number}`, job).then((told) => charges.push(told)));
      continue;
    }
    const command = await choose(around, payments, typed.slice(-4));
    typed.push(command);
    asked += command.payments.length;
    track(runMove(around, `op${random.whole(3)}#${number}`, command).then((told) => reports.push(...told)));
  }
  await Promise.all(running);
  return { asked, charges };
}

/** What somebody would type: mostly what the state allows, often what somebody typed just now, sometimes nonsense. */
async function choose(
  { world, random }: Surroundings,
  payments: readonly number[],
  recent: readonly MoveCommand[],
): Promise<MoveCommand> {
  const flags = {
    again: random.chance(0.2),
    resend: random.chance(0.15),
    wait: random.chance(0.2),
    force: random.chance(0.03),
  };
  if (recent.length > 0 && random.chance(0.35)) return { ...random.pick(recent), ...flags };
  const operation = random.pick(settleOperations);
  const likely = await world.inStates(stateNames.filter((state) => isLegal(operation, state)));
  const from = likely.length > 0 && random.chance(0.9) ? likely : payments;
  const chosen = new Set<number>();
  const several = random.chance(0.1) ? 3 : 1;
  while (chosen.size < Math.min(several, from.length)) chosen.add(random.pick(from));
  return { operation, payments: [...chosen], ...flags };
}

/** The same commands once more, one after the other. */
async function runAgain(
  around: Surroundings,
  followed: readonly Followed[],
  who: string,
  flags: Partial<MoveCommand> = {},
): Promise<Report[]> {
  const reports: Report[] = [];
  for (const { intent } of followed) {
    const command = {
      operation: intent.operation as SettleOperation,
      payments: [Number(intent.payment_id)],
      again: false,
      resend: false,
      wait: false,
      force: false,
      ...flags,
    };
    reports.push(...(await runMove(around, `${who}#${intent.id}`, command)));
  }
  return reports;
}

/** Somebody asks the provider about everything that seems stuck. */
async function recheckAll(world: World): Promise<void> {
  for (const { payment_id, provider_knows } of await world.payments()) {
    if (provider_knows === null) continue;
    await world.handle({
      method: 'POST',
      path: `/api/apps/${world.appId}/payments/${payment_id}/recheck`,
      headers: { authorization: `Bearer ${world.apiKey}` },
    });
  }
}

async function readRecords({ world, store, network }: Surroundings, reports: Report[]): Promise<Records> {
  const { db }: Store<DeskTables> = store;
  const held = await db.selectFrom('holds').select('intent_id').execute();
  return {
    instructions: network.instructions,
    intents: await db
      .selectFrom('intents')
      .selectAll()
      .where('operation', 'in', settleOperations)
      .orderBy('id')
      .execute(),
    outcomes: await db.selectFrom('outcomes').selectAll().orderBy('id').execute(),
    held: held.map(({ intent_id }) => intent_id),
    operations: await world.operations(),
    exchanges: await world.exchanges(),
    payments: await world.payments(),
    reports,
  };
}
