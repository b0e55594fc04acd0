// Guards taken away one by one, from outside: the part of the program that keeps the promise is handed over broken.

import type { Client } from '../../src/client/client.js';
import type { SettleOperation } from '../../src/contract/states.js';
import type { Entry, Ledger, NewIntent } from '../../src/ledger/ledger.js';
import type { StateName } from '../../src/contract/states.js';
import type { DeskTables } from '../../src/ledger/schema.js';
import type { Store } from '../../src/store/store.js';
import type { Sabotage } from './operators.ts';

/** The intent is written when the outcome is known, and not before anything is sent. */
function writesTooLate(ledger: Ledger): Ledger {
  const waiting = new Map<number, NewIntent>();
  return {
    ...ledger,
    async open(intent, options) {
      const way = await ledger.findBlocking(intent, intent.operation, options ?? {});
      if (way) return way;
      const id = -1 - waiting.size;
      waiting.set(id, intent);
      return { kind: 'opened', intent: { ...unwritten(intent), id } };
    },
    async record(id, outcome) {
      const intent = waiting.get(id);
      if (!intent) return ledger.record(id, outcome);
      const opening = await ledger.open(intent, { again: true });
      return ledger.record(opening.intent.id, outcome);
    },
  };
}

function unwritten(intent: NewIntent): Entry {
  return {
    id: 0,
    base_url: intent.baseUrl,
    app_id: intent.appId,
    payment_id: intent.paymentId,
    reference_id: intent.referenceId ?? null,
    operation: intent.operation,
    amount: intent.amount ?? null,
    currency: intent.currency ?? null,
    before_state: intent.before ?? null,
    before_print: intent.beforePrint ?? null,
    boot: '',
    steady_ms: 0,
    quiet_ms: 0,
    retired: 0,
    profile: null,
    kind: intent.kind,
    operator: '',
    reason: null,
    ticket: null,
    description: null,
    time: 0,
    resend_of: null,
    batch_id: intent.batchId ?? null,
    last: undefined,
  };
}

/** A lost answer is met by sending once more. */
function sendsAgain(client: Client): Client {
  return {
    ...client,
    async operate(...asked) {
      const first = await client.operate(...asked);
      return first.kind === 'unknown' ? client.operate(...asked) : first;
    },
  };
}

/** What is open for a payment keeps nobody from sending. */
function letsEverybodyIn(ledger: Ledger, store: Store<DeskTables>): Ledger {
  return {
    ...ledger,
    async findBlocking(...asked) {
      const way = await ledger.findBlocking(...asked);
      return way?.kind === 'held' ? undefined : way;
    },
    async open(...asked) {
      const opening = await ledger.open(...asked);
      if (opening.kind !== 'held') return opening;
      const { id } = opening.intent;
      await store.transaction((tx) => tx.deleteFrom('holds').where('intent_id', '=', id).execute());
      return ledger.open(...asked);
    },
  };
}

/** After sending, the state that the payment was in before is taken for the end that the operation leads to. */
function takesForDone(operation: SettleOperation, before: StateName, end: StateName) {
  return (client: Client): Client => {
    const sent = new Set<string>();
    return {
      ...client,
      operate(verb, paymentId, given) {
        if (verb === operation) sent.add(paymentId);
        return client.operate(verb, paymentId, given);
      },
      async getPayment(...asked) {
        const read = await client.getPayment(...asked);
        const [key] = asked;
        const misread = 'paymentId' in key && sent.has(key.paymentId) && read.state === before;
        return misread ? { ...read, state: end } : read;
      },
    };
  };
}

/** "Not there yet" is taken for "did not happen". */
function takesForUnsent(client: Client): Client {
  return {
    ...client,
    async operate(operation, paymentId, given) {
      const before = await client.getPayment({ paymentId });
      const answer = await client.operate(operation, paymentId, given);
      if (answer.kind !== 'unknown') return answer;
      const after = await client.getPayment({ paymentId });
      if (after.state !== before.state) return answer;
      return { kind: 'unsent', proven: true, why: 'nothing moved', attempts: answer.attempts };
    },
  };
}

/** Rows are handed out whoever has them. */
function handsOutTwice(store: Store<DeskTables>): Store<DeskTables> {
  return {
    ...store,
    async claimDue(options) {
      await store.transaction((tx) =>
        tx.updateTable('batch_rows').set({ lease_until: null }).where('finished', '=', 0).execute(),
      );
      return store.claimDue(options);
    },
  };
}

let copies = 0;

export const sabotages: Readonly<Record<string, Sabotage>> = {
  'intent-before-send': { ledger: writesTooLate },
  'no-re-send': { client: sendsAgain },
  'open-intent-refusal': { ledger: letsEverybodyIn },
  'proof-of-refund': { client: takesForDone('refund', 'Captured', 'Refunded') },
  'proof-of-capture': { client: takesForDone('capture', 'Authorised', 'Captured') },
  'proof-of-cancel': { client: takesForDone('cancel', 'Authorised', 'Cancelled') },
  'proof-of-unhold': { client: takesForDone('unhold', 'Held', 'Authorised') },
  'proof-of-absence': { client: takesForUnsent },
  'quiet-period': { quietMs: 0 },
  claim: { store: handsOutTwice },
  'single-use-plan': {
    batches: (batches) => ({
      ...batches,
      create(plan, rows, options) {
        copies += 1;
        const header = { ...plan.header, id: `${plan.header.id}-${copies}` };
        return batches.create({ ...plan, header, digest: `${plan.digest}-${copies}` }, rows, options);
      },
    }),
  },
};
