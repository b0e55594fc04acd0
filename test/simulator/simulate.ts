// One seed: a service, a ledger, a network and people at work, until everything is settled that can be.

import type { SettleOperation } from '../../src/contract/states.js';
import { createBatchDesk, type BatchDesk } from './batches.ts';
import { checkCharges, chooseJob, runJob, type ChargeJob, type ChargeReport } from './charges.ts';
import { checkBatches } from './check-batches.ts';
import { checkAlways, checkEnd, follow, isProvable, type Followed, type Records } from './check.ts';
import { createMachine, createSteadyClock, wallClock } from './clocks.ts';
import {
  calm,
  noFaults,
  weatherOf,
  hostilities,
  type FaultCounts,
  type Hostility,
  type Weather,
} from './faults.ts';
import { createLedgerFile } from './ledger-file.ts';
import { createNetwork, type Network } from './network.ts';
import { runMove, type MoveCommand, type Report, type Sabotage, type Simulation } from './operators.ts';
import { typeOpposites } from './opposites.ts';
import { makePayment } from './payments.ts';
import { isLegal, stateNames } from './program.ts';
import { createRandom, type Random } from './random.ts';
import { breaksRule } from './rule.ts';
import { chooseServiceKind, isKnown, limited, QUIET_MS } from './service-kind.ts';
import { createWorld, type World } from './service.ts';
import { createTimeline, liveBy, type Timeline } from './timeline.ts';

export interface SeedOptions {
  operations: number;
  sabotage?: Sabotage;
  /** The world is this hostile and no more. */
  only?: readonly Hostility[];
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
  liveBy(
    timeline,
    () => random.share(),
    () => wallClock(timeline),
  );
  const trace = (text: string) =>
    options.trace?.(`${new Date(timeline.now()).toISOString().slice(11, 23)} ${text}`);
  return timeline.run(play(seed, random, timeline, { ...options, trace }));
}

async function play(
  seed: number,
  random: Random,
  timeline: Timeline,
  { operations, sabotage = {}, only = hostilities, trace = () => undefined }: SeedOptions,
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
  const { simulation, setWeather, close } = await setUp(seed, random, timeline, {
    sabotage,
    only,
    trace,
    violate,
    count,
  });
  const { world, network } = simulation;

  const payments: number[] = [];
  for (let index = 0; index < Math.max(4, operations / 2); index += 1) {
    payments.push(await makePayment(world, random, `inv-${index}`, timeline.now()));
  }
  const reports: Report[] = [];
  const read = (): Promise<Records> => readRecords(simulation, reports);

  setWeather(weatherOf(random, START, START + HOUR));
  const { provider } = simulation.weather();
  if (provider > 0) await world.providerFaults(provider);
  const batches = createBatchDesk(simulation);
  const isBatchSeed = random.chance(0.5) && !isLosable(seed, only);
  const rows = isBatchSeed ? Math.ceil(operations / 4) : 0;
  const batch = isBatchSeed
    ? sleep(timeline, random.whole(HOUR / 2)).then(() => batches.play(rows))
    : undefined;
  const restart =
    only.includes('restarts') && random.chance(0.2) ? restartWithin(simulation, HOUR) : undefined;
  const losing = isLosable(seed, only) ? loseLedger(simulation, seed) : undefined;
  // Of its own, so that everything else happens as it would without.
  const ofItsOwn = { random: createRandom(-seed), until: START + HOUR };
  const contrary =
    only.includes('opposites') && seed % 5 === 4
      ? typeOpposites(simulation, ofItsOwn, (told) => reports.push(...told))
      : undefined;
  const { asked, charges } = await work(simulation, payments, operations - rows, reports);
  await batch;
  await restart;
  await losing;
  await contrary;

  setWeather(calm);
  const settling = await settleAll(simulation, batches, reports, read);
  const records = await read();
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
  await close();
  return {
    seed,
    operations: asked + batches.plans.reduce((sum, { file }) => sum + file.counts.act, 0),
    sent: network.instructions.length,
    faults,
    violations,
    ...settling,
  };
}

async function setUp(
  seed: number,
  random: Random,
  timeline: Timeline,
  tools: Pick<Simulation, 'sabotage' | 'only' | 'count' | 'violate' | 'trace'>,
) {
  const { only, count, trace, violate } = tools;
  const kind = limited(chooseServiceKind(random), only);
  trace(`the service: ${JSON.stringify(kind)}`);
  const world = await createWorld(timeline, seed);
  const steady = createSteadyClock(timeline);
  const file = await createLedgerFile(timeline, steady, { isLosable: isLosable(seed, only) });
  const network: Network = createNetwork({
    world,
    kind,
    timeline,
    random,
    count,
    trace,
    onSent(instruction, { instructions, looks }) {
      const wrong = breaksRule(instruction, instructions, looks, file.isLost);
      if (wrong !== undefined) violate(wrong);
    },
  });
  const jumps = only.includes('clocks') ? random.pick([0, 0, 0.7]) : 0;
  const machines = ['east', 'west', 'north'].map((name) =>
    createMachine(name, { random, timeline, jumps, until: START + HOUR, count, trace }),
  );
  let weather: Weather = calm;
  const simulation: Simulation = {
    ...tools,
    world,
    kind,
    machines,
    steady,
    file,
    network,
    timeline,
    random,
    weather: () => weather,
    lives: new Map(),
    forced: new Set(),
  };
  return {
    simulation,
    setWeather(next: Weather) {
      weather = {
        ...next,
        lies: only.includes('lies') ? next.lies : 0,
        pauses: only.includes('pauses') ? next.pauses : 0,
      };
      network.setWeather(weather);
    },
    async close() {
      await world.close();
      await file.close();
    },
  };
}

/** An instruction that was sent again ends at the third at the latest, and a row that waited for it one later. */
const MAX_LOOKS = 4;

/** Nothing goes wrong any more, and people bring everything to its end that can be brought there. */
async function settleAll(
  simulation: Simulation,
  batches: BatchDesk,
  reports: Report[],
  read: () => Promise<Records>,
): Promise<Pick<SeedResult, 'carriedOut' | 'settled' | 'decided'>> {
  const { world, timeline, violate } = simulation;
  await world.calm();
  await sleep(timeline, QUIET_MS);
  await recheckAll(world);
  await sleep(timeline, QUIET_MS);
  let records = await read();
  const open = follow(records, violate).filter(isOpen);
  const unknown = open.filter(({ last }) => last === undefined || last.outcome === 'unknown');
  const carriedOut = unknown.filter((each) => isProvable(records, each));
  await batches.resumeAll('settles', false);
  reports.push(...(await runAgain(simulation, open, 'settles')));

  records = await read();
  const left = follow(records, violate).filter(isOpen);
  checkAlways(records, follow(records, violate), violate);
  const stillOpen = new Set(left.map(({ intent }) => intent.id));
  const settled = carriedOut.filter(({ intent }) => !stillOpen.has(intent.id)).length;

  await sleep(timeline, QUIET_MS);
  await batches.resumeAll('decides', true);
  // What was sent with --force is sent again with it only.
  reports.push(...(await runAgain(simulation, left, 'decides', { resend: true, force: true })));
  await sleep(timeline, QUIET_MS);
  for (let look = 1; look <= MAX_LOOKS; look += 1) {
    const rest = follow(await read(), violate).filter(isOpen);
    const isRowLeft = (await batches.rows()).some(({ planned, finished }) => planned !== 0 && finished !== 1);
    if (look > 1 && rest.length === 0 && !isRowLeft) break;
    reports.push(...(await runAgain(simulation, rest, `looks${look}`)));
    await batches.resumeAll(`looks${look}`, false);
    await sleep(timeline, QUIET_MS);
  }
  await discoverAll(simulation, reports, read);
  return { carriedOut: carriedOut.length, settled, decided: left.length };
}

/** What a false answer made the desk call refused is found to be done by whoever asks again. */
async function discoverAll(
  simulation: Simulation,
  reports: Report[],
  read: () => Promise<Records>,
): Promise<void> {
  const records = await read();
  const hidden = follow(records, simulation.violate).filter(
    (each) => isProvable(records, each) && each.last?.outcome !== 'done',
  );
  const told = await runAgain(simulation, hidden, 'discovers');
  reports.push(...told);
  for (const { operation, paymentId, outcome, code } of told) {
    // Another operation that stays unknown is settled first.
    if (outcome === 'done' || code === 'intent-open') continue;
    simulation.violate(
      `${operation} of ${paymentId} is done, and whoever asks again is told ${outcome} (${code})`,
    );
  }
}

const isOpen = ({ last, resentAs }: Followed): boolean =>
  !resentAs && ['accepted', 'unknown'].includes(last?.outcome ?? 'unknown');

const sleep = (timeline: Timeline, ms: number): Promise<void> =>
  new Promise((resolve) => timeline.at(timeline.now() + ms, resolve));

/** Everybody at work for about an hour. */
async function work(
  simulation: Simulation,
  payments: readonly number[],
  operations: number,
  reports: Report[],
): Promise<{ asked: number; charges: ChargeReport[] }> {
  const { timeline, random } = simulation;
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
      const job = known ?? chooseJob(simulation, `job-${number}`);
      if (!known) jobs.push(job);
      asked += 1;
      track(runJob(simulation, `job${random.whole(3)}#${number}`, job).then((told) => charges.push(told)));
      continue;
    }
    const command = await choose(simulation, payments, typed.slice(-4));
    typed.push(command);
    asked += command.payments.length;
    const run = async (name: string, what: MoveCommand, onPaused?: (ms: number) => void): Promise<void> => {
      const told = await runMove(simulation, name, what, onPaused);
      reports.push(...told);
      // Whoever is told that nothing was sent types it once more, and does not always remember the flag.
      if (what.resend && told.some(({ outcome }) => outcome === 'unsent')) {
        await run(`${name}+`, { ...what, resend: false });
      }
    };
    track(
      run(`op${random.whole(3)}#${number}`, command, (ms) => {
        if (ms >= LONG_PAUSE_MS) track(takeOver(simulation, number, command, run));
      }),
    );
  }
  // Whoever takes over may be paused in turn, and so be taken over from.
  for (let awaited = 0; awaited < running.length; awaited += 1) await running[awaited];
  return { asked, charges };
}

/** Shorter ones nobody notices. */
const LONG_PAUSE_MS = 300_000;

/** A colleague is not answered: looks for himself, perhaps, and sends it again once that is allowed. */
async function takeOver(
  { timeline, random, count }: Simulation,
  number: number,
  command: MoveCommand,
  run: (name: string, command: MoveCommand) => Promise<unknown>,
): Promise<void> {
  count('takeover');
  const looksIn = random.chance(0.5) ? random.whole(120_000) : undefined;
  const sendsIn = QUIET_MS + random.whole(200_000);
  if (looksIn !== undefined) {
    await sleep(timeline, looksIn);
    await run(`looker#${number}`, { ...command, again: false, resend: false, wait: false });
  }
  await sleep(timeline, sendsIn - (looksIn ?? 0));
  await run(`colleague#${number}`, { ...command, again: false, resend: true, wait: false });
}

/** The machine restarts: every process on it is gone, and its steady clock begins again. */
async function restartWithin(simulation: Simulation, ms: number): Promise<void> {
  const { timeline, random, steady, lives, count, trace } = simulation;
  await sleep(timeline, random.whole(ms));
  count('restart');
  trace('the machine restarts');
  steady.restart();
  for (const life of lives.values()) if (life.alive()) life.kill();
}

/** In every fifth world somebody meddles with the file of the ledger. */
const isLosable = (seed: number, only: readonly Hostility[]): boolean =>
  only.includes('ledgers') && seed % 5 === 2;

function loseLedger(simulation: Simulation, seed: number): Promise<void> {
  const { file, lives, count, trace } = simulation;
  return file.lose({
    // Of its own, so that everything else happens as it would without.
    random: createRandom(-seed),
    from: START,
    to: START + HOUR,
    lives,
    count,
    trace,
  });
}

/** What somebody would type: mostly what the state allows, often what somebody typed just now, sometimes nonsense. */
async function choose(
  { world, random }: Simulation,
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
  simulation: Simulation,
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
    reports.push(...(await runMove(simulation, `${who}#${intent.id}`, command)));
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

async function readRecords(
  { world, kind, machines, file, network, forced }: Simulation,
  reports: Report[],
): Promise<Records> {
  const { stamps } = file.current();
  const { db } = stamps.store;
  const held = await db.selectFrom('holds').select('intent_id').execute();
  return {
    clocksJump: machines.some(({ jumps }) => jumps),
    readable: stateNames.every((state) => isKnown(kind, state)),
    rechecks: kind.recheck !== 'unsupported',
    aliases: kind.aliases,
    stamps,
    instructions: network.instructions,
    isLost: file.isLost,
    forced,
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
