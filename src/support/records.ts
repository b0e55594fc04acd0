// What this desk has on record about payments: the ledger, the known payments and the webhook inbox.

import type { PaymentRead } from '../client/payment-calls.js';
import { type Entry, outcomeOf } from '../ledger/moves/entries.js';
import { findOpen } from '../ledger/moves/intent-log.js';
import {
  type PaymentRecord,
  readPaymentRecords,
  type RecordedIntent,
} from '../ledger/moves/payment-record.js';
import { findAlsoPaid, findMaybePaid, MAX_ALSO_PAID } from '../ledger/known/also-paid.js';
import type { PaymentNames } from '../ledger/payment-ref.js';
import type { DeskTables, KnownPaymentRow } from '../ledger/schema.js';
import { idOf } from '../payments/named-payments.js';
import { rememberReads } from '../payments/remember-reads.js';
import type { Store } from '../store/store.js';
import type { Delivery } from '../webhooks/inbox/delivery.js';
import { createInbox } from '../webhooks/inbox/inbox.js';

/** What is known about a payment besides what the service shows. */
export interface Sources {
  record: PaymentRecord | undefined;
  /** The oldest first. */
  webhooks: readonly ReceivedWebhook[];
  /** Other payments of the same customer and amount, the closest first. */
  alsoPaid: readonly KnownPaymentRow[];
  /** Of this payment and those, the ones whose money may be on its way back, or that could not be read just now. */
  uncertain: ReadonlySet<string>;
}

interface ReceivedWebhook {
  time: number;
  /** The state that it reported, as the service names it; undefined where it named none. */
  said: string | undefined;
  /** What the service showed when it was read then. */
  read: string | undefined;
  /** It came again, or after later ones. */
  late: boolean;
  forwards: Array<{ to: string; status: number | null }>;
}

export interface Records {
  /** Records how payments were just seen. */
  remember(reads: readonly PaymentRead[]): Promise<void>;
  /** Other payments of the same customers and amounts that may have been paid or refunded since this desk saw them. */
  sameAmount(reads: readonly PaymentRead[]): Promise<KnownPaymentRow[]>;
  /** What is open under the names of a payment that cannot be read. */
  findOpen(names: PaymentNames): Promise<Entry[]>;
  /** Everything about these payments, in the same order. */
  find(reads: readonly PaymentRead[]): Promise<Sources[]>;
}

const MAX_WEBHOOKS = 100;
/** As many IDs as fit into one query. */
const IDS_PER_QUERY = 500;

export function createRecords(
  store: Store<DeskTables>,
  app: { baseUrl: string; appId: string },
  now: () => number,
): Records {
  const inbox = createInbox(store);

  async function recordsOf(reads: readonly PaymentRead[]): Promise<Map<string, PaymentRecord>> {
    const ids = [...new Set(reads.map(idOf))];
    const records = new Map<string, PaymentRecord>();
    for (let start = 0; start < ids.length; start += IDS_PER_QUERY) {
      const some = await readPaymentRecords(store.db, app, ids.slice(start, start + IDS_PER_QUERY));
      for (const [id, record] of some) records.set(id, record);
    }
    return records;
  }

  /** Those that this desk has sent a refund for, unless it failed or never left. */
  async function refundedHere(ids: readonly string[]): Promise<Set<string>> {
    const found = await readPaymentRecords(store.db, app, ids);
    return new Set(ids.filter((id) => found.get(id)?.intents.some(isRefund)));
  }

  return {
    remember: (reads) => rememberReads(store, app, reads, now()),
    findOpen: (names) => findOpen(store, app, names),

    async sameAmount(reads) {
      const known = [...(await recordsOf(reads)).values()].flatMap((record) => record.known ?? []);
      const found = await Promise.all(
        known.flatMap((row) => [findMaybePaid(store.db, row), findAlsoPaid(store.db, row)]),
      );
      const closest = found.flatMap((rows) => rows.slice(0, MAX_ALSO_PAID));
      return [...new Map(closest.map((row) => [row.payment_id, row])).values()];
    },

    async find(reads) {
      const records = await recordsOf(reads);
      return Promise.all(
        reads.map(async (read) => {
          const paymentId = idOf(read);
          const names = { paymentId, referenceId: read.fields.referenceId };
          const deliveries = await inbox.ofPayment(app, names, { limit: MAX_WEBHOOKS });
          const record = records.get(paymentId);
          const alsoPaid = record?.known ? await findAlsoPaid(store.db, record.known) : [];
          const ids = [paymentId, ...alsoPaid.slice(0, MAX_ALSO_PAID).map(({ payment_id }) => payment_id)];
          const uncertain = alsoPaid.length === 0 ? new Set<string>() : await refundedHere(ids);
          return { record, webhooks: receivedWebhooks(deliveries), alsoPaid, uncertain };
        }),
      );
    },
  };
}

const isRefund = (intent: RecordedIntent): boolean =>
  intent.operation === 'refund' && ['done', 'accepted', 'unknown'].includes(outcomeOf(intent));

const lateVerdicts: ReadonlyArray<Delivery['verdict']> = ['duplicate', 'stale'];

/** Webhooks that this desk made to test a handler say nothing about a payment. */
function receivedWebhooks(deliveries: readonly Delivery[]): ReceivedWebhook[] {
  return deliveries
    .filter(({ verdict, kind }) => verdict !== 'made' && !(kind === 'synthetic' && verdict === null))
    .map(({ time, saidState, state, verdict, forwards }) => ({
      time,
      said: saidState ?? undefined,
      read: state ?? undefined,
      late: lateVerdicts.includes(verdict),
      forwards: forwards.map(({ to, status }) => ({ to, status })),
    }));
}
