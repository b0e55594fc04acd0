// A ledger knows its place: which file on which machine it is. A copy, a restored file or a new one in place of
// another does not know what was sent since, so nothing live is sent with it until a person adopts it.

import { statement } from '../../store/statement.js';
import type { StatementStore } from '../../store/types.js';
import { createClocks, type ClockOptions } from '../clocks.js';
import { giveNewId, readId } from './adopt.js';
import type { FilePlace, IntentMark, PlaceNote, PlaceNotes } from './place-note.js';
import type { PlaceTables } from './schema.js';

export type PlaceProblem =
  /** The one that was here is gone, and this is a new one. */
  | 'ledger-missing'
  /** It was on another machine before, or it is not the one that was here. */
  | 'ledger-moved'
  /** The same ledger is, or was, in another file as well. */
  | 'ledger-copied'
  /** It does not have what this desk wrote to it last. */
  | 'ledger-restored';

export interface LedgerPlace {
  /** The path of the file, or the address of the database without user and password. */
  readonly ledger: string;
  readonly embedded: boolean;
  /** What is wrong with where it is; looked at once. A ledger that was never used belongs where it is. */
  problem(): Promise<PlaceProblem | undefined>;
  /** The same, looked at now; nothing is noted. */
  examine(): Promise<PlaceProblem | undefined>;
  /** Whether its file is still the one that was opened: a process that runs for long may outlive it. */
  isInPlace(): boolean;
  /** Whether it was adopted although file locks have no effect. */
  adoptedWithoutLocks(): boolean;
  /** Notes an intent as the newest, unless a newer one is noted, or something is wrong with where the ledger is. */
  mark(intent: IntentMark): Promise<void>;
  /** Makes this its place, under a new id. */
  adopt(options: { withoutLocks: boolean }): Promise<{ id: string; formerId: string }>;
  close(): void;
}

/** What a machine knows of the ledger beside the ledger itself. */
export interface Whereabouts {
  /** The path of the file, or the address of the database without user and password. */
  ledger: string;
  notes: PlaceNotes;
  /** Which file it is now; null where it is no file, or none any more. */
  here(): FilePlace | null;
}

export function createLedgerPlace(
  store: StatementStore,
  whereabouts: Whereabouts,
  clockOptions: ClockOptions = {},
): LedgerPlace {
  const { ledger, notes, here } = whereabouts;
  const { engine } = store;
  const embedded = engine === 'sqlite';
  const clocks = createClocks(store, clockOptions);
  const opened = here();
  let looked: Promise<PlaceProblem | undefined> | undefined;

  function isInPlace(): boolean {
    const now = here();
    return opened === null || (now !== null && isSameFile(opened, now));
  }

  async function look(): Promise<PlaceProblem | undefined> {
    const facts = await gatherFacts(store, whereabouts);
    const problem = judgePlace(facts);
    if (problem !== undefined) return problem;
    const { id, here: place, noted, recorded } = facts;
    const agrees = (known: FilePlace | null | undefined) =>
      known?.boot === place?.boot && known?.device === place?.device;
    if (!facts.isUsed || !agrees(recorded)) await record(place, facts.formerIds);
    // Recording takes a while: the note of a ledger that was put in its place meanwhile stays.
    if (!isInPlace()) return undefined;
    if (noted?.ledger !== ledger || noted.id !== id || !agrees(noted.place))
      notes.write({ ...noted, ledger, id, place });
    return undefined;
  }

  async function record(place: FilePlace | null, formerIds: readonly string[]): Promise<void> {
    const { machine = null, boot = null, device = null, inode = null } = place ?? {};
    const row = { former_ids: formerIds.join(' ').trim(), machine, boot, device, inode };
    await store.transaction(async (tx) => {
      await deletePlace(tx, engine, {});
      await insertPlace(tx, engine, row);
    });
  }

  const problem = () => (looked ??= look());
  return {
    ledger,
    embedded,
    problem,
    examine: async () => judgePlace(await gatherFacts(store, whereabouts)),
    isInPlace,
    adoptedWithoutLocks: () => notes.read(ledger)?.withoutLocks === true,
    async mark(intent) {
      if ((await problem()) !== undefined) return;
      const noted = notes.newest(ledger);
      // A process that was held up since it wrote its intent does not hide a newer one.
      if (noted === undefined || noted.id < intent.id) notes.mark(ledger, intent);
    },
    async adopt({ withoutLocks }) {
      const [recorded] = await recordedPlace(store.db, engine, {});
      const { id, formerId, newest } = await giveNewId(store, clocks, {
        complete: withoutLocks,
      });
      const place = here();
      await record(place, [...(recorded?.former_ids.split(' ') ?? []), formerId]);
      notes.mark(ledger, newest);
      notes.write({ ledger, id, place, ...(withoutLocks ? { withoutLocks } : {}) });
      looked = undefined;
      return { id, formerId };
    },
    close: () => notes.close(),
  };
}

type PlaceRow = PlaceTables['ledger_place'];

const recordedPlace = statement<PlaceRow, never>('select * from ledger_place');
const deletePlace = statement<unknown, never>('delete from ledger_place');
const insertPlace = statement<unknown, keyof PlaceRow>(
  `insert into ledger_place (former_ids, machine, boot, device, inode)
   values (:former_ids, :machine, :boot, :device, :inode)`,
);
const intentTime = statement<{ time: number }, 'id'>('select time from intents where id = :id');

async function hasIntent({ db, engine }: StatementStore, { id, time }: IntentMark): Promise<boolean> {
  const [found] = await intentTime(db, engine, { id });
  return found?.time === time;
}

interface PlaceFacts {
  id: string;
  formerIds: readonly string[];
  /** Some desk has used it before. */
  isUsed: boolean;
  /** Where the ledger itself says that it is. */
  recorded: FilePlace | null;
  here: FilePlace | null;
  noted: PlaceNote | undefined;
  /** It has the newest intent that this desk wrote. */
  hasNewest: boolean;
}

async function gatherFacts(store: StatementStore, { ledger, notes, here }: Whereabouts): Promise<PlaceFacts> {
  const { db, engine } = store;
  const id = await readId(db, engine);
  const [recorded] = await recordedPlace(db, engine, {});
  const noted = notes.read(ledger) ?? notes.findId(id);
  const newest = noted && notes.newest(noted.ledger);
  return {
    id,
    formerIds: recorded?.former_ids.split(' ') ?? [],
    isUsed: recorded !== undefined,
    recorded: recorded ? filePlaceOf(recorded) : null,
    here: here(),
    noted,
    hasNewest: newest === undefined || (await hasIntent(store, newest)),
  };
}

function judgePlace(facts: PlaceFacts): PlaceProblem | undefined {
  const { id, here, noted, hasNewest } = facts;
  const isNoted = noted === undefined || noted.id === id || facts.formerIds.includes(noted.id);
  if (!isNoted) return facts.isUsed ? 'ledger-moved' : 'ledger-missing';
  const places =
    here === null ? [] : [facts.recorded, noted?.place ?? null].filter((place) => place !== null);
  if (places.some((place) => place.machine !== here?.machine)) return 'ledger-moved';
  if (!hasNewest) return 'ledger-restored';
  return places.some((place) => here !== null && !isSameFile(place, here)) ? 'ledger-copied' : undefined;
}

/** A machine may renumber its devices at the next start; inodes keep their numbers. */
function isSameFile(one: FilePlace, other: FilePlace): boolean {
  const sameStart = one.boot === other.boot;
  return one.inode === other.inode && (!sameStart || one.device === other.device);
}

function filePlaceOf(row: PlaceRow): FilePlace | null {
  const { machine, boot, device, inode } = row;
  return machine === null || device === null || inode === null ? null : { machine, boot, device, inode };
}
