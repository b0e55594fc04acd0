import type { ConsolePayment } from '../../../console/payment-list.js';
import { shorten } from '../../../../shorten.js';
import type { App } from '../../../domain/apps.js';
import { registrationOf } from '../../../domain/methods.js';
import type { CustomerRow, MethodRow } from '../../../schema.js';
import { Text } from '../text.js';
import { DeskCommands } from './command.js';
import type { Commands } from '../../../console/commands.js';
import { sections } from './console-frame.js';
import { nameText } from './customers-page.js';
import { PaymentTable, paymentPath } from './payments-page.js';
import { Fact, Time, withQuery } from './pieces.js';

interface CustomerProps {
  app: App;
  customer: CustomerRow;
  methods: MethodRow[];
  payments: ConsolePayment[];
  /** To the customer's own panel. */
  panel: string;
  commands: Commands;
}

/** As many stored methods as fit beside the rest. */
const METHODS = 20;

export function CustomerPage({ app, customer, methods, payments, panel, commands }: CustomerProps) {
  const { customer_id: id, app_id: appId } = customer;
  const policy = app.policies.find((each) => each.fraud_policy_id === customer.fraud_policy_id);
  return (
    <>
      <section class="card stack" aria-labelledby="customer-title">
        <h1 id="customer-title">
          Customer <Text of={id} />{' '}
          <span class="sub">
            <Text of={shorten(nameText(customer), 120)} />
          </span>
        </h1>
        <dl class="pairs">
          <Fact name="E-mail">
            <Text of={shorten(customer.email ?? 'none', 120)} />
          </Fact>
          <Fact name="Mobile">
            <Text of={shorten(customer.mobile_number ?? 'none', 60)} />
          </Fact>
          <Fact name="Fraud policy">
            <Text of={policy ? shorten(policy.name, 60) : 'the policy of the payment or the app'} />
          </Fact>
          <Fact name="App">
            <Text of={shorten(app.friendly_name, 80)} /> ({appId})
          </Fact>
          <Fact name="Since">
            <Time at={customer.created_time} />
          </Fact>
          <Fact name="Panel">
            <a href={panel} target="_blank" rel="noopener">
              Open the customer panel<span class="visually-hidden"> in a new tab</span>
            </a>
          </Fact>
        </dl>
        <DeskCommands
          app={app}
          commands={commands}
          of={[commands.desk(appId, ['customers', 'panel-link'], id)]}
        />
      </section>
      <section class="card stack" aria-labelledby="methods-title">
        <h2 id="methods-title">Stored methods</h2>
        {methods.length === 0 ? (
          <p class="muted">None.</p>
        ) : (
          <ul class="quiet-list stack">
            {methods.slice(-METHODS).map((method) => (
              <li>
                <Method method={method} />
              </li>
            ))}
          </ul>
        )}
      </section>
      <section class="card stack" aria-labelledby="payments-title">
        <h2 id="payments-title">Newest payments</h2>
        {payments.length === 0 ? (
          <p class="muted">None.</p>
        ) : (
          <PaymentTable payments={payments} apps={[app]} />
        )}
        <p>
          <a href={withQuery(sections.payments.path, { q: id, by: 'customer', app: appId })}>
            All payments of this customer
          </a>
        </p>
      </section>
    </>
  );
}

function Method({ method }: { method: MethodRow }) {
  const { brand, card_type: type, expiry_month: month, expiry_year: year, last_payment_id: last } = method;
  return (
    <>
      <p>
        {brand === null ? method.method_type : `${brand} ${type ?? ''}`}
        {month !== null && year !== null && `, expires ${String(month).padStart(2, '0')}/${year}`}
        {method.is_stopped === 1 && ', automatic payments stopped'}
      </p>
      <p class="small muted">
        Method {method.payment_method_id}, registration {registrationOf(method)}, test card {method.card}
        {last !== null && (
          <>
            , last used for <a href={paymentPath(last)}>payment {last}</a>
          </>
        )}
      </p>
    </>
  );
}
