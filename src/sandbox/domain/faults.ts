// Things that nobody can make the real service do, on demand: for the next N matching calls, or for a share of
// them that the seed decides.

import { createHash } from 'node:crypto';
import type { Kysely } from 'kysely';
import type { Store } from '../../store/store.js';
import type { FaultRow, SandboxTables } from '../schema.js';
import { coversRoute, type FaultKind } from './fault-kinds.js';

interface FaultOptions {
  status?: number | undefined;
  delayMs?: number | undefined;
  afterCommit?: boolean | undefined;
  retryAfterS?: number | undefined;
}

export interface TakenFault extends FaultOptions {
  kind: FaultKind;
}

interface NewFault extends FaultOptions {
  kind: FaultKind;
  route: string;
  /** How many matching calls it hits; without it and without a probability, every one. */
  next?: number | undefined;
  probability?: number | undefined;
}

export interface Faults {
  list(): Promise<FaultRow[]>;
  add(tx: Kysely<SandboxTables>, fault: NewFault): Promise<FaultRow>;
  clear(tx: Kysely<SandboxTables>, id?: number): Promise<number>;
  /** Whether any fault of these kinds could hit this route: cheap, and free of false noes. */
  may(kinds: readonly FaultKind[], route: string): Promise<boolean>;
  /** The faults that hit this call, used up in the transaction. */
  take(tx: Kysely<SandboxTables>, kinds: readonly FaultKind[], route: string): Promise<TakenFault[]>;
  /** To be called after a commit that added or cleared faults. */
  changed(): void;
}

export function createFaults(
  store: Store<SandboxTables>,
  derive: (purpose: string, key: string) => string,
): Faults {
  let kept: FaultRow[] | undefined;

  async function load(): Promise<FaultRow[]> {
    if (kept) return kept;
    const rows = await store.db.selectFrom('faults').selectAll().orderBy('id').execute();
    if (!store.shared) kept = rows;
    return rows;
  }

  return {
    list: () => store.db.selectFrom('faults').selectAll().orderBy('id').execute(),

    add: (tx, { kind, route, next, probability, ...options }) =>
      tx
        .insertInto('faults')
        .values({
          kind,
          route,
          remaining: next ?? null,
          probability: probability ?? null,
          seen: 0,
          options: JSON.stringify(options),
        })
        .returningAll()
        .executeTakeFirstOrThrow(),

    async clear(tx, id) {
      const query = tx.deleteFrom('faults');
      const { numDeletedRows } = await (
        id === undefined ? query : query.where('id', '=', id)
      ).executeTakeFirstOrThrow();
      return Number(numDeletedRows);
    },

    may: async (kinds, route) => (kept ?? (await load())).some((fault) => matches(fault, kinds, route)),

    async take(tx, kinds, route) {
      const taken: TakenFault[] = [];
      const rows = kept ?? (await tx.selectFrom('faults').selectAll().orderBy('id').execute());
      for (const fault of rows) {
        if (!matches(fault, kinds, route)) continue;
        const used = await tx
          .updateTable('faults')
          .set(({ eb }) => ({
            seen: eb('seen', '+', 1),
            ...(fault.remaining !== null && { remaining: eb('remaining', '-', 1) }),
          }))
          .where('id', '=', fault.id)
          .where((eb) => eb.or([eb('remaining', 'is', null), eb('remaining', '>', 0)]))
          .returning('seen')
          .executeTakeFirst();
        if (!used) continue;
        if (
          fault.probability !== null &&
          share(derive('fault', `${fault.id}:${used.seen}`)) >= fault.probability
        )
          continue;
        taken.push({ kind: fault.kind, ...readFaultOptions(fault.options) });
      }
      return taken;
    },

    changed: () => {
      kept = undefined;
    },
  };
}

function matches(fault: FaultRow, kinds: readonly FaultKind[], route: string): boolean {
  return kinds.includes(fault.kind) && coversRoute(fault.route, route);
}

export function readFaultOptions(json: FaultRow['options']): FaultOptions {
  return JSON.parse(json) as FaultOptions;
}

/** A number from 0 to 1 that only the text decides. */
function share(text: string): number {
  return createHash('sha256').update(text).digest().readUInt32BE(0) / 2 ** 32;
}
