import type { PaymentRead } from '../client/payment-calls.js';
import { rememberIfKnown } from '../ledger/known-payments.js';
import { readPaymentRecord } from '../ledger/payment-record.js';
import type { DeskTables } from '../ledger/schema.js';
import { idOf } from '../payments/named-payments.js';
import { seenPayment } from '../payments/seen-payment.js';
import { StoreError } from '../store/errors.js';
import type { Store } from '../store/store.js';
import { createInbox } from '../webhooks/inbox/inbox.js';
import type { Sources } from './gather.js';
import { heardOf } from './heard.js';

/** What this desk has on record: the ledger, the known payments and the webhook inbox. */
export interface Records {
  of(read: PaymentRead): Promise<Sources>;
  /** A payment that this desk knows was seen. */
  saw(read: PaymentRead): Promise<void>;
}

const WEBHOOKS = 100;

export function createRecords(
  store: Store<DeskTables>,
  place: { baseUrl: string; appId: string },
  now: () => number,
): Records {
  const inbox = createInbox(store);
  const saw = async (read: PaymentRead) => {
    try {
      await store.transaction((tx) => rememberIfKnown(tx, seenPayment(place, read), now()));
    } catch (error) {
      // What cannot be noted now is seen again at the next read.
      if (!(error instanceof StoreError)) throw error;
    }
  };
  return {
    saw,

    async of(read) {
      const paymentId = idOf(read);
      const record = await readPaymentRecord(store.db, { ...place, paymentId });
      const deliveries = await inbox.ofPayment(
        place,
        { paymentId, referenceId: read.fields.referenceId },
        { limit: WEBHOOKS },
      );
      const { known } = record;
      const state = read.state ?? read.fields.paymentState ?? '';
      if (known !== undefined && known.state !== state) await saw(read);
      return { record, heard: heardOf(deliveries) };
    },
  };
}
