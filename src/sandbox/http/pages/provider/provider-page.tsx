import type { Context } from 'hono';
import { formatMoney } from '../money.js';
import { showPage } from '../page.js';
import { savingOf, hasOwnPage } from '../paying/attempt.js';
import { Complaint } from '../paying/complaint.js';
import { frameOf } from '../paying/frame.js';
import { orderOf } from '../paying/order.js';
import { PayForm } from '../paying/pay-form.js';
import { returnAddress } from '../paying/return-address.js';
import { TestChoices, walletChoices } from '../paying/test-choices.js';
import type { Typed } from '../paying/typed-values.js';
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
  const isOpen = profile?.is_active === 1;
  const back = returnAddress(payment);
  const order = orderOf(payment);
  return showPage(
    c,
    {
      ...frameOf(visit, 'provider'),
      title: `${typed ? 'Not paid yet: ' : ''}Pay ${amount} with ${profile?.name ?? 'the provider'}`,
      ...(typed && { status: 422 as const }),
    },
    <div class="card stack">
      <h1>
        <span class="muted small">{app.friendly_name} asks for</span> <span class="price num">{amount}</span>
      </h1>
      {order.description !== undefined && <p>{order.description}</p>}
      <dl class="facts small">
        {order.number !== undefined && (
          <>
            <dt>Order</dt>
            <dd>{order.number}</dd>
          </>
        )}
        <dt>Reference</dt>
        <dd>{payment.reference_id}</dd>
      </dl>
      <Complaint payment={payment} errors={typed?.errors} />
      {!isOpen && (
        <p class="notice tone-waiting">
          {profile?.name ?? 'This provider'} takes no payments at the moment. Ask {app.friendly_name}.
        </p>
      )}
      {isOpen && (
        <PayForm
          action={visit.provider}
          token={token}
          methodType={profile.method_type}
          profiles={[profile]}
          saving={savingOf(payment)}
          shop={app.friendly_name}
          amount={amount}
          typed={typed}
          chosen={undefined}
          submit={
            hasOwnPage(profile.method_type) ? (
              <>
                <button class="primary block">Pay {amount}</button>
                <TestChoices title="Or let it end otherwise" choices={walletChoices} />
              </>
            ) : undefined
          }
        />
      )}
      {back !== undefined && (
        <p class="small">
          <a href={back}>Back to {app.friendly_name} without paying</a>
        </p>
      )}
    </div>,
  );
}
