import { states } from '../../../../contract/states.js';
import { testCards, type CardName } from '../../../domain/cards.js';
import type { PaymentRow } from '../../../schema.js';
import { Form } from '../form.js';

export function Checkout({ payment, action, token }: { payment: PaymentRow; action: string; token: string }) {
  const open = payment.state === 'Created' || payment.state === 'Declined';
  return (
    <div class="card stack">
      <h1>
        Pay {payment.currency} {payment.amount}
      </h1>
      <p>
        Reference {payment.reference_id}: {payment.state}. {states[payment.state].meaning}
      </p>
      {open && (
        <Form action={action} token={token} class="stack">
          <div class="field">
            <label for="card">Test card</label>
            <select id="card" name="card">
              {(Object.keys(testCards) as CardName[]).map((name) => (
                <option value={name}>
                  {name}: {testCards[name].summary}
                </option>
              ))}
            </select>
          </div>
          <button class="primary block">Pay</button>
        </Form>
      )}
      {payment.state === 'ActionRequired' && (
        <Form action={action} token={token} class="row">
          <button class="primary" name="challenge" value="passed">
            Confirm
          </button>
          <button name="challenge" value="failed">
            Refuse
          </button>
        </Form>
      )}
      {payment.return_url !== null && (
        <p>
          <a href={payment.return_url}>Back to the shop</a>
        </p>
      )}
    </div>
  );
}
