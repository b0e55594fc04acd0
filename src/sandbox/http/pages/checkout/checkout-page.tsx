import type { Context } from 'hono';
import { checkoutMethods } from '../../../../contract/checkout-methods.js';
import { offeredProfiles } from '../../../domain/paying.js';
import type { ProviderProfileRow } from '../../../schema.js';
import { methodNames } from '../method-names.js';
import { formatTime } from '../dates.js';
import { formatMoney } from '../money.js';
import { showPage } from '../page.js';
import { Text } from '../text.js';
import { savingOf, hasOwnPage } from '../paying/attempt.js';
import { Complaint, titleBefore } from '../paying/complaint.js';
import { frameOf } from '../paying/frame.js';
import { OrderSummary } from '../paying/order-summary.js';
import { PayForm, Saving } from '../paying/pay-form.js';
import { payingScript } from '../paying/paying-script.js';
import { Back } from '../paying/back.js';
import { outcomesFor, TestOutcomes } from '../paying/test-outcomes.js';
import type { Typed } from '../paying/typed-values.js';
import type { Visit } from '../paying/visit.js';

/** A form that could not be used: what was typed into it, and for which provider. */
interface Unusable {
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
  const errors = unusable?.typed.errors;
  return showPage(
    c,
    {
      ...frameOf(visit, 'shop'),
      title: `${titleBefore(payment, errors)}Pay ${amount} to ${app.friendly_name}`,
      width: 'wide',
      script: payingScript,
      ...(unusable && { status: 422 as const }),
    },
    <>
      <Complaint payment={payment} errors={errors} />
      <div class="columns">
        <Order visit={visit} amount={amount} />
        <Methods visit={visit} token={token} amount={amount} unusable={unusable} />
        <Back visit={visit} />
      </div>
      <p id="busy" class="visually-hidden" role="status"></p>
    </>,
  );
}

/** What is paid, to whom, and until when; on a phone in a few lines. */
function Order({ visit: { payment, app }, amount }: { visit: Visit; amount: string }) {
  return (
    <div class="stack">
      <h1>
        <span class="muted small">
          Pay <Text of={app.friendly_name} />
        </span>{' '}
        <span class="price num">{amount}</span>
      </h1>
      {payment.expiration_time !== null && (
        <p class="muted small">
          This link expires on <span class="num">{formatTime(payment.expiration_time)}</span>.
        </p>
      )}
      <OrderSummary app={app} payment={payment} />
    </div>
  );
}

interface MethodsProps {
  visit: Visit;
  token: string;
  amount: string;
  unusable: Unusable | undefined;
}

function Methods({ visit, token, amount, unusable }: MethodsProps) {
  const { payment, app } = visit;
  const profiles = offeredProfiles(app, payment);
  const groups = groupByMethod(profiles);
  const last = unusable?.profile ?? visit.profile;
  const open = groups.some(([method]) => method === last?.method_type) ? last?.method_type : groups[0]?.[0];
  const shared = { action: visit.home, token, saving: savingOf(payment), shop: app.friendly_name };
  return (
    <section aria-labelledby="methods" class="methods stack">
      <h2 id="methods">How would you like to pay?</h2>
      {groups.length === 0 && (
        <p class="notice tone-waiting">
          You cannot pay at the moment. Ask <Text of={app.friendly_name} />.
        </p>
      )}
      <div>
        {groups.map(([method, of]) => (
          <details class="method" name="method" open={method === open}>
            <summary>
              <h3>{methodNames[method] ?? method}</h3>
              <span class="muted small">
                <Text of={providerNames(method, of)} />
              </span>
            </summary>
            <PayForm
              {...shared}
              methodType={method}
              profiles={of}
              amount={amount}
              typed={unusable?.profile?.method_type === method ? unusable.typed : undefined}
              chosen={last?.payment_profile_id}
              submit={hasOwnPage(method) ? <ContinueTo provider={of[0]?.name ?? ''} /> : undefined}
            />
          </details>
        ))}
      </div>
      {groups.length > 0 && (
        <TestOutcomes {...shared} {...outcomesFor(profiles)} profiles={groups.flatMap(([, of]) => of)}>
          {shared.saving === 'offered' && <Saving {...shared} methodType="test" typed={undefined} />}
        </TestOutcomes>
      )}
    </section>
  );
}

function ContinueTo({ provider }: { provider: string }) {
  return (
    <>
      <p class="muted small">
        You confirm on the page of <Text of={provider} />, then come back.
      </p>
      <button class="primary block" data-busy="Opening …">
        Continue to <Text of={provider} />
      </button>
    </>
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
