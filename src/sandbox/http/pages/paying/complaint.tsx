import type { PaymentRow } from '../../../schema.js';
import { plain } from '../text.js';

/**
 * Why the customer is still here: what could not be used, or that the provider said no. It is the first thing on the
 * page; after a decline it has the focus too, and of a form with mistakes the first wrong field has it.
 */
export function Complaint({
  payment,
  errors,
}: {
  payment: PaymentRow;
  errors: Record<string, string> | undefined;
}) {
  if (errors !== undefined)
    return (
      <div class="notice tone-bad complaint" role="alert" {...(errors['profile'] !== undefined && focused)}>
        <p>
          <strong>Nothing was paid.</strong> {errors['profile'] ?? 'Please correct the marked fields.'}
        </p>
      </div>
    );
  if (payment.state !== 'Declined') return null;
  return (
    <div class="notice tone-bad complaint" role="alert" {...focused}>
      <p>
        <strong>Your payment was declined</strong>
        {payment.failure === null ? '.' : `: ${reasonFor(payment.failure)}.`}
      </p>
      <p>You have not been charged. Try again, or choose another way to pay.</p>
    </div>
  );
}

const focused = { tabindex: -1, autofocus: true };

/** What the window's title says before all else. */
export function titleBefore(payment: PaymentRow, errors: Record<string, string> | undefined): string {
  if (errors !== undefined) return 'Not paid yet: ';
  return payment.state === 'Declined' ? 'Payment declined: ' : '';
}

/** As a buyer may be told it: without the rules of the shop. */
const reasons: ReadonlyMap<string, string> = new Map([
  ['declined by the issuer', 'your bank did not accept it'],
  ['expired card', 'your card has expired'],
  ['blocked by the provider', 'the provider did not accept it'],
  ['blocked by a fraud rule', 'the shop cannot accept it'],
  ['the customer did not confirm', 'you did not confirm it'],
]);

const reasonFor = (failure: string): string => plain(reasons.get(failure) ?? failure);
