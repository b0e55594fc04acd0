import type { Context } from 'hono';
import { checkoutMethods } from '../../../../contract/payment.js';
import { offeredProfiles } from '../../../domain/paying.js';
import type { ProviderProfileRow } from '../../../schema.js';
import { methodNames } from '../method-names.js';
import { formatMoney } from '../money.js';
import { showPage } from '../page.js';
import { savingOf, hasOwnPage } from '../paying/attempt.js';
import { Complaint } from '../paying/complaint.js';
import { frameOf } from '../paying/frame.js';
import { OrderSummary } from '../paying/order-summary.js';
import { PayForm } from '../paying/pay-form.js';
import { returnAddress } from '../paying/return-address.js';
import type { Typed } from '../paying/typed-values.js';
import type { Visit } from '../paying/visit.js';

/** A form that could not be used: what was typed into it, and for which provider. */
export interface Unusable {
  profile: ProviderProfileRow | undefined;
  typed: Typed;
}

/** The order, and every way of paying that this payment allows. */
export function showCheckout(
  c: Context,
  visit: Visit,
  token: string,
  unusable?: Unusable,
): Response | Promise<Response> {
  const { payment, app } = visit;
  const amount = formatMoney(payment.amount, payment.currency);
  const groups = groupByMethod(offeredProfiles(app, payment));
  const last = unusable?.profile ?? visit.profile;
  const open = groups.some(([method]) => method === last?.method_type) ? last?.method_type : groups[0]?.[0];
  const back = returnAddress(payment);
  return showPage(
    c,
    {
      ...frameOf(visit, 'shop'),
      title: `${unusable ? 'Not paid yet: ' : ''}Pay ${amount} to ${app.friendly_name}`,
      width: 'wide',
      ...(unusable && { status: 422 as const }),
    },
    <div class="columns">
      <div class="stack">
        <h1>
          <span class="muted small">Pay {app.friendly_name}</span> <span class="price num">{amount}</span>
        </h1>
        <OrderSummary app={app} payment={payment} />
        {back !== undefined && (
          <p class="small">
            <a href={back}>Back to {app.friendly_name} without paying</a>
          </p>
        )}
      </div>
      <section aria-labelledby="methods" class="stack">
        <h2 id="methods">How would you like to pay?</h2>
        <Complaint payment={payment} errors={unusable?.typed.errors} />
        {groups.length === 0 && (
          <p class="notice tone-waiting">
            No way of paying is open for this payment. Ask {app.friendly_name}.
          </p>
        )}
        <div>
          {groups.map(([method, profiles]) => (
            <details class="method" name="method" open={method === open}>
              <summary>
                <h3>{methodNames[method] ?? method}</h3>
                <span class="muted small">{providerNames(method, profiles)}</span>
              </summary>
              <PayForm
                action={visit.home}
                token={token}
                methodType={method}
                profiles={profiles}
                saving={savingOf(payment)}
                shop={app.friendly_name}
                amount={amount}
                typed={unusable?.profile?.method_type === method ? unusable.typed : undefined}
                chosen={last?.payment_profile_id}
                submit={
                  hasOwnPage(method) ? (
                    <>
                      <p class="muted small">
                        You confirm on the page of {profiles[0]?.name}, then come back.
                      </p>
                      <button class="primary block">Continue to {profiles[0]?.name}</button>
                    </>
                  ) : undefined
                }
              />
            </details>
          ))}
        </div>
      </section>
    </div>,
  );
}

/** Not said twice where the provider is called as its method is. */
function providerNames(method: string, profiles: ProviderProfileRow[]): string {
  const names = profiles.map(({ name }) => name).join(', ');
  return names.toLowerCase() === methodNames[method]?.toLowerCase() ? '' : names;
}

function groupByMethod(profiles: ProviderProfileRow[]): Array<[string, ProviderProfileRow[]]> {
  return checkoutMethods
    .map((method): [string, ProviderProfileRow[]] => [
      method,
      profiles.filter(({ method_type }) => method_type === method),
    ])
    .filter(([, of]) => of.length > 0);
}
