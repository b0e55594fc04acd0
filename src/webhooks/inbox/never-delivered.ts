import { type ExpressionBuilder, type RawBuilder, sql } from 'kysely';
import type { DeskTables } from '../../ledger/schema.js';
import type { Engine } from '../../store/store.js';

/** No forward of the same webhook to the same place was accepted, by a replay for example. */
export const neverDelivered =
  (engine: Engine) =>
  ({ not, exists, selectFrom }: ExpressionBuilder<DeskTables, 'forwards'>) =>
    not(
      exists(
        selectFrom('forwards as other')
          .select('other.id')
          .whereRef('other.delivery_id', '=', 'forwards.delivery_id')
          .where('other.outcome', '=', 'delivered')
          .where(sql<boolean>`${placeIn(engine, 'other')} = ${placeIn(engine, 'forwards')}`),
      ),
    );

/** What `targetPlace` gives, in a query. */
function placeIn(engine: Engine, table: 'forwards' | 'other'): RawBuilder<string> {
  const key = sql.ref(`${table}.target_key`);
  const target = sql.ref(`${table}.target`);
  const indexOf = sql.raw(engine === 'postgres' ? 'strpos' : 'instr');
  return sql`substr(${key}, 1, ${indexOf}(${key}, ${target}) - 1 + length(${target}))`;
}
