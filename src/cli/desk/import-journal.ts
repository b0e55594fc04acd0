import { existsSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { isForgottenSince } from '../../ledger/known/forgotten.js';
import { recordedGeneration } from '../../ledger/known/generations.js';
import { findKnown, remember } from '../../ledger/known/remember.js';
import type { SeenPayment } from '../../ledger/known/seen-payment.js';
import type { Environment } from '../../child-environment.js';
import { StoreError } from '../../store/errors.js';
import { statement } from '../../store/statement.js';
import type { Engine, SqlRunner, StatementStore } from '../../store/types.js';
import { journalFile, knowsNumericReferences, markNumericReferences } from './seen-journal.js';

/** Makes the payments known that were read without the database. */
export async function importJournal(store: StatementStore, env: Environment): Promise<void> {
  const lines = takeJournal(journalFile(env));
  if (lines.length === 0) return;
  try {
    await store.transaction(async (tx) => {
      for (const { time, seen } of lines) {
        if (await isOutdated(tx, store.engine, seen, time)) continue;
        await remember(tx, store.engine, { seen, source: 'read', now: time });
      }
    });
  } catch (error) {
    // The next read records it.
    if (!(error instanceof StoreError)) throw error;
  }
}

/**
 * A process that has the database open for long may have seen the payment since, or a later life of the sandbox, and
 * somebody who shares it may have forgotten the customer.
 */
async function isOutdated(tx: SqlRunner, engine: Engine, seen: SeenPayment, time: number): Promise<boolean> {
  const known = await findKnown(tx, engine, seen);
  if (known && known.seen_time > time) return true;
  if (await isForgottenSince(tx, engine, seen, time)) return true;
  if ((await recordedGeneration(tx, engine, seen)) !== 'other') return false;
  const [later] = await seenLater(tx, engine, { app_id: seen.appId, time });
  return later !== undefined;
}

const seenLater = statement<unknown, 'app_id' | 'time'>(
  'select payment_id from known_payments where app_id = :app_id and seen_time > :time limit 1',
);

interface JournalLine {
  time: number;
  seen: SeenPayment;
}

function takeJournal(file: string): JournalLine[] {
  if (!existsSync(file)) return [];
  const taken = `${file}.${process.pid}.${Math.random().toString(36).slice(2)}`;
  try {
    // What is appended from now on goes to a new file.
    renameSync(file, taken);
  } catch {
    return [];
  }
  try {
    return readFileSync(taken, 'utf8')
      .split('\n')
      .flatMap((line) => parseLine(line) ?? []);
  } catch {
    return [];
  } finally {
    rmSync(taken, { force: true });
  }
}

/** A process that was killed may leave half a line. */
function parseLine(line: string): JournalLine | undefined {
  try {
    return line === '' ? undefined : (JSON.parse(line) as JournalLine);
  } catch {
    return undefined;
  }
}

/** Lets a read that does not open the database know that digits may be a reference. */
export async function markKnownReferences(store: StatementStore, env: Environment): Promise<void> {
  if (knowsNumericReferences(env)) return;
  try {
    const [known] = await numericReference(store.db, store.engine, {});
    if (known !== undefined) markNumericReferences(env);
  } catch (error) {
    // The next process that opens the database looks again.
    if (!(error instanceof StoreError)) throw error;
  }
}

// On SQLite. The planner would rather go through all references.
const numericReference = statement<unknown, never>(
  "select app_id from known_payments indexed by known_by_number where reference_id not glob '*[^0-9]*' limit 1",
);
