// The file that the ledger is in. In some worlds it is restored from an older copy, replaced by one, or removed, while
// desks are at work; what is lost with it nobody has on record.

import type { DeskTables, IntentRow } from '../../src/ledger/schema.js';
import type { Whereabouts } from '../../src/ledger/place/ledger-place.js';
import type { IntentMark, PlaceNote, PlaceNotes } from '../../src/ledger/place/place-note.js';
import type { Store } from '../../src/store/store.js';
import type { SteadyClock } from './clocks.ts';
import type { FaultKind } from './faults.ts';
import type { Life } from './life.ts';
import type { Instruction } from './network.ts';
import { createLedgerPlace, openDeskDatabase } from './program.ts';
import type { Random } from './random.ts';
import { stamped, type Stamps } from './stamps.ts';
import type { Timeline } from './timeline.ts';

/** The ledger as a process finds it when it starts. */
export interface OpenFile {
  stamps: Stamps;
  /** Undefined in a world where nobody touches the file. */
  whereabouts: Whereabouts | undefined;
}

export interface LedgerFile {
  current(): OpenFile;
  /** The intent of this instruction was lost with the file. */
  isLost(instruction: Instruction): boolean;
  /** Restores, replaces or removes it, and lets a person adopt what is there then. */
  lose(options: LoseOptions): Promise<void>;
  close(): Promise<void>;
}

interface LoseOptions {
  random: Random;
  from: number;
  to: number;
  /** Everybody who was ever at work, by name. */
  lives: ReadonlyMap<string, Life>;
  count(kind: FaultKind): void;
  trace(text: string): void;
}

type KeptIntent = Pick<IntentRow, 'operator' | 'operation' | 'payment_id'>;

const MINUTE = 60_000;
/** A process that outlives the file sends what it has written to it, if it was about to. */
const FENCE_MS = 15_000;
/** What the promise rests on; what is known of payments is read again. */
const TABLES = ['intents', 'outcomes', 'holds', 'generations', 'identity', 'ledger_place'] as const;

export async function createLedgerFile(
  timeline: Timeline,
  steady: SteadyClock,
  { isLosable }: { isLosable: boolean },
): Promise<LedgerFile> {
  const opened: Array<{ close(): Promise<void> }> = [];
  const notes = createNotes();
  let inode = 1;
  let lostUntil = -Infinity;
  let earlier: ReadonlySet<string> = new Set();
  let kept: KeptIntent[] = [];

  async function openEmpty(): Promise<Stamps> {
    const desk = await openDeskDatabase({
      location: ':memory:',
      operator: 'simulator',
      now: () => timeline.now(),
    });
    opened.push(desk);
    return stamped(desk.store, timeline);
  }

  /** All processes share the notes, and each asks for the file that lies there now. */
  const whereabouts: Whereabouts = {
    ledger: '/desk.db',
    notes,
    here: () => ({ machine: 'one', boot: steady.now().boot, device: '1', inode: String(inode) }),
  };
  let current: OpenFile = {
    stamps: await openEmpty(),
    whereabouts: isLosable ? whereabouts : undefined,
  };

  return {
    current: () => current,
    isLost: (instruction) =>
      earlier.has(instruction.process) &&
      instruction.sent <= lostUntil &&
      !kept.some((row) => isOf(row, instruction)),
    async lose({ random, from, to, lives, count, trace }) {
      const sleep = (ms: number) => new Promise<void>((resolve) => timeline.at(timeline.now() + ms, resolve));
      const what = random.pick(['restored', 'replaced', 'removed'] as const);
      await sleep(random.between(0, (to - from) / 2));
      const stamps = await openEmpty();
      const later = what === 'removed' ? stamps : await copyInto(current.stamps, stamps);
      trace('the ledger is copied');
      await sleep(random.pick([1_000, 30_000, MINUTE, random.between(MINUTE, (to - from) / 2)]));
      count(`ledger-${what}`);
      trace(`the ledger is ${what}`);
      // A file that is overwritten keeps its inode, and whoever has it open would read what it has now.
      const isOverwritten = what === 'restored';
      if (isOverwritten || random.chance(0.5)) {
        for (const life of lives.values()) if (life.alive()) life.kill();
      }
      if (!isOverwritten) inode += 1;
      current = { ...current, stamps: later };
      lostUntil = timeline.now() + FENCE_MS;
      earlier = new Set(lives.keys());
      kept = await later.store.db
        .selectFrom('intents')
        .select(['operator', 'operation', 'payment_id'])
        .execute();
      await sleep(random.pick([0, 5_000, 3 * MINUTE, 12 * MINUTE]));
      const place = createLedgerPlace(later.store, whereabouts, { steady: () => steady.now() });
      if ((await place.problem()) === undefined) return;
      await place.adopt({ withoutLocks: false });
      trace('the ledger is adopted');
    },
    async close() {
      for (const each of opened) await each.close();
    },
  };
}

const isOf = (row: KeptIntent, { process, operation, paymentId }: Instruction): boolean =>
  row.operator === process && row.operation === operation && row.payment_id === String(paymentId);

async function copyInto(from: Stamps, to: Stamps): Promise<Stamps> {
  await to.store.db.deleteFrom('identity').execute();
  for (const table of TABLES) await copyTable(from.store, to.store, table);
  return from.copiedTo(to.store);
}

async function copyTable(
  from: Store<DeskTables>,
  to: Store<DeskTables>,
  table: (typeof TABLES)[number],
): Promise<void> {
  const rows = await from.db.selectFrom(table).selectAll().execute();
  for (const row of rows) await to.db.insertInto(table).values(row).execute();
}

function createNotes(): PlaceNotes {
  let note: PlaceNote | undefined;
  let newest: IntentMark | undefined;
  return {
    read: () => note,
    findId: (id) => (note?.id === id ? note : undefined),
    write: (next) => void (note = next),
    newest: () => newest,
    mark: (_ledger, intent) => void (newest = intent),
    close: () => undefined,
  };
}
