import { isExpired } from '../../../domain/cards.js';
import type { App } from '../../../domain/apps.js';
import { registrationOf } from '../../../domain/methods.js';
import type { MethodRow, PaymentRow } from '../../../schema.js';
import { formatDay } from '../dates.js';
import { Form } from '../form.js';
import { methodNames } from '../method-names.js';
import { formatMoney } from '../money.js';
import { clip, orderOf } from '../paying/order.js';

interface StoredMethodProps {
  method: MethodRow;
  app: App;
  lastUse: PaymentRow | undefined;
  now: number;
  action: string;
  token: string;
}

/** One stored method: what it is, what it was last used for, and how to end it. */
export function StoredMethod({ method, app, lastUse, now, action, token }: StoredMethodProps) {
  const name = nameOf(method);
  const provider = app.profiles.find(({ payment_profile_id: id }) => id === method.payment_profile_id);
  const { expiry_month: month, expiry_year: year } = method;
  const expiry = month === null || year === null ? undefined : { month, year };
  const stopped = method.is_stopped === 1;
  return (
    <div class="stack">
      <div class="row apart">
        <h2>{name}</h2>
        {expiry && isExpired(expiry, now) && <span class="badge tone-bad">Expired</span>}
        {stopped ? (
          <span class="badge tone-neutral">Automatic payments stopped</span>
        ) : (
          <span class="badge tone-good">Automatic payments on</span>
        )}
      </div>
      <dl class="facts small">
        {expiry && (
          <>
            <dt>Expires</dt>
            <dd class="num">
              {String(expiry.month).padStart(2, '0')}/{expiry.year}
            </dd>
          </>
        )}
        {provider && (
          <>
            <dt>Provider</dt>
            <dd>{provider.name}</dd>
          </>
        )}
        <dt>Saved</dt>
        <dd>{formatDay(method.created_time)}</dd>
        {lastUse && (
          <>
            <dt>Last used</dt>
            <dd>
              <LastUse payment={lastUse} />
            </dd>
          </>
        )}
      </dl>
      <div class="row">
        {!stopped && (
          <details class="sure">
            <summary>
              Stop automatic payments<span class="visually-hidden"> with {name}</span>
            </summary>
            <Form action={action} token={token} class="stack-tight">
              <p class="small">{app.friendly_name} can then not charge it any more without you.</p>
              <button class="danger small" name="stop" value={String(registrationOf(method))}>
                Yes, stop them
              </button>
            </Form>
          </details>
        )}
        <details class="sure">
          <summary>
            Remove<span class="visually-hidden"> {name}</span>
          </summary>
          <Form action={action} token={token} class="stack-tight">
            <p class="small">It is forgotten and never charged again. This cannot be undone.</p>
            <button class="danger small" name="remove" value={String(method.payment_method_id)}>
              Yes, remove it
            </button>
          </Form>
        </details>
      </div>
    </div>
  );
}

function nameOf({ brand, card_type, method_type }: MethodRow): string {
  if (brand === null) return methodNames[method_type] ?? method_type;
  return card_type === null ? brand : `${brand} ${card_type} card`;
}

function LastUse({ payment }: { payment: PaymentRow }) {
  const { number, description } = orderOf(payment);
  const what = description ?? (number === undefined ? payment.reference_id : `Order ${number}`);
  return (
    <>
      <span class="num">{formatMoney(payment.amount, payment.currency)}</span> on{' '}
      {formatDay(payment.created_time)}
      <br />
      {clip(what)} <span class="muted">({endings[payment.state] ?? 'under way'})</span>
    </>
  );
}

const endings: Partial<Record<PaymentRow['state'], string>> = {
  Captured: 'paid',
  Authorised: 'reserved',
  Refunding: 'being refunded',
  Refunded: 'refunded',
  Cancelled: 'cancelled',
  Declined: 'declined',
  Failed: 'failed',
  Expired: 'expired',
};
