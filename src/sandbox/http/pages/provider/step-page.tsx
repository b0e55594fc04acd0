import type { Context } from 'hono';
import { Form } from '../form.js';
import { formatMoney } from '../money.js';
import { showPage } from '../page.js';
import { hasOwnPage } from '../paying/attempt.js';
import { frameOf } from '../paying/frame.js';
import { TestChoices, walletChoices } from '../paying/test-choices.js';
import type { Visit } from '../paying/visit.js';

/** The customer is at the provider: a bank asks for a confirmation, or a wallet for a yes. */
export function showStep(c: Context, visit: Visit, token: string): Response | Promise<Response> {
  const { payment, app, profile } = visit;
  const amount = formatMoney(payment.amount, payment.currency);
  const isWallet = hasOwnPage(profile?.method_type ?? '');
  const heading = isWallet ? `Pay ${amount} with ${profile?.name}` : 'Confirm that it is you';
  return showPage(
    c,
    { ...frameOf(visit, 'provider'), title: heading },
    <div class="card stack">
      <h1>{heading}</h1>
      {!isWallet && (
        <p>{profile?.name ?? 'Your bank'} asks the holder of the card to confirm this payment.</p>
      )}
      <dl class="facts">
        <dt>To</dt>
        <dd>{app.friendly_name}</dd>
        <dt>Amount</dt>
        <dd class="num">{amount}</dd>
        <dt>Reference</dt>
        <dd>{payment.reference_id}</dd>
        {profile?.method_type === 'Crypto' && (
          <>
            <dt>Send to</dt>
            <dd class="mono">sandbox-wallet-{payment.payment_id}</dd>
          </>
        )}
      </dl>
      <Form action={visit.provider} token={token} class="stack">
        <button class="primary block" name="step" value="confirm">
          {stepNames[profile?.method_type ?? ''] ?? 'Confirm the payment'}
        </button>
        <button class="block" name="step" value="refuse">
          {isWallet ? 'Do not pay' : 'Refuse'}
        </button>
        {isWallet && <TestChoices title="Or let it end otherwise" choices={walletChoices} />}
      </Form>
    </div>,
  );
}

const stepNames: Readonly<Record<string, string>> = { Paypal: 'Agree and pay', Crypto: 'I have sent it' };
