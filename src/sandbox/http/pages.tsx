import type { Child } from 'hono/jsx';
import { states } from '../../contract/states.js';
import { testCards, type CardName } from '../domain/cards.js';
import type { MethodRow, PaymentRow } from '../schema.js';

// Plain pages of the hosted checkout, the customer's panel and the console: what stands there now, in one request.

function Page({ title, children }: { title: string; children?: Child }) {
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>{title}</title>
      </head>
      <body>
        <main>
          <h1>{title}</h1>
          {children}
          <p>This is a sandbox. No money moves.</p>
        </main>
      </body>
    </html>
  );
}

export function CheckoutPage({ payment, action }: { payment: PaymentRow; action: string }) {
  const open = payment.state === 'Created' || payment.state === 'Declined';
  return (
    <Page title={`Pay ${payment.currency} ${payment.amount}`}>
      <p>
        Reference {payment.reference_id}: {payment.state}. {states[payment.state].meaning}
      </p>
      {open && (
        <form method="post" action={action}>
          <label>
            Test card{' '}
            <select name="card">
              {(Object.keys(testCards) as CardName[]).map((name) => (
                <option value={name}>
                  {name}: {testCards[name].summary}
                </option>
              ))}
            </select>
          </label>{' '}
          <button type="submit">Pay</button>
        </form>
      )}
      {payment.state === 'ActionRequired' && (
        <form method="post" action={action}>
          <button type="submit" name="challenge" value="passed">
            Confirm
          </button>{' '}
          <button type="submit" name="challenge" value="failed">
            Refuse
          </button>
        </form>
      )}
      {payment.return_url !== null && (
        <p>
          <a href={payment.return_url}>Back to the shop</a>
        </p>
      )}
    </Page>
  );
}

export function PanelPage({ customerId, methods }: { customerId: string; methods: MethodRow[] }) {
  return (
    <Page title="Your payment methods">
      <p>Customer {customerId}</p>
      {methods.length === 0 && <p>No stored methods.</p>}
      <ul>
        {methods.map((method) => (
          <li>
            {method.brand ?? method.method_type}
            {method.expiry_month !== null && `, expires ${method.expiry_month}/${method.expiry_year}`}
            {method.is_stopped === 1 && ', not charged any more'}
          </li>
        ))}
      </ul>
    </Page>
  );
}

export function ConsolePage({ payments }: { payments: PaymentRow[] }) {
  return (
    <Page title="paydesk sandbox">
      <table>
        <thead>
          <tr>
            <th>Payment</th>
            <th>Reference</th>
            <th>Amount</th>
            <th>State</th>
          </tr>
        </thead>
        <tbody>
          {payments.map((payment) => (
            <tr>
              <td>{payment.payment_id}</td>
              <td>{payment.reference_id}</td>
              <td>
                {payment.currency} {payment.amount}
              </td>
              <td>{payment.state}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Page>
  );
}

export function GonePage() {
  return (
    <Page title="This link does not work">
      <p>It is incomplete or has expired. Ask the shop for a new one.</p>
    </Page>
  );
}
