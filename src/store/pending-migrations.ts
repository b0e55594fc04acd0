import { StoreError } from './errors.js';
import type { Migration } from './types.js';

export const APPLIED_MIGRATIONS = 'select name from store_migration order by format';

/** Which migrations a database still lacks. `applied` is in the order in which they were run. */
export function pendingMigrations(applied: string[], known: Migration[], place: string): Migration[] {
  const strange = applied.find((name, index) => known[index]?.name !== name);
  if (strange !== undefined) {
    throw new StoreError(
      'store-newer',
      `The database ${place} has format ${applied.length} with "${strange}", which this paydesk does not know (it knows format ${known.length}). ` +
        'It was written by a newer paydesk: update this one, or use another database.',
    );
  }
  return known.slice(applied.length);
}
