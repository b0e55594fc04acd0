import type { PaymentRow } from '../../../schema.js';
import { Text } from '../text.js';
import type { Order } from './order.js';

/** What the shop calls the order and the payment, for a list of facts. */
export function OrderFacts({ order, payment }: { order: Order; payment: PaymentRow }) {
  return (
    <>
      {order.number !== undefined && (
        <>
          <dt>Order</dt>
          <dd>
            <Text of={order.number} />
          </dd>
        </>
      )}
      <dt>Reference</dt>
      <dd>
        <Text of={payment.reference_id} />
      </dd>
    </>
  );
}
