import { answerFields } from '../../contract/answer-fields.js';
import type { JsonObject } from '../../contract/json.js';
import { takenAmount } from '../../contract/money.js';
import { canonicalState, payableStates, type StateName } from '../../contract/states.js';
import type { NamedRead } from '../../payments/named-payments.js';
import { amountCell, formatAmount } from '../../contract/amount-format.js';
import { cardLines, extraFields, type Field } from '../card.js';
import { type Line, type View, joinPieces, toned } from '../lines.js';
import { describeError, type ErrorReport } from '../report.js';
import type { ListView } from '../rows.js';
import { instantText, shortInstant } from '../time.js';
import { statePiece, textAt, textOf, valueAt } from '../values.js';

/** What the card shows in its own words; everything else is shown as the service sent it. */
const known = new Set(Object.keys(answerFields.payment));

function paymentAmount(payment: unknown, key: 'amount' | 'capturedAmount' = 'amount'): string {
  const source = textAt(payment, key);
  return source === '' ? '' : formatAmount(source, textAt(payment, 'currency'));
}

/** What an operation moves, as the service wrote it: a refund returns what was captured, whatever the state is called. */
export function movedAmount(operation: string | null, payment: unknown): string {
  const [amount, capturedAmount] = [textAt(payment, 'amount'), textAt(payment, 'capturedAmount')];
  return takenAmount(operation === 'refund' ? 'Captured' : undefined, { amount, capturedAmount }) ?? '';
}

export function movedText(operation: string | null, payment: unknown): string {
  const source = movedAmount(operation, payment);
  return source === '' ? '' : formatAmount(source, textAt(payment, 'currency'));
}

/** `Visa credit, expires 04/2029`. */
export function cardText(card: unknown): string {
  const name = [textAt(card, 'cardBrand'), textAt(card, 'cardType').toLowerCase()].filter(Boolean).join(' ');
  const month = textAt(card, 'cardExpiryMonth');
  const year = textAt(card, 'cardExpiryYear');
  const expiry = month !== '' && year !== '' ? `expires ${month.padStart(2, '0')}/${year}` : '';
  return [name, expiry].filter(Boolean).join(', ');
}

function paidWith(payment: unknown): string {
  const profile = valueAt(payment, 'payInfo', 'paymentProfile');
  const name = textAt(profile, 'paymentProfileName');
  const id = textAt(profile, 'paymentProfileId');
  const via =
    name === '' ? (id === '' ? '' : `profile ${id}`) : `${name}${id === '' ? '' : ` (profile ${id})`}`;
  const method =
    cardText(valueAt(payment, 'payInfo', 'payer', 'card')) || textAt(profile, 'paymentMethodTypeString');
  return [method, via === '' ? '' : `via ${via}`].filter(Boolean).join(', ');
}

function customer(payment: unknown): string {
  const id = textAt(payment, 'customerId');
  const email = textAt(payment, 'payInfo', 'payer', 'email');
  return email === '' ? id : `${id}  <${email}>`;
}

function flow(payment: unknown): string {
  const auto = valueAt(payment, 'autoCapture');
  const capture =
    auto === true ? 'captured automatically' : auto === false ? 'captured on request' : textOf(auto);
  return [textAt(payment, 'paymentFlow'), capture].filter(Boolean).join(', ');
}

function amountFields(payment: unknown, terminal: boolean): Field[] {
  const amount = paymentAmount(payment);
  const captured = paymentAmount(payment, 'capturedAmount');
  if (!terminal) {
    return [
      { label: 'Amount', value: amount },
      { label: 'Captured', value: captured },
    ];
  }
  const nothing = /^(0(\.0+)?)?$/.test(textAt(payment, 'capturedAmount'));
  const rest: Line = nothing ? '' : joinPieces('   ', toned('dim', 'captured '), captured);
  return [{ label: 'Amount', value: joinPieces(amount, rest) }];
}

/** The checkout link is of use only while the customer can still pay. */
function checkoutLink(payment: unknown, state: StateName | undefined): string {
  const isOver = state !== undefined && !payableStates.includes(state);
  return isOver ? '' : textAt(payment, 'redirectUrl');
}

const unpaidStates: readonly StateName[] = ['Declined', 'Failed', 'Expired', 'Cancelled'];

/** Scripts find it under one name; a person is not told that a declined payment was paid. */
const methodLabel = (state: StateName | undefined, terminal: boolean): string =>
  terminal && state !== undefined && unpaidStates.includes(state) ? 'Method' : 'Paid with';

/** The sandbox says why a payment failed in a field that the service does not name. */
const named = (field: Field, terminal: boolean): Field =>
  terminal && field.label === 'failureReason' ? { ...field, label: 'Reason' } : field;

/** A payment as `payments get` shows it. `state` is our name for its state, which a service may call otherwise. */
export const paymentCardIn =
  (state: StateName | undefined): View<unknown> =>
  (payment, context) => {
    const autoPayment = textAt(payment, 'autoPayment');
    return cardLines(
      {
        kind: 'Payment',
        id: textAt(payment, 'paymentId'),
        reference: textAt(payment, 'referenceId'),
        state: statePiece(textAt(payment, 'paymentState')),
        fields: [
          ...amountFields(payment, context.terminal),
          { label: 'Customer', value: customer(payment) },
          { label: methodLabel(state, context.terminal), value: paidWith(payment) },
          { label: 'Flow', value: flow(payment) },
          { label: 'Auto-payment', value: autoPayment === 'None' ? '' : autoPayment },
          { label: 'Fraud', value: textAt(payment, 'fraudStatus') },
          { label: 'Created', value: instantText(textAt(payment, 'createdTime'), context) },
          { label: 'Webhook', value: textAt(payment, 'webhookUrl') },
          { label: 'Checkout', value: checkoutLink(payment, state) },
          ...extraFields(payment, known).map((field) => named(field, context.terminal)),
        ],
      },
      context,
    );
  };

/** The card of a payment whose service names the states as we do. */
export const paymentCard: View<unknown> = (payment, context) =>
  paymentCardIn(canonicalState(textAt(payment, 'paymentState')))(payment, context);

/** Why one of several payments could not be read. */
export interface FailedRead {
  payment: string;
  error: ErrorReport;
}

/** One of several payments as `--json` prints it: the service's own object, or why it could not be read. */
export function readJson(entry: NamedRead, profile: string | undefined): JsonObject | FailedRead {
  if ('read' in entry) return entry.read.object;
  return { payment: entry.name.typed, error: describeError(entry.error, profile) };
}

export const paymentList: ListView<unknown> = {
  empty: 'No payments.',
  columns: [
    { key: 'payment', value: (payment) => textAt(payment, 'paymentId') },
    {
      key: 'reference',
      mayCut: (payment) => textAt(payment, 'paymentId') !== '',
      value: (payment) => textAt(payment, 'referenceId'),
    },
    {
      key: 'state',
      value: (payment) => textAt(payment, 'paymentState'),
      shown: (payment) => statePiece(textAt(payment, 'paymentState')),
    },
    {
      key: 'amount',
      align: 'right',
      number: true,
      value: (payment) => amountCell(textAt(payment, 'amount'), textAt(payment, 'currency')),
      shown: (payment) => paymentAmount(payment),
    },
    { key: 'currency', extra: 'terminal', value: (payment) => textAt(payment, 'currency') },
    { key: 'customer', spare: 2, value: (payment) => textAt(payment, 'customerId') },
    {
      key: 'created',
      whole: true,
      spare: 1,
      value: (payment) => textAt(payment, 'createdTime'),
      shown: (payment, context) => shortInstant(textAt(payment, 'createdTime'), context),
    },
    {
      key: 'captured',
      extra: true,
      align: 'right',
      number: true,
      value: (payment) => amountCell(textAt(payment, 'capturedAmount'), textAt(payment, 'currency')),
      shown: (payment) => paymentAmount(payment, 'capturedAmount'),
    },
    { key: 'fraud', extra: true, value: (payment) => textAt(payment, 'fraudStatus') },
    { key: 'flow', extra: true, value: (payment) => textAt(payment, 'paymentFlow') },
    { key: 'app', extra: true, value: (payment) => textAt(payment, 'appId') },
  ],
};
