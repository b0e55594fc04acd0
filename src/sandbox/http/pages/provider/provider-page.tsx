import type { Context } from 'hono';
import { formatMoney } from '../money.js';
import { showPage } from '../page.js';
import { Text } from '../text.js';
import { savingOf, hasOwnPage } from '../paying/attempt.js';
import { Complaint, titleBefore } from '../paying/complaint.js';
import { frameOf } from '../paying/frame.js';
import { orderOf } from '../paying/order.js';
import { OrderFacts } from '../paying/order-facts.js';
import { PayButton, PayForm, Saving } from '../paying/pay-form.js';
import { payingScript } from '../paying/paying-script.js';
import { Back } from '../paying/back.js';
import { outcomesFor, TestOutcomes } from '../paying/test-outcomes.js';
import type { Typed } from '../paying/typed-values.js';
import type { ProviderProfileRow } from '../../../schema.js';
import type { Visit } from '../paying/visit.js';

/** The provider's own hosted page: the customer came here without seeing a checkout of the service. */
export function showProviderPage(
  c: Context,
  visit: Visit,
  token: string,
  typed?: Typed,
): Response | Promise<Response> {
  const { payment, app, profile } = visit;
  const amount = formatMoney(payment.amount, payment.currency);
  return showPage(
    c,
    {
      ...frameOf(visit, 'provider'),
      title: `${titleBefore(payment, typed?.errors)}Pay ${amount} with ${profile?.name ?? 'the provider'}`,
      script: payingScript,
      ...(typed && { status: 422 as const }),
    },
    <>
      <Complaint payment={payment} errors={typed?.errors} />
      <div class="card stack">
        <Asked visit={visit} amount={amount} />
        {profile?.is_active === 1 ? (
          <Pay visit={visit} profile={profile} token={token} amount={amount} typed={typed} />
        ) : (
          <p class="notice tone-waiting">
            <Text of={profile?.name ?? 'This provider'} /> takes no payments at the moment. Ask{' '}
            <Text of={app.friendly_name} />.
          </p>
        )}
        <Back visit={visit} />
      </div>
      {profile?.is_active === 1 && <Tests visit={visit} profile={profile} token={token} />}
      <p id="busy" class="visually-hidden" role="status"></p>
    </>,
  );
}

/** Who asks for how much, and for what. */
function Asked({ visit: { payment, app }, amount }: { visit: Visit; amount: string }) {
  const order = orderOf(payment);
  return (
    <>
      <h1>
        <span class="muted small">
          <Text of={app.friendly_name} /> asks you for
        </span>{' '}
        <span class="price num">{amount}</span>
      </h1>
      {order.description !== undefined && (
        <p dir="auto">
          <Text of={order.description} />
        </p>
      )}
      <dl class="facts small">
        <OrderFacts order={order} payment={payment} />
      </dl>
    </>
  );
}

interface PayProps {
  visit: Visit;
  profile: ProviderProfileRow;
  token: string;
  amount: string;
  typed: Typed | undefined;
}

function Pay({ visit: { payment, app, provider }, profile, token, amount, typed }: PayProps) {
  return (
    <PayForm
      action={provider}
      token={token}
      methodType={profile.method_type}
      profiles={[profile]}
      saving={savingOf(payment)}
      shop={app.friendly_name}
      amount={amount}
      typed={typed}
      chosen={undefined}
      submit={hasOwnPage(profile.method_type) ? <PayButton amount={amount} /> : undefined}
    />
  );
}

function Tests({ visit, profile, token }: Pick<PayProps, 'visit' | 'profile' | 'token'>) {
  const saving = savingOf(visit.payment);
  return (
    <TestOutcomes action={visit.provider} token={token} profiles={[profile]} {...outcomesFor([profile])}>
      {saving === 'offered' && (
        <Saving saving={saving} shop={visit.app.friendly_name} methodType="test" typed={undefined} />
      )}
    </TestOutcomes>
  );
}
