import { formatAmount } from '../../../../contract/amount-format.js';
import type { CommandTemplate } from '../../../console/commands.js';
import { stateNames, statesAwaitingProvider, type StateName } from '../../../../contract/states.js';
import type { ConsolePayment, PaymentFilter, PaymentListPage } from '../../../console/payment-list.js';
import { timeText } from '../../../console/texts.js';
import { shorten } from '../../../../shorten.js';
import type { App } from '../../../domain/apps.js';
import { StateBadge } from '../badge.js';
import { sections } from './console-frame.js';
import { CommandBlock } from './command.js';
import { Text } from '../text.js';
import { Count, Pager, Select } from './pieces.js';
import { SearchForm, type SearchFormProps } from './search-form.js';

interface PaymentsProps {
  apps: App[];
  filter: PaymentFilter;
  typed: SearchFormProps['typed'];
  page: PaymentListPage;
  isFirst: boolean;
  /** Commands that make payments where there are none. */
  create: CommandTemplate;
  seed: CommandTemplate;
}

const kinds = [
  ['', 'Anything'],
  ['id', 'Payment id'],
  ['reference', 'Reference'],
  ['customer', 'Customer'],
  ['amount', 'Amount'],
  ['date', 'Date'],
] as const;

export function PaymentsPage({ apps, filter, typed, page, isFirst, create, seed }: PaymentsProps) {
  const isFiltered = filter.state !== undefined || filter.app !== undefined || filter.search !== undefined;
  return (
    <>
      <h1>Payments</h1>
      <SearchForm
        path={sections.payments.path}
        typed={typed}
        placeholder="inv-1 or 149.90"
        kinds={kinds}
        apps={apps}
        app={filter.app}
        isFiltered={isFiltered}
      >
        <Select
          id="state"
          label="State"
          options={[['', 'Any state'], ...stateNames.map((name) => [name, name] as const)]}
          chosen={filter.state ?? ''}
        />
      </SearchForm>
      <section class="card stack" id="payments" data-live aria-label="Payments">
        <Said filter={filter} page={page} />
        {page.rows.length > 0 && <Count total={page.total} one="payment" />}
        {page.rows.length === 0 ? (
          <Nothing isFiltered={isFiltered} create={create} seed={seed} />
        ) : (
          <PaymentTable payments={page.rows} apps={apps} />
        )}
        <Pager
          path={sections.payments.path}
          query={queryOf(filter)}
          next={page.next}
          isFirst={isFirst}
          older={page.looked === undefined ? 'More payments' : 'Continue the search'}
          first="First page"
        />
      </section>
    </>
  );
}

const queryOf = ({ state, app, search }: PaymentFilter): Record<string, string | undefined> => ({
  q: search?.text,
  by: search?.by,
  state,
  app,
});

/** In words, where a search was understood in one of several ways or only a part was looked at. */
function Said({ filter: { search, state }, page }: { filter: PaymentFilter; page: PaymentListPage }) {
  if (!search) return null;
  const what = {
    id: 'The payment with the id',
    reference: 'Payments whose reference begins with',
    customer: 'Payments of the customer',
    amount: 'Payments of the amount',
    date: 'Payments created on',
  }[search.by];
  return (
    <p class="muted">
      {what}{' '}
      <strong>
        <Text of={shorten(search.text, 60)} />
      </strong>
      {state !== undefined && `, in the state ${state}`}.
      {page.looked !== undefined && page.next !== undefined && ` ${page.looked} searched so far.`}
    </p>
  );
}

function Nothing({
  isFiltered,
  create,
  seed,
}: { isFiltered: boolean } & Pick<PaymentsProps, 'create' | 'seed'>) {
  return isFiltered ? (
    <p>No matching payments.</p>
  ) : (
    <div class="stack-tight">
      <p>No payments yet. Create one, or add sample payments, one in every state:</p>
      <CommandBlock template={create} />
      <CommandBlock template={seed} />
    </div>
  );
}

export function PaymentTable({ payments, apps }: { payments: ConsolePayment[]; apps: App[] }) {
  const nameOf = (id: string) => apps.find((app) => app.app_id === id)?.friendly_name ?? id;
  return (
    <div class="scroll">
      <table>
        <thead>
          <tr>
            <th scope="col">Payment</th>
            <th scope="col" class="roomy">
              Customer
            </th>
            <th scope="col" class="num roomy">
              Amount
            </th>
            <th scope="col">State</th>
            <th scope="col" class="roomy">
              Created
            </th>
            <th scope="col" class="roomy">
              App
            </th>
          </tr>
        </thead>
        <tbody>
          {payments.map((payment) => (
            <tr data-key={payment.payment_id}>
              <td>
                <a href={paymentPath(payment.payment_id)} id={`p${payment.payment_id}`}>
                  {payment.payment_id}
                </a>
                <span class="sub">
                  <Text of={shorten(payment.reference_id, 40)} />
                </span>
                <span class="compact">{formatAmount(payment.amount, payment.currency)}</span>
              </td>
              <td class="roomy">
                <Text of={shorten(payment.customer_id, 24)} />
              </td>
              <td class="num roomy">{formatAmount(payment.amount, payment.currency)}</td>
              <td>
                <StateBadge state={payment.state} isStuck={isStuck(payment.state, payment.provider_knows)} />
                {isStuck(payment.state, payment.provider_knows) && <span class="sub">needs a recheck</span>}
              </td>
              <td class="roomy when">{timeText(payment.created_time)}</td>
              <td class="roomy">
                <Text of={shorten(nameOf(payment.app_id), 24)} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

export const paymentPath = (id: number): string => `${sections.payments.path}/payments/${id}`;

/** The provider has decided, and the service does not know it yet. */
export const isStuck = (state: StateName, providerKnows: string | null): boolean =>
  providerKnows !== null && statesAwaitingProvider.includes(state);
