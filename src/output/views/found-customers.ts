import { firstLine, type PaydeskError } from '../../errors.js';
import type { FoundCustomer, FoundCustomers } from '../../customers/find-customers.js';
import { counted } from '../../contract/amount-format.js';
import { choiceLines } from '../choices.js';
import type { Line } from '../lines.js';
import type { ListView } from '../rows.js';

/** As `--json` prints it; `customer` is the service's own object. */
export const foundCustomerJson = ({ object, ...found }: FoundCustomer): Record<string, unknown> => ({
  customerId: found.customerId,
  name: found.name || null,
  email: found.email || null,
  mobileNumber: found.mobile || null,
  match: found.match,
  customer: object ?? null,
});

export const foundCustomerList: ListView<FoundCustomer> = {
  empty: 'No matching customers.',
  columns: [
    { key: 'customer', value: ({ customerId }) => customerId },
    { key: 'name', value: ({ name }) => name },
    { key: 'email', value: ({ email }) => email },
    { key: 'mobile', value: ({ mobile }) => mobile },
    { key: 'match', extra: true, value: ({ match }) => match },
  ],
};

/** The list that a person walks through. */
export const foundCustomerChoices = (customers: readonly FoundCustomer[], width: number): string[] =>
  choiceLines(
    customers.map(({ customerId, name, email, mobile }) => [customerId, name, email, mobile]),
    width,
  );

/** Above a list that a person walks through: what it cannot show, and why. */
export const incompleteSearch = (failure: PaydeskError): Line[] => [
  'The search is incomplete: it shows only customers of known payments.',
  firstLine(failure.message),
];

/** What was searched, where that was not everything or nothing was found. */
export function aboutFoundCustomers({ found, more, searched, isCut, failure }: FoundCustomers): Line[] {
  if (more) return ['There are more. Add a word, or use --limit N.'];
  const count = counted(searched, 'customer');
  if (isCut) return [`Searched only the first ${count} of the service. Search all with --all.`];
  if (failure || found.length > 0) return [];
  return [`Searched ${count} of the service, and the customers of known payments.`];
}
