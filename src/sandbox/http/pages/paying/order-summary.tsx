import type { App } from '../../../domain/apps.js';
import type { PaymentRow } from '../../../schema.js';
import { formatMoney } from '../money.js';
import { orderOf } from './order.js';

/** What is paid for: number, description, items and breakdown. */
export function OrderSummary({ app, payment }: { app: App; payment: PaymentRow }) {
  const order = orderOf(payment);
  const money = (amount: string) => formatMoney(amount, payment.currency);
  const hasBreakdown = order.parts.length > 0 || order.total !== undefined;
  return (
    <section class="card stack" aria-labelledby="order">
      <h2 id="order">Your order</h2>
      <dl class="facts small">
        <dt>Shop</dt>
        <dd>{app.friendly_name}</dd>
        {order.number !== undefined && (
          <>
            <dt>Order</dt>
            <dd>{order.number}</dd>
          </>
        )}
        <dt>Reference</dt>
        <dd>{payment.reference_id}</dd>
      </dl>
      {order.description !== undefined && <p>{order.description}</p>}
      {order.lines.length > 0 && (
        <ul class="quiet-list items">
          {order.lines.map(({ name, quantity, amount, note }) => (
            <li>
              <span>
                {name}
                {quantity > 1 && <span class="muted num"> × {quantity}</span>}
                {note !== undefined && <span class="muted small note">{note}</span>}
              </span>
              <span class="num">{money(amount)}</span>
            </li>
          ))}
          {order.further > 0 && (
            <li class="muted">
              and {order.further} more {order.further === 1 ? 'item' : 'items'}
            </li>
          )}
        </ul>
      )}
      <dl class="sums">
        {order.parts.map(({ label, amount, negative }) => (
          <>
            <dt class="muted">{label}</dt>
            <dd>
              {negative && '−'}
              {money(amount)}
            </dd>
          </>
        ))}
        {order.total !== undefined && (
          <>
            <dt class="muted">Order total</dt>
            <dd>{money(order.total)}</dd>
          </>
        )}
        <dt class={hasBreakdown || order.lines.length > 0 ? 'total' : 'sole-total'}>To pay</dt>
        <dd class={hasBreakdown || order.lines.length > 0 ? 'total' : 'sole-total'}>
          {money(payment.amount)} <span class="muted small">{payment.currency}</span>
        </dd>
      </dl>
    </section>
  );
}
