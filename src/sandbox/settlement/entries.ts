// What the provider's books hold that moved money: captures and refunds, in the order in which they were asked for.

import { toHundredths } from '../../contract/money.js';
import type { PayInfo } from '../../contract/payment.js';
import { feeOf } from '../domain/fee.js';
import { providerReference } from '../domain/providers.js';
import type { SandboxEngine } from '../engine.js';
import type { ExchangeRow, PaymentRow } from '../schema.js';

/** Amounts are in hundredths, as the merchant sees them: a refund is negative. */
export interface BookEntry {
  /** The instruction in the books that it comes from. */
  exchangeId: number;
  paymentId: number | null;
  bookedAt: number;
  type: string;
  providerReference: string;
  captureId: string;
  reference: string;
  amount: bigint;
  fee: bigint;
  currency: string;
  /** Whether the service shows the payment as Captured. */
  isCaptured: boolean;
}

export interface BooksScope {
  appId: string;
  /** Of one provider alone, if it is given. */
  paymentProfileId?: number | undefined;
  since: number;
  until: number;
}

type Reader = Pick<SandboxEngine, 'store' | 'derive'>;

const PAGE_SIZE = 1_000;

/** Page by page, so that the size of the books does not matter; from the instruction after `after`. */
export async function* readEntries(
  reader: Reader,
  scope: BooksScope,
  after = 0,
): AsyncGenerator<BookEntry[], void> {
  let last = after;
  for (;;) {
    const exchanges = await reader.store.db
      .selectFrom('exchanges')
      .selectAll()
      .where('id', '>', last)
      .where('done', '=', 1)
      .where('kind', 'in', ['capture', 'refund'])
      .where('answered_time', '>=', scope.since)
      .where('answered_time', '<=', scope.until)
      .orderBy('id')
      .limit(PAGE_SIZE)
      .execute();
    if (exchanges.length > 0) yield entriesOf(reader, exchanges, await paymentsOf(reader, exchanges, scope));
    if (exchanges.length < PAGE_SIZE) return;
    last = exchanges.at(-1)!.id;
  }
}

type BookedPayment = Pick<
  PaymentRow,
  'payment_id' | 'reference_id' | 'amount' | 'currency' | 'state' | 'pay_info'
>;

/** Looked up by their IDs alone: with more conditions, SQLite would read all payments of the app for each page. */
async function paymentsOf(
  { store }: Reader,
  exchanges: readonly ExchangeRow[],
  { appId, paymentProfileId }: BooksScope,
): Promise<Map<number, BookedPayment>> {
  const rows = await store.db
    .selectFrom('payments')
    .select(['payment_id', 'reference_id', 'amount', 'currency', 'state', 'pay_info'])
    .select(['app_id', 'payment_profile_id'])
    .where('payment_id', 'in', [...new Set(exchanges.map(({ payment_id }) => payment_id))])
    .execute();
  const isMeant = ({ app_id, payment_profile_id }: (typeof rows)[number]) =>
    app_id === appId && (paymentProfileId === undefined || payment_profile_id === paymentProfileId);
  return new Map(rows.filter(isMeant).map((payment) => [payment.payment_id, payment]));
}

function entriesOf(
  { derive }: Reader,
  exchanges: readonly ExchangeRow[],
  payments: ReadonlyMap<number, BookedPayment>,
): BookEntry[] {
  return exchanges.flatMap((exchange) => {
    const payment = payments.get(exchange.payment_id);
    if (!payment) return [];
    const { providerReferenceId = '', captureId } = JSON.parse(payment.pay_info ?? '{}') as PayInfo;
    const amount = toHundredths(payment.amount);
    const isRefund = exchange.kind === 'refund';
    return {
      exchangeId: exchange.id,
      paymentId: payment.payment_id,
      bookedAt: exchange.answered_time ?? exchange.time,
      type: exchange.kind,
      providerReference: providerReferenceId,
      // The provider has one too when its answer to the capture was lost: the one that a recheck brings in.
      captureId: captureId ?? providerReference({ derive }, exchange, 'capture'),
      reference: payment.reference_id,
      amount: isRefund ? -amount : amount,
      fee: isRefund ? 0n : feeOf(toHundredths(payment.amount)),
      currency: payment.currency,
      isCaptured: payment.state === 'Captured',
    };
  });
}
