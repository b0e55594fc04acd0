import type { PaymentRow } from '../../../schema.js';

/** Why the customer is still here: what could not be used, or that the provider said no. */
export function Complaint({
  payment,
  errors,
}: {
  payment: PaymentRow;
  errors: Record<string, string> | undefined;
}) {
  if (errors !== undefined)
    return (
      <div class="notice tone-bad" role="alert">
        <p>
          <strong>Nothing was paid.</strong> {errors['profile'] ?? 'Please correct the marked fields.'}
        </p>
      </div>
    );
  if (payment.state !== 'Declined') return null;
  return (
    <div class="notice tone-bad" role="alert">
      <p>
        <strong>The payment was declined</strong>
        {payment.failure === null ? '.' : `: ${payment.failure}.`}
      </p>
      <p>Nothing was charged. Try again, or choose another way to pay.</p>
    </div>
  );
}
