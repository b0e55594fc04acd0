// Who was forgotten, and when. A desk on another machine may have read a payment before, and imports that read later: it
// must not bring back what was removed since.

import type { Kysely } from 'kysely';
import { sha256 } from '../../sha256.js';
import { statement } from '../../store/statement.js';
import type { Engine, SqlRunner } from '../../store/types.js';
import type { AppRef } from '../payment-ref.js';
import type { DeskTables } from '../schema.js';
import type { SeenPayment } from './seen-payment.js';

type Db = Kysely<DeskTables>;

export interface ForgottenNames {
  customerId?: string | undefined;
  paymentIds: readonly string[];
}

/** Whom a read is about. Digests, so that the database does not keep the ID of a customer for this. */
export const digestsOf = ({ customerId, paymentIds }: ForgottenNames): string[] => [
  ...(customerId === undefined ? [] : [digestOf('customer', customerId)]),
  ...paymentIds.map((paymentId) => digestOf('payment', paymentId)),
];

const digestOf = (kind: 'customer' | 'payment', id: string): string => sha256(`${kind}\0${id}`);

/** As many are looked up in one statement. */
const AT_ONCE = 500;

/** The payments among these that were forgotten with their customer: to read one again is for a person to decide. */
export async function findForgotten(
  db: Db,
  { appId }: AppRef,
  paymentIds: readonly string[],
): Promise<ReadonlySet<string>> {
  const byDigest = new Map(paymentIds.map((paymentId) => [digestOf('payment', paymentId), paymentId]));
  const digests = [...byDigest.keys()];
  const found = new Set<string>();
  for (let start = 0; start < digests.length; start += AT_ONCE) {
    const rows = await db
      .selectFrom('forgotten')
      .select('digest')
      .where('app_id', '=', appId)
      .where('digest', 'in', digests.slice(start, start + AT_ONCE))
      .execute();
    for (const { digest } of rows) found.add(byDigest.get(digest) as string);
  }
  return found;
}

/** Whether the payment, or the customer that it shows, was forgotten after this read. */
export async function isForgottenSince(
  tx: SqlRunner,
  engine: Engine,
  { appId, customerId, paymentId }: SeenPayment,
  time: number,
): Promise<boolean> {
  for (const digest of digestsOf({ customerId, paymentIds: [paymentId] })) {
    const [later] = await forgottenSince(tx, engine, { app_id: appId, digest, time });
    if (later !== undefined) return true;
  }
  return false;
}

const forgottenSince = statement<unknown, 'app_id' | 'digest' | 'time'>(
  'select digest from forgotten where app_id = :app_id and digest = :digest and time >= :time',
);
