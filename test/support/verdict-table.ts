// Every state with every last operation and outcome, on a real ledger: what each part of the desk says about it.

import { menuFor } from '../../src/support/guided-session.js';
import { decodePayment } from '../../src/client/answers.js';
import type { SettleOperation } from '../../src/contract/states.js';
import type { PaymentRead } from '../../src/client/payment-calls.js';
import { parseJson } from '../../src/contract/json.js';
import { isLegal, isStateName, stateNames, type StateName } from '../../src/contract/states.js';
import { openDeskDatabase } from '../../src/ledger/database.js';
import { outcomes, type Outcome } from '../../src/ledger/moves/operations.js';
import { createLedger } from '../../src/ledger/moves/ledger.js';
import { triageList } from '../../src/output/views/triage.js';
import { explain, type Explained, type Explanation } from '../../src/support/explain.js';
import { type ListedPayment, takeListed } from '../../src/support/list.js';
import { createRecords } from '../../src/support/records.js';
import { type Language, languages } from '../../src/support/reply.js';

export const now = Date.parse('2026-11-16T09:00:00Z');
const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
const quietMs = 10 * MINUTE;
const app = { baseUrl: 'https://service.example', appId: 'app-1' };
const client = { canonicalState: (name: string | undefined) => (isStateName(name) ? name : undefined) };

/** `fresh`: within the quiet period and not overdue. `late`: both are over. */
export const ages = ['fresh', 'late'] as const;
const times = {
  fresh: { created: now - 5 * MINUTE, sent: now - 2 * MINUTE },
  late: { created: now - 6.5 * DAY, sent: now - DAY },
} as const;

export const operations: readonly SettleOperation[] = ['unhold', 'capture', 'cancel', 'refund'];
/** A state that paydesk does not know, and none at all. */
export const shownStates: readonly string[] = [...stateNames, 'Settling', ''];

export interface Case {
  id: string;
  shown: string;
  state: StateName | undefined;
  age: (typeof ages)[number];
  last: { operation: SettleOperation; outcome: Outcome } | undefined;
}

export interface CaseResult extends Case {
  explanation: Explanation;
  replies: Record<Language, string>;
  listed: ListedPayment;
  /** Whether `list --stuck` shows it. */
  isListedStuck: boolean;
  /** The row of `explain A B`, by column. */
  bulkRow: Record<string, string>;
  menu: ReturnType<typeof menuFor>;
}

function allCases(): Case[] {
  const lasts: Case['last'][] = [
    undefined,
    ...operations.flatMap((operation) => outcomes.map((outcome) => ({ operation, outcome }))),
  ];
  const combined = shownStates.flatMap((shown) =>
    lasts.flatMap((last) => ages.map((age) => ({ shown, last, age }))),
  );
  return combined.map((one, index) => ({
    ...one,
    id: String(100_001 + index),
    state: isStateName(one.shown) ? one.shown : undefined,
  }));
}

function readOf({ id, shown, age }: Case): PaymentRead {
  const text = JSON.stringify({
    paymentId: Number(id),
    referenceId: `inv-${id}`,
    amount: 49.9,
    currency: 'EUR',
    autoCapture: false,
    paymentFlow: 'HostedPage',
    customerId: `c_ada_${id}`,
    createdTime: new Date(times[age].created).toISOString(),
    ...(shown === '' ? {} : { paymentState: shown }),
    payInfo: { payer: { fullName: 'Ada Lovelace', email: `ada-${id}@example.com` } },
  });
  const decoded = decodePayment(parseJson(text));
  if (decoded === undefined) throw new Error(text);
  return {
    ...decoded,
    state: isStateName(shown) ? shown : undefined,
    answer: { httpStatus: 200 } as PaymentRead['answer'],
  };
}

const ends: Readonly<Record<SettleOperation, StateName>> = {
  unhold: 'Authorised',
  capture: 'Captured',
  cancel: 'Cancelled',
  refund: 'Refunded',
};

/** Where the payment was when the instruction was sent. */
function beforeState({ state, last }: Case): StateName {
  if (last?.operation === 'cancel' && state && isLegal('cancel', state)) return state;
  return ({ unhold: 'Held', capture: 'Authorised', cancel: 'Authorised', refund: 'Captured' } as const)[
    last?.operation ?? 'refund'
  ];
}

export async function allResults(): Promise<CaseResult[]> {
  const database = await openDeskDatabase({ location: ':memory:', operator: 'ada@desk-1' });
  const { store } = database;
  try {
    const cases = allCases();
    for (const one of cases) {
      const { last, id, shown } = one;
      const { sent, created } = times[one.age];
      if (last === undefined) continue;
      const ledger = createLedger(store, {
        operator: 'ada@desk-1',
        now: () => sent,
        steady: () => ({ boot: 'machine', ms: sent }),
      });
      const before = beforeState(one);
      const intent = { ...app, paymentId: id, amount: '49.9', currency: 'EUR', createdTime: created };
      const opening = await ledger.open({
        ...intent,
        operation: last.operation,
        before,
        state: before,
        kind: 'sandbox',
        ticket: 'T-1932',
      });
      const why = ['refused', 'unsent'].includes(last.outcome) ? 'The service said no.' : undefined;
      // What is done was seen at its end, whatever the service shows later.
      const after = last.outcome === 'done' ? ends[last.operation] : shown;
      if (!('intent' in opening)) throw new Error(`The intent was not written: ${opening.kind}.`);
      await ledger.record(opening.intent.id, { outcome: last.outcome, after, state: after, why });
    }
    const reads = cases.map(readOf);
    const records = createRecords(store, app, () => now);
    await records.remember(reads);
    const sources = await records.find(reads);
    const options = { now, steady: { boot: 'machine', ms: now }, quietMs, profile: undefined };
    const listOptions = { ...options, store, app, client };
    const { listed } = await takeListed(listOptions, {}, Infinity);
    const stuck = await takeListed(listOptions, { stuck: true }, Infinity);
    const stuckIds = new Set(stuck.listed.map(({ row }) => row.payment_id));
    return cases.map((one, index) => {
      const explained = (language: Language) =>
        explain(client, reads[index]!, sources[index]!, { ...options, language });
      const explanation = explained('en');
      const entry: Explained = { typed: one.id, explanation };
      return {
        ...one,
        explanation,
        replies: Object.fromEntries(
          languages.map((language) => [
            language,
            (language === 'en' ? explanation : explained(language)).reply,
          ]),
        ) as Record<Language, string>,
        listed: listed.find(({ row }) => row.payment_id === one.id)!,
        isListedStuck: stuckIds.has(one.id),
        bulkRow: Object.fromEntries(triageList.columns.map(({ key, value }) => [key, value(entry)])),
        menu: menuFor(entry, { index: 0, item: { actions: '' } }),
      };
    });
  } finally {
    await database.close();
  }
}

export const nameOf = ({ shown, last, age }: Case): string =>
  `${shown || '(none)'}, ${last ? `${last.operation} ${last.outcome}` : 'nothing sent'}, ${age}`;
