import type { MethodRow } from '../../../schema.js';

export function Panel({ customerId, methods }: { customerId: string; methods: MethodRow[] }) {
  return (
    <div class="card stack">
      <h1>Your payment methods</h1>
      <p>Customer {customerId}</p>
      {methods.length === 0 && <p>No stored methods.</p>}
      <ul>
        {methods.map((method) => (
          <li>
            {method.brand ?? method.method_type}
            {method.expiry_month !== null && `, expires ${method.expiry_month}/${method.expiry_year}`}
            {method.is_stopped === 1 && ', not charged any more'}
          </li>
        ))}
      </ul>
    </div>
  );
}
