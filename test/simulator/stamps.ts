// When the rows of the ledger were written, by true time: the times in them are those of clocks that jump.

import { sql } from 'kysely';
import type { DeskTables } from '../../src/ledger/schema.js';
import type { Store } from '../../src/store/store.js';
import type { Timeline } from './timeline.ts';

export interface Stamps {
  store: Store<DeskTables>;
  intent(id: number): number;
  outcome(id: number): number;
  /** The same for a copy of the ledger as it is now, which goes its own way from here. */
  copiedTo(store: Store<DeskTables>): Stamps;
}

interface Known {
  times: { intents: Map<number, number>; outcomes: Map<number, number> };
  last: { intents: number; outcomes: number };
}

const nothing = (): Known => ({
  times: { intents: new Map(), outcomes: new Map() },
  last: { intents: 0, outcomes: 0 },
});

export function stamped(store: Store<DeskTables>, timeline: Timeline, known = nothing()): Stamps {
  const { times, last } = known;

  const newest = sql<{ intents: number | null; outcomes: number | null }>`select
    (select max(id) from intents) as intents, (select max(id) from outcomes) as outcomes`.compile(store.db);

  async function stamp(): Promise<void> {
    const [row] = (await store.db.executeQuery(newest)).rows;
    for (const table of ['intents', 'outcomes'] as const) {
      while (last[table] < (row?.[table] ?? 0)) {
        last[table] += 1;
        times[table].set(last[table], timeline.now());
      }
    }
  }

  return {
    store: {
      ...store,
      async transaction(work, options) {
        try {
          return await store.transaction(work, options);
        } finally {
          await stamp();
        }
      },
    },
    intent: (id) => times.intents.get(id) ?? Infinity,
    outcome: (id) => times.outcomes.get(id) ?? Infinity,
    copiedTo: (copy) =>
      stamped(copy, timeline, {
        times: { intents: new Map(times.intents), outcomes: new Map(times.outcomes) },
        last: { ...last },
      }),
  };
}
