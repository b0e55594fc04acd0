import { cardLines, extraFields } from '../card.js';
import { type Line, type View, joinPieces, TAB, toned } from '../lines.js';
import type { ListView } from '../rows.js';
import { instantText } from '../time.js';
import { textAt, valueAt } from '../values.js';

const known = new Set([
  'customerId',
  'firstName',
  'lastName',
  'email',
  'mobileNumber',
  'phoneNumber',
  'fraudPolicyId',
  'app',
  'createdTime',
]);

const labels: Readonly<Record<string, string>> = {
  firstName: 'First name',
  lastName: 'Last name',
  email: 'Email',
  mobileNumber: 'Mobile',
};

const fullName = (customer: unknown): string =>
  [textAt(customer, 'firstName'), textAt(customer, 'lastName')].filter(Boolean).join(' ');

// The list of a service may hold bare ids.
const idOf = (customer: unknown): string =>
  typeof customer === 'string' ? customer : textAt(customer, 'customerId');

const phone = (customer: unknown): string =>
  textAt(customer, 'mobileNumber') || textAt(customer, 'phoneNumber');

function app(customer: unknown): Line {
  const of = valueAt(customer, 'app');
  const sandbox = valueAt(of, 'isSandbox');
  const kind = sandbox === true ? 'sandbox' : sandbox === false ? toned('waiting', 'live') : '';
  const name = [textAt(of, 'friendlyName'), textAt(of, 'appId')].filter(Boolean).join('  ');
  const blocked = valueAt(of, 'isBlocked') === true ? toned('bad', '  blocked') : '';
  return joinPieces(name, kind === '' || name === '' ? '' : '  ', kind, blocked);
}

export const customerCard: View<unknown> = (customer, context) =>
  cardLines(
    {
      kind: 'Customer',
      id: idOf(customer),
      fields: [
        { label: 'Name', value: fullName(customer) },
        { label: 'Email', value: textAt(customer, 'email') },
        { label: 'Mobile', value: phone(customer) },
        { label: 'Fraud policy', value: textAt(customer, 'fraudPolicyId') },
        { label: 'App', value: app(customer) },
        { label: 'Created', value: instantText(textAt(customer, 'createdTime'), context) },
        ...extraFields(customer, known),
      ],
    },
    context,
  );

/** The result for each field that was to be changed. */
export const customerChanges: View<{
  customer: unknown;
  changes: ReadonlyArray<{ field: string; before: string | null; after: string | null }>;
}> = ({ customer, changes }, context) => {
  const rows = changes.map(({ field, before, after }) => ({
    label: labels[field] ?? field,
    value: context.terminal
      ? joinPieces(before ?? '(nothing)', ' → ', after ?? '(nothing)')
      : joinPieces(before ?? '', TAB, after ?? ''),
  }));
  return cardLines({ kind: 'Customer', id: idOf(customer), fields: rows }, context);
};

export const customerListView: ListView<unknown> = {
  empty: 'No customers.',
  columns: [
    { key: 'customer', value: idOf },
    { key: 'name', value: fullName },
    { key: 'email', value: (customer) => textAt(customer, 'email') },
    { key: 'mobile', value: phone },
    { key: 'fraud-policy', extra: true, value: (customer) => textAt(customer, 'fraudPolicyId') },
  ],
};

/** The customer as it is after an update, as a row. */
export const updatedCustomerList: ListView<{ customer: unknown }> = {
  empty: customerListView.empty,
  columns: customerListView.columns.map(({ value, shown, ...column }) => ({
    ...column,
    value: ({ customer }) => value(customer),
    ...(shown && { shown: ({ customer }, context) => shown(customer, context) }),
  })),
};
