import type { Context } from 'hono';
import { Form } from '../form.js';
import { formatMoney, Money } from '../money.js';
import { showPage } from '../page.js';
import { plain, Text } from '../text.js';
import { hasOwnPage } from '../paying/attempt.js';
import { frameOf } from '../paying/frame.js';
import { payingScript } from '../paying/paying-script.js';
import { outcomesFor, TestOutcomes } from '../paying/test-outcomes.js';
import type { Visit } from '../paying/visit.js';

/** The customer is at the provider: a bank asks for a confirmation, or a wallet for a yes. */
export function showStep(c: Context, visit: Visit, token: string): Response | Promise<Response> {
  const { payment, profile } = visit;
  const amount = formatMoney(payment.amount, payment.currency);
  const isWallet = hasOwnPage(profile?.method_type ?? '');
  const heading = isWallet ? `Pay ${amount} with ${profile?.name}` : 'Confirm that it is you';
  return showPage(
    c,
    { ...frameOf(visit, 'provider'), title: heading, script: payingScript },
    <>
      <div class="card stack">
        <h1>{plain(heading)}</h1>
        {!isWallet && (
          <p>
            <Text of={profile?.name ?? 'Your bank'} /> asks you to confirm this payment.
          </p>
        )}
        <Facts visit={visit} />
        <Form action={visit.provider} token={token} class="stack">
          <button class="primary block" name="step" value="confirm" data-busy="Confirming …">
            {stepNames[profile?.method_type ?? ''] ?? 'Confirm the payment'}
          </button>
          <button class="block" name="step" value="refuse" data-busy="Cancelling …">
            {isWallet ? 'Do not pay' : 'Refuse'}
          </button>
        </Form>
      </div>
      {isWallet && <TestOutcomes action={visit.provider} token={token} {...outcomesFor([])} />}
      <p id="busy" class="visually-hidden" role="status"></p>
    </>,
  );
}

function Facts({ visit: { payment, app, profile } }: { visit: Visit }) {
  return (
    <dl class="facts">
      <dt>To</dt>
      <dd>
        <Text of={app.friendly_name} />
      </dd>
      <dt>Amount</dt>
      <dd>
        <Money amount={payment.amount} currency={payment.currency} />
      </dd>
      <dt>Reference</dt>
      <dd>
        <Text of={payment.reference_id} />
      </dd>
      {profile?.method_type === 'Crypto' && (
        <>
          <dt>Send to</dt>
          <dd class="mono">sandbox-wallet-{payment.payment_id}</dd>
        </>
      )}
    </dl>
  );
}

const stepNames: Readonly<Record<string, string>> = { Paypal: 'Agree and pay', Crypto: 'I have sent it' };
