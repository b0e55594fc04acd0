import type { Child } from 'hono/jsx';
import { isExpired } from '../../../domain/cards.js';
import { registrationOf } from '../../../domain/methods.js';
import type { MethodRow, PaymentRow, ProviderProfileRow } from '../../../schema.js';
import { formatDay } from '../dates.js';
import { Form } from '../form.js';
import { methodNames } from '../method-names.js';
import { Money } from '../money.js';
import { clipText, orderOf } from '../paying/order.js';
import { Text } from '../text.js';

/** The payments that methods were stored with and used for last, by their ids. */
export type MethodUses = ReadonlyMap<number, PaymentRow>;

interface StoredMethodProps {
  method: MethodRow;
  shop: string;
  provider: ProviderProfileRow | undefined;
  uses: MethodUses;
  now: number;
  action: string;
  /** The way out of a confirmation: this page again. */
  keep: string;
  token: string;
}

/** One stored method: what it is, where it comes from, what it was last used for, and how to end it. */
export function StoredMethod(props: StoredMethodProps) {
  const { method, now } = props;
  const expiry = expiryOf(method);
  return (
    <div class="stack">
      <div class="row apart">
        <h2>{kindOf(method)}</h2>
        {expiry && isExpired(expiry, now) && <span class="badge tone-bad">Expired</span>}
        {method.is_stopped === 1 ? (
          <span class="badge tone-neutral">Automatic payments stopped</span>
        ) : (
          <span class="badge tone-good">Automatic payments on</span>
        )}
      </div>
      <Facts {...props} />
      <Endings {...props} />
    </div>
  );
}

function Facts({ method, provider, uses }: StoredMethodProps) {
  const expiry = expiryOf(method);
  const [first, last] = [uses.get(method.registered_by), uses.get(method.last_payment_id ?? 0)];
  return (
    <dl class="facts small">
      <dt>Registration</dt>
      <dd class="num">{registrationOf(method)}</dd>
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
          <dd>
            <Text of={provider.name} />
          </dd>
        </>
      )}
      <dt>Saved</dt>
      <dd>
        <span class="num">{formatDay(method.created_time)}</span>
        {first && (
          <>
            , with <Text of={purposeOf(first)} />
          </>
        )}
      </dd>
      {last && (
        <>
          <dt>Last used</dt>
          <dd>
            <LastUse payment={last} />
          </dd>
        </>
      )}
    </dl>
  );
}

function Endings({ method, shop, action, keep, token }: StoredMethodProps) {
  const confirm = { action, keep, token };
  return (
    <div class="row">
      {method.is_stopped === 0 && (
        <Confirmation
          {...confirm}
          title="Stop automatic payments"
          rest={` with ${nameOf(method)}`}
          text={`${shop} can then no longer charge it without asking you.`}
        >
          <button class="danger small" name="stop" value={String(registrationOf(method))}>
            Yes, stop them
          </button>
        </Confirmation>
      )}
      <Confirmation
        {...confirm}
        title="Remove"
        rest={` ${nameOf(method)}`}
        text={`${shop} forgets it and never charges it again. You cannot undo this.`}
      >
        <button class="danger small" name="remove" value={String(method.payment_method_id)}>
          Yes, remove it
        </button>
      </Confirmation>
    </div>
  );
}

interface ConfirmationProps {
  title: string;
  /** The rest of the title, for people who cannot see what it stands beside. */
  rest: string;
  text: string;
  action: string;
  keep: string;
  token: string;
  children?: Child;
}

/** All of one name: a browser closes the one that was open before. */
function Confirmation({ title, rest, text, action, keep, token, children }: ConfirmationProps) {
  return (
    <details class="sure" name="confirmation">
      <summary>
        {title}
        <span class="visually-hidden">{rest}</span>
      </summary>
      <Form action={action} token={token} class="stack-tight">
        <p class="small">{text}</p>
        <div class="row">
          {children}
          <a class="button small" href={keep}>
            No, keep it
          </a>
        </div>
      </Form>
    </details>
  );
}

function expiryOf({ expiry_month: month, expiry_year: year }: MethodRow) {
  return month === null || year === null ? undefined : { month, year };
}

function kindOf({ brand, card_type, method_type }: MethodRow): string {
  if (brand === null) return methodNames[method_type] ?? method_type;
  return card_type === null ? brand : `${brand} ${card_type} card`;
}

/** Tells it from another of the same kind. */
export const nameOf = (method: MethodRow): string =>
  `${kindOf(method)}, registration ${registrationOf(method)}`;

function purposeOf(payment: PaymentRow): string {
  const { number, description } = orderOf(payment);
  return clipText(description ?? (number === undefined ? payment.reference_id : `order ${number}`));
}

function LastUse({ payment }: { payment: PaymentRow }) {
  return (
    <>
      <Money amount={payment.amount} currency={payment.currency} /> on{' '}
      <span class="num">{formatDay(payment.created_time)}</span>
      <br />
      <Text of={purposeOf(payment)} /> <span class="muted">({endings[payment.state] ?? 'in progress'})</span>
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
