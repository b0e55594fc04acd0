import type { PaymentRow } from '../../../schema.js';
import { StateBadge } from '../badge.js';

export function PaymentTable({ payments }: { payments: PaymentRow[] }) {
  return (
    <div class="stack">
      <h1>Payments</h1>
      <div class="scroll">
        <table>
          <thead>
            <tr>
              <th>Payment</th>
              <th>Reference</th>
              <th class="num">Amount</th>
              <th>State</th>
            </tr>
          </thead>
          <tbody>
            {payments.map((payment) => (
              <tr>
                <td>{payment.payment_id}</td>
                <td>{payment.reference_id}</td>
                <td class="num">
                  {payment.currency} {payment.amount}
                </td>
                <td>
                  <StateBadge state={payment.state} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </div>
  );
}
