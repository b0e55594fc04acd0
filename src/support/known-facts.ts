// What can be said of a payment from what this desk knows, without asking the service.

import { isStateName } from '../contract/states.js';
import type { OpenIntent } from '../ledger/known-list.js';
import type { KnownPaymentRow } from '../ledger/schema.js';
import { formatAmount } from '../output/amount.js';
import { safeText } from '../output/text.js';
import type { Age, Facts } from './facts.js';
import { openInstruction } from './gather.js';

export function knownFacts(
  row: KnownPaymentRow,
  open: OpenIntent | undefined,
  { now, quietMs }: { now: number; quietMs: number },
): Facts {
  const { state } = row;
  const isNew = state === 'Created' && row.created_time !== null;
  const since = isNew ? (row.created_time as number) : row.state_time;
  const age: Age = { ms: Math.max(0, now - since), certainty: isNew ? 'exact' : 'at-least' };
  return {
    paymentId: row.payment_id,
    referenceId: row.reference_id ?? undefined,
    state: isStateName(state) ? state : undefined,
    shown: state,
    amount:
      row.amount === null ? 'the amount' : safeText(formatAmount(row.amount, row.currency ?? undefined)),
    autoCapture: undefined,
    isCharge: undefined,
    reason: '',
    wasAuthorised: undefined,
    createdTime: row.created_time ?? undefined,
    age,
    open:
      open && openInstruction(open, open.outcome, { now, quietMs, canonicalState: (name) => stateOf(name) }),
    bounced: undefined,
    saidToBounce: undefined,
    ended: {},
    recheckedTime: undefined,
    lastWebhook: undefined,
    now,
  };
}

const stateOf = (name: string | undefined) => (isStateName(name) ? name : undefined);
