// Who was forgotten, and when. A desk on another machine may have read a payment before, and imports that read later: it
// must not bring back what was removed since.

import { createHash } from 'node:crypto';
import type { Kysely } from 'kysely';
import { leaseClock } from '../../store/claim.js';
import type { Engine } from '../../store/store.js';
import type { AppRef } from '../payment-ref.js';
import type { DeskTables } from '../schema.js';
import type { SeenPayment } from './seen-payment.js';

type Db = Kysely<DeskTables>;

interface Names {
  customerId?: string | undefined;
  paymentIds: readonly string[];
}

/** Whom a read is about. Digests, so that the database does not keep the ID of a customer for this. */
const digestsOf = ({ customerId, paymentIds }: Names): string[] => [
  ...(customerId === undefined ? [] : [digestOf('customer', customerId)]),
  ...paymentIds.map((paymentId) => digestOf('payment', paymentId)),
];

const digestOf = (kind: 'customer' | 'payment', id: string): string =>
  createHash('sha256').update(`${kind}\0${id}`).digest('hex');

/** Notes that a customer was forgotten now, with these payments. */
export async function noteForgotten(tx: Db, engine: Engine, { appId }: AppRef, names: Names): Promise<void> {
  const time = leaseClock(engine);
  for (const digest of new Set(digestsOf(names))) {
    await tx
      .insertInto('forgotten')
      .values({ app_id: appId, digest, time })
      .onConflict((conflict) => conflict.columns(['app_id', 'digest']).doUpdateSet({ time }))
      .execute();
  }
}

/** Whether the payment, or the customer that it shows, was forgotten after this read. */
export async function isForgottenSince(tx: Db, seen: SeenPayment, time: number): Promise<boolean> {
  const { appId, customerId, paymentId } = seen;
  const later = await tx
    .selectFrom('forgotten')
    .select('digest')
    .where('app_id', '=', appId)
    .where('digest', 'in', digestsOf({ customerId, paymentIds: [paymentId] }))
    .where('time', '>=', time)
    .limit(1)
    .executeTakeFirst();
  return later !== undefined;
}
