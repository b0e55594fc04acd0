import { idsOf, type MentionSearch, type SettlementLine } from '../line.js';
import { createEntrySum } from './entry-sum.js';
import { createFields, type Fields } from './fields.js';
import { isBooked, settlementLineOf } from './transaction.js';

export interface EntryListener {
  line(found: SettlementLine): void;
  /** It is pending or announced, and in the statement for information. */
  notBooked(): void;
  /** Of this entry alone: the file is read on. */
  wrong(problem: string): void;
  refuse(problem: string): never;
  search: MentionSearch | undefined;
}

/** An entry while it is read. Its own fields come before its transactions, so these need not be kept. */
export interface CamtEntry {
  /** Where what is read next belongs: to the transaction, or to the entry itself. */
  readonly fields: Fields;
  beginTransaction(): void;
  endTransaction(): void;
  end(): void;
}

/** Distinct problems that are remembered, so that transactions do not repeat what is wrong with their entry. */
const MAX_REMEMBERED = 100;

export function createEntry(number: number, listener: EntryListener): CamtEntry {
  const { search } = listener;
  const entry = createFields(listener.refuse, search);
  const sum = createEntrySum(entry);
  const told = new Set<string>();
  let transaction: Fields | undefined;
  /** Kept until it is known whether it is the only one. */
  let first: Fields | undefined;
  let transactions = 0;

  function wrong(problem: string): void {
    if (told.has(problem)) return;
    if (told.size < MAX_REMEMBERED) told.add(problem);
    listener.wrong(problem);
  }

  function emit(one: Fields | undefined): void {
    const isOnly = transactions < 2;
    if (one) sum.add(one, isOnly);
    const found = settlementLineOf({ number, entry, transaction: one, isOnly }, wrong);
    if (found && search) {
      const texts = [...(isOnly ? entry.texts : []), ...(one?.texts ?? [])];
      found.mentions = search.mentions(texts, idsOf(found));
    }
    if (found) listener.line(found);
  }

  /** What an entry says about all of its transactions. */
  function emitTexts(): void {
    const mentions = search?.mentions(entry.texts, []) ?? [];
    if (mentions.length > 0)
      listener.line({ line: number, kind: 'entry', amount: '0', currency: '', mentions });
  }

  return {
    get fields() {
      return transaction ?? entry;
    },
    beginTransaction() {
      transaction = createFields(listener.refuse, search);
    },
    endTransaction() {
      transactions += 1;
      if (transactions === 1) first = transaction;
      else {
        if (first) emit(first);
        first = undefined;
        emit(transaction);
      }
      transaction = undefined;
    },
    end() {
      if (!isBooked(entry)) listener.notBooked();
      if (transactions < 2) emit(first);
      else emitTexts();
      const problem = sum.problem();
      if (problem !== undefined) wrong(problem);
    },
  };
}
