import { counted } from '../../../../contract/amount-format.js';
import type { App } from '../../../domain/apps.js';
import type { PaymentRow } from '../../../schema.js';
import { Money } from '../money.js';
import { Text } from '../text.js';
import { orderOf, type Order, type OrderLine } from './order.js';
import { OrderFacts } from './order-facts.js';

/** What is paid for. A phone shows it folded to one line with the amount; see `paying-script.ts` and the style. */
export function OrderSummary({ app, payment }: { app: App; payment: PaymentRow }) {
  const order = orderOf(payment);
  const { amount, currency } = payment;
  return (
    <section class="card" aria-labelledby="order">
      <details class="order" id="your-order">
        <summary>
          <h2 id="order">Your order</h2>
          <span class="folded">
            <span aria-hidden="true">· </span>
            <Money amount={amount} currency={currency} />
          </span>
        </summary>
        <div class="stack">
          <dl class="facts small">
            <dt>Shop</dt>
            <dd>
              <Text of={app.friendly_name} />
            </dd>
            <OrderFacts order={order} payment={payment} />
          </dl>
          {order.description !== undefined && (
            <p dir="auto">
              <Text of={order.description} />
            </p>
          )}
          {order.lines.length > 0 && <Lines order={order} currency={currency} />}
          <Sums order={order} payment={payment} />
        </div>
      </details>
    </section>
  );
}

function Lines({ order: { lines, further }, currency }: { order: Order; currency: string }) {
  return (
    <ul class="quiet-list items">
      {lines.map((line) => (
        <li>
          <span>
            <Text of={line.name} />
            {line.quantity > 1 && <span class="muted num"> × {line.quantity}</span>}
            {line.note !== undefined && (
              <span class="muted small note">
                <Text of={line.note} />
              </span>
            )}
          </span>
          <Price line={line} currency={currency} />
        </li>
      ))}
      {further > 0 && <li class="muted">and {counted(further, 'more item')}</li>}
    </ul>
  );
}

/** What the line comes to, and below it what one of them costs. */
function Price({ line: { quantity, unit, total }, currency }: { line: OrderLine; currency: string }) {
  return (
    <span class="line-price">
      <Money amount={total} currency={currency} />
      {quantity > 1 && (
        <span class="muted small note num">
          <Money amount={unit} currency={currency} /> each
        </span>
      )}
    </span>
  );
}

function Sums({ order, payment: { amount, currency } }: { order: Order; payment: PaymentRow }) {
  const isSum = order.parts.length > 0 || order.total !== undefined || order.lines.length > 0;
  const look = isSum ? 'total' : 'sole-total';
  return (
    <dl class="sums">
      {order.parts.map((part) => (
        <>
          <dt class="muted">{part.label}</dt>
          <dd>
            {part.negative && '−'}
            <Money amount={part.amount} currency={currency} />
          </dd>
        </>
      ))}
      {order.total !== undefined && (
        <>
          <dt class="muted">Order total</dt>
          <dd>
            <Money amount={order.total} currency={currency} />
          </dd>
        </>
      )}
      <dt class={look}>To pay</dt>
      <dd class={look}>
        <Money amount={amount} currency={currency} />
      </dd>
    </dl>
  );
}
