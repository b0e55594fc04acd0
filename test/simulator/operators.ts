// The people and jobs at the desk: each command is a process of its own on the ledger that they all share.

import type { Batches } from '../../src/batch/rows/batches.js';
import type { Client } from '../../src/client/client.js';
import type { SettleOperation } from '../../src/contract/states.js';
import type { DeskTables } from '../../src/ledger/schema.js';
import type { Outcome } from '../../src/ledger/moves/operations.js';
import type { ClockOptions } from '../../src/ledger/clocks.js';
import type { Ledger } from '../../src/ledger/moves/ledger.js';
import type { Whereabouts } from '../../src/ledger/place/ledger-place.js';
import type { Desk, DeskApp } from '../../src/payments/desk.js';
import type { Store } from '../../src/store/store.js';
import { runOn, type Machine, type SteadyClock } from './clocks.ts';
import { storeOf } from './disk.ts';
import type { FaultKind, Hostility, Weather } from './faults.ts';
import type { LedgerFile } from './ledger-file.ts';
import { createLife, type Life } from './life.ts';
import type { Network } from './network.ts';
import {
  createClient,
  createLedger,
  GuardError,
  InterruptedError,
  moveAll,
  PaydeskError,
  parsePayment,
  placeDatabase,
  StoreError,
} from './program.ts';
import type { Random } from './random.ts';
import { QUIET_MS, type ServiceKind } from './service-kind.ts';
import { BASE_URL, SPELLINGS, type World } from './service.ts';
import type { Timeline } from './timeline.ts';

/** Replaces a part of the program that keeps a promise; the simulator must then find the promise broken. */
export interface Sabotage {
  quietMs?: number;
  /** What the ledger takes for its steady clock. */
  steady?: (wall: () => number) => () => { boot: string; ms: number };
  /** What the desk measures limits and durations on. */
  monotonic?: (wall: () => number) => () => number;
  app?: (app: DeskApp) => DeskApp;
  client?: (client: Client) => Client;
  ledger?: (ledger: Ledger, store: Store<DeskTables>) => Ledger;
  store?: (store: Store<DeskTables>) => Store<DeskTables>;
  /** Asked for once by each process. */
  whereabouts?: (whereabouts: Whereabouts) => Whereabouts;
  batches?: (batches: Batches) => Batches;
}

export interface Simulation {
  world: World;
  kind: ServiceKind;
  machines: readonly Machine[];
  steady: SteadyClock;
  file: LedgerFile;
  network: Network;
  timeline: Timeline;
  random: Random;
  weather: () => Weather;
  sabotage: Sabotage;
  only: readonly Hostility[];
  /** Everybody who was ever at work, by name. */
  lives: Map<string, Life>;
  /** Those who typed --force. */
  forced: Set<string>;
  count(kind: FaultKind): void;
  violate(text: string): void;
  trace(text: string): void;
}

export interface Process {
  life: Life;
  desk: Desk;
  store: Store<DeskTables>;
  /** Ctrl-C. */
  stop: AbortSignal;
  /** The intents that it has recorded as failed. */
  failed: ReadonlySet<number>;
}

/** What a person was told about one payment. */
export interface Report {
  process: string;
  operation: SettleOperation;
  paymentId: number;
  /** `error` when the command ended before it could say anything about the payment alone. */
  outcome: Outcome | 'error';
  code?: string | undefined;
  time: number;
  /** The intents that its process had recorded as failed by then. */
  failed: readonly number[];
}

const pauses = [2_000, 20_000, 300_000, 590_000, 900_000, 900_000, 1_200_000, 3_600_000];
/** Three payments, each with its waits, retries and time limits. */
const LONGEST_COMMAND_MS = 15 * 60_000;
/** Longer than any pause and a command together: a person ends what runs on, which would take days to play. */
const GIVE_UP_MS = 2 * 3_600_000;
/** About where a move has written its intent and has not sent it yet. */
const BEFORE_SENDING = [10, 20] as const;

/** A process on one of the machines: it may be killed, and it may be paused. */
function startLife(
  simulation: Simulation,
  name: string,
  options: { machine: Machine; steps: number; onPaused: (ms: number) => void },
): Life {
  const { machine, steps, onPaused } = options;
  const { timeline, random, count, trace } = simulation;
  const { kills, pauses: share } = simulation.weather();
  const isKilled = steps > 0 && random.chance(kills);
  const isPaused = steps > 0 && random.chance(share);
  const life = createLife(name, timeline, {
    killAt: isKilled ? random.between(1, steps) : undefined,
    pause: isPaused
      ? {
          at: random.chance(0.5) ? random.between(...BEFORE_SENDING) : random.between(1, steps / 2),
          ms: random.pick(pauses),
        }
      : undefined,
    onKilled: () => {
      count('killed');
      trace(`${name} killed`);
    },
    onPaused: (ms) => {
      count('paused');
      trace(`${name} paused for ${ms / 1000} s`);
      onPaused(ms);
    },
  });
  simulation.lives.set(name, life);
  return { ...life, live: (work) => life.live(() => runOn(machine, work)) };
}

/** A ledger that is out of its place is refused, as on a live app. */
function placed(
  store: Store<DeskTables>,
  plain: Ledger,
  whereabouts: Whereabouts,
  clocks: ClockOptions,
): Ledger {
  const { ledger, place } = placeDatabase(
    { store, ledger: plain, close: () => Promise.resolve() },
    whereabouts,
    clocks,
  );
  return {
    ...ledger,
    async ready() {
      const problem = await place.problem();
      if (problem !== undefined) throw new GuardError('The ledger is out of its place.', { code: problem });
    },
  };
}

/** `steps`: about as many as it takes at most; a process that is to be killed dies at one of them, 0 for one that is not. */
export function startProcess(
  simulation: Simulation,
  name: string,
  steps = 60,
  onPaused: (ms: number) => void = () => undefined,
): Process {
  const { world, kind, network, timeline, random, sabotage, count, trace } = simulation;
  // What a shared database runs for somebody does not know whose machine asked.
  const machine = random.pick(simulation.machines);
  const life = startLife(simulation, name, { machine, steps, onPaused });
  const stop = new AbortController();
  if (random.chance(simulation.weather().kills / 2)) {
    timeline.at(timeline.now() + random.between(100, 60_000), () => {
      if (!life.alive()) return;
      count('interrupted');
      trace(`${name} interrupted`);
      stop.abort(new InterruptedError('Stopped.', { code: 'interrupted' }));
    });
  }
  const open = simulation.file.current();
  const whole = open.stamps.store;
  const store = storeOf(sabotage.store?.(whole) ?? whole, life, {
    random,
    count,
    share: () => simulation.weather().disk,
    now: () => timeline.now(),
    clocksJump: simulation.machines.some(({ jumps }) => jumps),
    violate: simulation.violate,
  });
  const monotonic = sabotage.monotonic?.(machine.wall) ?? (() => timeline.now());
  const clock = { now: machine.wall, monotonic, sleep: life.sleep };
  const transport = network.transportOf(life);
  const { steady } = simulation;
  // One ledger, one steady clock: that of its machine, or of its database.
  const clocks = {
    now: machine.wall,
    steady: sabotage.steady?.(machine.wall) ?? (() => steady.now()),
  };
  const plain = createLedger(store, { operator: name, ...clocks });
  const whereabouts = open.whereabouts && (sabotage.whereabouts?.(open.whereabouts) ?? open.whereabouts);
  const ledger = whereabouts ? placed(store, plain, whereabouts, clocks) : plain;
  const baseUrl = random.pick(simulation.only.includes('spellings') ? SPELLINGS : [BASE_URL]);
  if (baseUrl !== BASE_URL) count('other-spelling');
  const common = {
    baseUrl,
    appId: world.appId,
    kind: 'sandbox',
    aliases: kind.aliases,
    apiKey: () => world.apiKey,
    clock,
    random: () => random.share(),
    transport,
  } as const;
  const app: DeskApp = { baseUrl, appId: world.appId, kind: 'sandbox', profile: undefined };
  const wrap = sabotage.client ?? ((client: Client) => client);
  const failed = new Set<number>();
  return {
    life,
    store,
    stop: stop.signal,
    failed,
    desk: {
      client: wrap(createClient({ ...common, signal: stop.signal })),
      settling: wrap(createClient({ ...common, timeouts: { attemptMs: 5_000, overallMs: 5_000 } })),
      ledger: notingFailed(sabotage.ledger?.(ledger, whole) ?? ledger, failed),
      app: sabotage.app?.(app) ?? app,
      quietMs: sabotage.quietMs ?? QUIET_MS,
      clock,
      steady: () => steady.now().ms,
      signal: stop.signal,
      waitMs: 30_000,
      note: () => undefined,
    },
  };
}

const notingFailed = (ledger: Ledger, failed: Set<number>): Ledger => ({
  ...ledger,
  async record(intentId, outcome) {
    const isWritten = await ledger.record(intentId, outcome);
    if (isWritten && outcome.outcome === 'failed') failed.add(intentId);
    return isWritten;
  },
});

export interface MoveCommand {
  operation: SettleOperation;
  payments: readonly number[];
  again: boolean;
  resend: boolean;
  wait: boolean;
  force: boolean;
}

/** Runs one command to its end or to its death; what it told is returned, and nothing for one that was killed. */
export async function runMove(
  simulation: Simulation,
  name: string,
  command: MoveCommand,
  onPaused?: (ms: number) => void,
): Promise<Report[]> {
  const { timeline, random, violate, trace } = simulation;
  const { operation, payments } = command;
  if (command.force) simulation.forced.add(name);
  const { life, desk, failed } = startProcess(simulation, name, undefined, onPaused);
  const began = timeline.now();
  const think = random.pick([0, 500, 20_000]);
  const reports: Report[] = [];
  const tell = (paymentId: number, outcome: Report['outcome'], code?: string) => {
    trace(`${name} ${operation} ${paymentId}: ${outcome}${code ? ` (${code})` : ''}`);
    reports.push({
      process: name,
      operation,
      paymentId,
      outcome,
      code,
      time: timeline.now(),
      failed: [...failed],
    });
  };
  const flags = ['again', 'resend', 'wait', 'force'].filter((flag) => command[flag as 'again']);
  trace(`${name} starts ${operation} ${payments.join(' ')} ${flags.join(' ')}`);
  const giveUp = timeline.at(began + GIVE_UP_MS, life.kill);
  const ended = await life.live(() =>
    moveAll(
      desk,
      { ...command, names: payments.map((id) => parsePayment(String(id))), dryRun: false },
      {
        confirm: () => life.sleep(think),
        onResult: ({ typed, outcome, error }) => tell(Number(typed), outcome, error?.code),
      },
    ),
  );
  timeline.cancel(giveUp);
  const tookMs = timeline.now() - began - life.pausedMs();
  if (tookMs > LONGEST_COMMAND_MS) violate(`${name} took ${tookMs / 60_000} minutes`);
  if ('error' in ended) {
    const { error } = ended;
    if (!(error instanceof PaydeskError) && !(error instanceof StoreError)) throw error;
    const told = new Set(reports.map(({ paymentId }) => paymentId));
    for (const id of payments) if (!told.has(id)) tell(id, 'error', error.code);
  }
  return reports;
}
