// The service has no list of payments. This is what the desk knows of them: those that it created, changed, read,
// imported or received webhooks for, each as it was last seen.

import { canReach, operationStates, stateNames, states } from '../../contract/states.js';
import { statement } from '../../store/statement.js';
import type { Engine, SqlRunner } from '../../store/types.js';
import { startGeneration } from './generations.js';
import { refColumns, type PaymentRef } from '../payment-ref.js';
import type { KnownPaymentRow } from '../schema.js';
import { searchedColumns, searchWords } from './search-words.js';
import type { SeenPayment } from './seen-payment.js';
import { storablePayment, storableState } from './storable-payment.js';

const sources = ['created', 'changed', 'heard', 'read', 'imported'] as const;
/** How the desk came to know of a payment. */
export type Source = (typeof sources)[number];

const quoted = (texts: readonly string[]) => texts.map((text) => `'${text}'`).join(', ');

/**
 * The operation that did not get to its end, as the change to `next` shows it, such as Refunding → Captured, or
 * Refunded → Captured.
 */
function failedOperation(next: string): string {
  const between = (operation: string, from: string, to: readonly string[]) =>
    `when known_payments.state = '${from}' and ${next} in (${quoted(to)}) then '${operation}'`;
  const failures = Object.entries(operationStates).flatMap(([operation, { during, end }]) => {
    const back = states[during].next.filter((state) => state !== end);
    const lost = stateNames.filter((state) => state !== end && !canReach(end, state));
    return [between(operation, during, back), between(operation, end, lost)];
  });
  return `case when known_payments.state = ${next} then known_payments.failed_operation
    ${failures.join(' ')} ${between('unhold', 'Authorised', ['Held'])} end`;
}

/** What a later sight may add to, and never takes away. */
const additions = [
  'reference_id',
  'customer_id',
  'amount',
  'amount_number',
  'currency',
  'captured_amount',
  'webhook_url',
  'created_time',
  'provider_reference',
  'authorize_id',
  'capture_id',
  'provider_fee',
  'provider_profile',
  'payer_name',
  'payer_email',
  'brand',
  'order_id',
  'order_name',
  'order_email',
  'order_note',
] as const satisfies ReadonlyArray<keyof KnownPaymentRow>;

const columns = [
  'app_id',
  'payment_id',
  ...additions,
  'state',
  'source',
  'known_time',
  'state_time',
  'since_time',
  'failed_operation',
  'seen_time',
  'words',
] as const satisfies ReadonlyArray<keyof KnownPaymentRow>;

type Returned = Pick<KnownPaymentRow, (typeof returnedColumns)[number]>;
type Values = Pick<KnownPaymentRow, (typeof columns)[number]>;

/** `isChange`: a state that is new here came about just now, and not at some time since the payment was last seen. */
const upsertRows = <Column extends keyof KnownPaymentRow>(
  isChange: boolean,
  count: number,
  returned: readonly Column[],
) =>
  statement<Pick<KnownPaymentRow, Column>, keyof Values>(
    `insert into known_payments (${columns.join(', ')})
     values ${Array.from({ length: count }, (_, row) => `(${columns.map((name) => `:${name}.${row}`).join(', ')})`).join(', ')}
     on conflict (app_id, payment_id) do update set
       ${additions.map((name) => `${name} = coalesce(excluded.${name}, known_payments.${name}),`).join(' ')}
       state = excluded.state,
       state_time = case when known_payments.state = excluded.state
         then known_payments.state_time else excluded.state_time end,
       since_time = case when known_payments.state = excluded.state
         then known_payments.since_time else ${isChange ? 'excluded.seen_time' : 'known_payments.seen_time'} end,
       failed_operation = ${failedOperation('excluded.state')},
       seen_time = excluded.seen_time
     returning ${returned.join(', ')}`,
  );

/** As many rows in one statement: one by one, most of the time would go to the way to the database and back. */
const AT_ONCE = 50;
const returnedColumns = ['id', 'words', 'failed_operation', 'state_time', ...searchedColumns] as const;
// These are long, and a process that makes one money move needs two of them: each is built at its first use.
const upsertChange = atFirstUse(() => upsertRows(true, 1, returnedColumns));
const upsertRead = atFirstUse(() => upsertRows(false, 1, returnedColumns));
const upsertMany = atFirstUse(() => upsertRows(false, AT_ONCE, ['payment_id', 'words']));

/** The same change of a payment that is known, with only the columns and indexes that it concerns. */
const changeState = atFirstUse(() =>
  statement<{ id: number }, 'app_id' | 'payment_id' | 'state' | 'now'>(
    `update known_payments set
       state = :state,
       state_time = case when state = :state then state_time else :now end,
       since_time = case when state = :state then since_time else :now end,
       failed_operation = ${failedOperation(':state')},
       seen_time = :now
     where app_id = :app_id and payment_id = :payment_id
     returning id`,
  ),
);

function atFirstUse<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => (made ??= make());
}

const replaceWords = statement<unknown, 'id' | 'words'>(
  'update known_payments set words = :words where id = :id',
);

interface Sight {
  seen: SeenPayment;
  source: Source;
  now: number;
  isChange?: boolean;
}

/** Records how a payment was seen. A state that is new here is a change of just now, unless it was only read. */
export async function remember(db: SqlRunner, engine: Engine, sight: Sight): Promise<void> {
  await startGeneration(db, engine, sight.seen);
  await rememberSeen(db, engine, sight);
}

/** The same, where the generation of the payment is known to have started; returns the payment as it is known now. */
export async function rememberSeen(
  db: SqlRunner,
  engine: Engine,
  { seen, source, now, isChange = source !== 'read' && source !== 'imported' }: Sight,
): Promise<Returned | undefined> {
  const values = valuesOf(seen, source, now);
  const upsert = isChange ? upsertChange() : upsertRead();
  const [known] = await upsert(db, engine, values);
  if (known) await keepWords(db, engine, known, values.words);
  return known;
}

/** A payment has come to be in this state. */
export async function rememberState(
  db: SqlRunner,
  engine: Engine,
  { state, ...ref }: PaymentRef & { state: string },
  now: number,
): Promise<void> {
  const [known] = await changeState()(db, engine, { ...refColumns(ref), state: storableState(state), now });
  if (!known) await rememberSeen(db, engine, { seen: { ...ref, state }, source: 'changed', now });
}

/** Records payments of one app that were read. */
export async function rememberMany(
  db: SqlRunner,
  engine: Engine,
  { seen, source, now }: { seen: readonly SeenPayment[]; source: Source; now: number },
): Promise<void> {
  const generations = new Map(seen.map((payment) => [payment.generation, payment]));
  for (const payment of generations.values()) await startGeneration(db, engine, payment);
  // A statement changes each payment once; what is there twice follows in another one.
  for (let left = [...seen]; left.length > 0;) {
    const once = new Map<string, SeenPayment>();
    left = left.filter((payment) => once.has(payment.paymentId) || !once.set(payment.paymentId, payment));
    const rest = [...once.values()];
    const alone: SeenPayment[] = [];
    while (rest.length >= AT_ONCE) {
      const some = new Map(
        rest.splice(0, AT_ONCE).map((payment) => [payment.paymentId, valuesOf(payment, source, now)]),
      );
      for (const known of await upsertMany()(db, engine, ...some.values())) {
        // It was known before with other words: they are made again of all that is known now.
        const payment = once.get(known.payment_id);
        if (payment && known.words !== some.get(known.payment_id)?.words) alone.push(payment);
      }
    }
    for (const payment of [...rest, ...alone]) {
      await rememberSeen(db, engine, { seen: payment, source, now });
    }
  }
}

/** A payment that was known before may have more to be found by than what was seen now. */
async function keepWords(db: SqlRunner, engine: Engine, known: Returned, seenWords: string): Promise<void> {
  if (known.words === seenWords) return;
  const words = searchWords(known);
  if (known.words !== words) await replaceWords(db, engine, { id: known.id, words });
}

function valuesOf(shown: SeenPayment, source: Source, now: number): Values {
  const seen = storablePayment(shown);
  const details = detailColumns(seen);
  return {
    app_id: seen.appId,
    ...details,
    state: seen.state ?? '',
    source,
    known_time: now,
    state_time: now,
    since_time: source === 'heard' ? now : Math.min(now, seen.createdTime ?? now),
    failed_operation: null,
    seen_time: now,
    words: searchWords(details),
  };
}

function detailColumns({ provider = {}, order = {}, ...seen }: SeenPayment) {
  return {
    payment_id: seen.paymentId,
    reference_id: seen.referenceId ?? null,
    customer_id: seen.customerId ?? null,
    amount: seen.amount ?? null,
    amount_number: finiteNumber(seen.amount),
    currency: seen.currency ?? null,
    captured_amount: seen.capturedAmount ?? null,
    webhook_url: seen.webhookUrl ?? null,
    created_time: seen.createdTime ?? null,
    provider_reference: provider.reference ?? null,
    authorize_id: provider.authorizeId ?? null,
    capture_id: provider.captureId ?? null,
    provider_fee: provider.fee ?? null,
    provider_profile: provider.profile ?? null,
    payer_name: provider.payerName ?? null,
    payer_email: provider.payerEmail ?? null,
    brand: provider.brand ?? null,
    order_id: order.orderId ?? null,
    order_name: order.name ?? null,
    order_email: order.email ?? null,
    order_note: order.note ?? null,
  };
}

/** A service may write more digits than a number has room for. */
function finiteNumber(text: string | undefined): number | null {
  const value = text === undefined ? NaN : Number(text);
  return Number.isFinite(value) ? value : null;
}

export async function findKnown(
  db: SqlRunner,
  engine: Engine,
  ref: PaymentRef,
): Promise<KnownPaymentRow | undefined> {
  const [known] = await knownPayment(db, engine, refColumns(ref));
  return known;
}

const knownPayment = statement<KnownPaymentRow, 'app_id' | 'payment_id'>(
  'select * from known_payments where app_id = :app_id and payment_id = :payment_id',
);
