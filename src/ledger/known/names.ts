import type { Kysely } from 'kysely';
import type { AppRef } from '../payment-ref.js';
import type { DeskTables } from '../schema.js';

interface KnownName {
  name: string;
  state: string;
  amount: string | null;
  currency: string | null;
}

const MAX_NAMES = 30;

/** Ids and references that begin like that, a few of each: for completing what is being typed. */
export async function knownNames(
  db: Kysely<DeskTables>,
  { appId }: AppRef,
  beginning: string,
): Promise<KnownName[]> {
  const named = (column: 'payment_id' | 'reference_id') =>
    db
      .selectFrom('known_payments')
      .select([`${column} as name`, 'state', 'amount', 'currency'])
      .where('app_id', '=', appId)
      .where(column, '>=', beginning)
      .where(column, '<', `${beginning}\u{10FFFF}`)
      .orderBy(column)
      .limit(MAX_NAMES)
      .execute();
  const found = [...(await named('reference_id')), ...(await named('payment_id'))];
  return found.filter((row): row is KnownName => row.name !== null && row.name !== '');
}
