// Guards taken away one by one, from outside: the part of the program that keeps the promise is handed over broken.

import type { Client } from '../../src/client/client.js';
import type { BlockedByEarlier, Entry, NewIntent, Opening } from '../../src/ledger/moves/entries.js';
import type { Ledger } from '../../src/ledger/moves/ledger.js';
import type { SettleOperation, StateName } from '../../src/contract/states.js';
import type { DeskTables } from '../../src/ledger/schema.js';
import type { Store } from '../../src/store/store.js';
import type { Sabotage } from './operators.ts';

/** The intent is written when the outcome is known, and not before anything is sent. */
function writesTooLate(ledger: Ledger): Ledger {
  const waiting = new Map<number, NewIntent>();
  return {
    ...ledger,
    async open(intent, options = {}) {
      const blocked = await ledger.findBlocking(intent, intent.operation, options);
      if (blocked) return blocked;
      const id = -1 - waiting.size;
      waiting.set(id, intent);
      return { kind: 'opened', intent: { ...unwritten(intent), id } };
    },
    renew: (id) => (waiting.has(id) ? Promise.resolve(true) : ledger.renew(id)),
    async record(id, outcome) {
      const intent = waiting.get(id);
      if (!intent) return ledger.record(id, outcome);
      const opening = await ledger.open(intent, { again: true });
      return 'intent' in opening && ledger.record(opening.intent.id, outcome);
    },
  };
}

function unwritten(intent: NewIntent): Entry {
  return {
    id: 0,
    app_id: intent.appId,
    payment_id: intent.paymentId,
    reference_id: intent.referenceId ?? null,
    customer_id: intent.customerId ?? null,
    operation: intent.operation,
    amount: intent.amount ?? null,
    currency: intent.currency ?? null,
    before_state: intent.before ?? null,
    before_fingerprint: intent.beforeFingerprint ?? null,
    base_url: intent.baseUrl,
    profile: null,
    kind: intent.kind,
    operator: '',
    reason: null,
    ticket: null,
    description: null,
    time: 0,
    boot: '',
    steady_ms: 0,
    quiet_ms: intent.quietMs ?? 0,
    resend_of: null,
    batch_id: intent.batchId ?? null,
    retired: 0,
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

/** Neither a late process nor one that was taken over from is kept from sending. */
function sendsHoweverLate(client: Client): Client {
  const fence = { beforeAttempt: () => Promise.resolve(), beforeFirstByte: () => true };
  return {
    ...client,
    operate: (operation, paymentId, given) => client.operate(operation, paymentId, { ...given, fence }),
  };
}

/** The earlier intent loses its hold and is taken for one that never left. */
async function forget(store: Store<DeskTables>, id: number): Promise<void> {
  await store.transaction(async (tx) => {
    await tx.deleteFrom('holds').where('intent_id', '=', id).execute();
    await tx.updateTable('outcomes').set({ may_have_left: 0 }).where('intent_id', '=', id).execute();
  });
}

/** What is open, refused or not taken keeps nobody from sending. `kinds`: what is let through. */
function lets(kinds: ReadonlyArray<BlockedByEarlier['kind']>, { looks }: { looks: boolean }) {
  const isLet = (opening: Opening): opening is BlockedByEarlier =>
    kinds.some((kind) => kind === opening.kind);
  return (ledger: Ledger, store: Store<DeskTables>): Ledger => ({
    ...ledger,
    async findBlocking(...asked) {
      const blocked = await ledger.findBlocking(...asked);
      return !looks && blocked && isLet(blocked) ? undefined : blocked;
    },
    async open(...asked) {
      const opening = await ledger.open(...asked);
      if (!isLet(opening)) return opening;
      await forget(store, opening.intent.id);
      return ledger.open(...asked);
    },
  });
}

/** Whatever an earlier instruction has made of the payment, it is taken to have been so before. */
function takesForTheSame(): Sabotage {
  const shown = new Map<string, string | undefined>();
  return {
    client: (client) => ({
      ...client,
      async getPayment(...asked) {
        const read = await client.getPayment(...asked);
        shown.set(String(read.fields.paymentId), read.fields.paymentState);
        return read;
      },
    }),
    ledger: (ledger) => ({
      ...ledger,
      async findBlocking(ref, ...asked) {
        const blocked = await ledger.findBlocking(ref, ...asked);
        if (!blocked || blocked.kind === 'ended' || blocked.kind === 'adopted') return blocked;
        const before_state = shown.get(ref.paymentId) ?? null;
        return { ...blocked, intent: { ...blocked.intent, before_state, before_fingerprint: null } };
      },
    }),
  };
}

/** A ledger that was adopted just now is used at once. */
function usesAtOnce(ledger: Ledger, store: Store<DeskTables>): Ledger {
  const forgetAdoption = () =>
    store.transaction((tx) =>
      tx.updateTable('identity').set({ adopted_boot: null, adopted_ms: null }).execute(),
    );
  return {
    ...ledger,
    async findBlocking(...asked) {
      await forgetAdoption();
      return ledger.findBlocking(...asked);
    },
  };
}

/** What this desk has done is forgotten where the opposite is to be sent. */
function forgetsOpposites(ledger: Ledger): Ledger {
  return {
    ...ledger,
    findBlocking: (ref, operation, asked) => ledger.findBlocking(ref, operation, { ...asked, notShown: [] }),
    open: (intent, sendAgain) => ledger.open({ ...intent, notShown: [] }, sendAgain),
  };
}

/** Before it reports a failure, the program does not check whether a colleague has learned more or sent it again. */
function looksOnce(ledger: Ledger): Ledger {
  const seen = new Map<number, Promise<Entry>>();
  return {
    ...ledger,
    find(id) {
      const first = seen.get(id) ?? ledger.find(id);
      seen.set(id, first);
      return first;
    },
    async record(id, outcome) {
      await ledger.record(id, outcome);
      return true;
    },
  };
}

/** A recheck is taken to have gone through without being sent. */
function rechecksNothing(client: Client): Client {
  return {
    ...client,
    recheck: () =>
      Promise.resolve({
        value: undefined,
        answer: { httpStatus: 204, headers: {}, raw: undefined, readable: true },
        attempts: 1,
      } as unknown as Awaited<ReturnType<Client['recheck']>>),
  };
}

/** A state that nobody knows is taken for the end that was wanted. */
function guessesStates(client: Client): Client {
  const sent = new Map<string, StateName>();
  const ends = {
    refund: 'Refunded',
    capture: 'Captured',
    cancel: 'Cancelled',
    unhold: 'Authorised',
  } as const;
  return {
    ...client,
    operate(verb, paymentId, given) {
      sent.set(paymentId, ends[verb]);
      return client.operate(verb, paymentId, given);
    },
    async getPayment(...asked) {
      const read = await client.getPayment(...asked);
      const end = sent.get(String(read.fields.paymentId));
      return read.state === undefined && end !== undefined ? { ...read, state: end } : read;
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
      return { kind: 'unsent', why: 'nothing moved', isLate: false, attempts: answer.attempts };
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
  'open-intent-refusal': { ledger: lets(['held'], { looks: false }) },
  'hold-after-refusal': { ledger: lets(['quiet'], { looks: false }) },
  'check-in-transaction': { ledger: lets(['held', 'quiet'], { looks: true }) },
  'hold-by-app': { app: (app) => ({ ...app, appId: `${app.appId} at ${app.baseUrl}` }) },
  fence: { client: sendsHoweverLate },
  'hold-at-each-attempt': { ledger: (ledger) => ({ ...ledger, renew: () => Promise.resolve(true) }) },
  'exactly-as-before': takesForTheSame(),
  recheck: { client: rechecksNothing },
  'unknown-states': { client: guessesStates },
  'proof-of-refund': { client: takesForDone('refund', 'Captured', 'Refunded') },
  'proof-of-capture': { client: takesForDone('capture', 'Authorised', 'Captured') },
  'proof-of-cancel': { client: takesForDone('cancel', 'Authorised', 'Cancelled') },
  'proof-of-unhold': { client: takesForDone('unhold', 'Held', 'Authorised') },
  'proof-of-absence': { client: takesForUnsent },
  'quiet-period': { quietMs: 60_000 },
  'steady-clock': { steady: (wall) => () => ({ boot: 'wall', ms: wall() }) },
  'ledger-place': { ledger: (ledger) => ({ ...ledger, ready: () => Promise.resolve() }) },
  'ledger-in-use': {
    whereabouts: (whereabouts) => {
      const here = whereabouts.here();
      return { ...whereabouts, here: () => here };
    },
  },
  'quiet-after-adoption': { ledger: usesAtOnce },
  'last-look': { ledger: looksOnce },
  'done-before-its-opposite': { ledger: forgetsOpposites },
  'monotonic-clock': { monotonic: (wall) => wall },
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
