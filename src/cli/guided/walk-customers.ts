// The customers that were found, as a list to walk through with the arrow keys: into their payments.

import type { FoundCustomer } from '../../customers/find-customers.js';
import { createKnownSearch } from '../../ledger/known/search.js';
import type { DeskTables } from '../../ledger/schema.js';
import { customerCard } from '../../output/views/customer.js';
import { foundCustomerChoices } from '../../output/views/found-customers.js';
import { safeText } from '../../output/text.js';
import type { Store } from '../../store/store.js';
import { assessFound } from '../../support/list.js';
import type { CommandContext } from '../runtime/context.js';
import { askMenu } from './menu.js';
import type { Session } from '../desk/session.js';
import { explainOptions } from '../desk/support-records.js';
import { choiceWidth, walkFound } from './walk-found.js';

const MAX_PAYMENTS = 50;

/** Until the person quits. `store` is undefined where this desk cannot open its database. */
export async function walkCustomers(
  context: CommandContext,
  session: Session,
  customers: readonly FoundCustomer[],
  store: Store<DeskTables> | undefined,
): Promise<void> {
  const lines = foundCustomerChoices(customers, choiceWidth(context));
  for (;;) {
    const chosen = await askMenu<FoundCustomer | 'quit'>(
      {
        message: 'Open a customer?',
        choices: [
          ...customers.map((customer, at) => ({
            name: lines[at] ?? '',
            short: safeText(customer.customerId),
            value: customer,
          })),
          { name: 'Quit', value: 'quit' },
        ],
        escape: { name: 'quit', value: 'quit' },
      },
      context.prompts(),
    );
    if (chosen === 'quit') return;
    const { object, customerId, name, email } = chosen;
    context.show(object ?? { customerId, firstName: name, email }, customerCard);
    const payments = store ? await paymentsOf(context, session, store, customerId) : [];
    if (payments.length === 0) context.note('This desk has no known payments of this customer.');
    else if ((await walkFound(context, session, payments, { back: 'Back to the customers' })) === 'quit')
      return;
  }
}

async function paymentsOf(
  context: CommandContext,
  { client, profile }: Session,
  store: Store<DeskTables>,
  customer: string,
) {
  const rows = await createKnownSearch(store, profile).find([], { customer }, MAX_PAYMENTS);
  const found = rows.slice(0, MAX_PAYMENTS).map((row) => ({ row, match: 'detail' as const }));
  return assessFound({ store, app: profile, client, ...explainOptions(context, profile) }, found);
}
