import type { ExpressionBuilder } from 'kysely';
import type { DeskTables } from '../../ledger/schema.js';

/** No forward of the same webhook to the same address was accepted, by a replay for example. */
export const neverDelivered = ({ not, exists, selectFrom }: ExpressionBuilder<DeskTables, 'forwards'>) =>
  not(
    exists(
      selectFrom('forwards as other')
        .select('other.id')
        .whereRef('other.delivery_id', '=', 'forwards.delivery_id')
        .whereRef('other.target', '=', 'forwards.target')
        .where('other.outcome', '=', 'delivered'),
    ),
  );
