import type { PaymentRow } from '../../../schema.js';
import type { PageOptions } from '../page.js';
import { Text } from '../text.js';
import { payingStyle, providerStyle } from './paying-style.js';
import type { Visit } from './visit.js';

/** The shop's page, or the provider's own, which looks like another site. */
export function frameOf(visit: Visit, whose: 'shop' | 'provider'): Omit<PageOptions, 'title'> {
  const foot = <Terminal payment={visit.payment} />;
  if (whose === 'shop')
    return {
      top: (
        <span class="brand">
          <Text of={visit.app.friendly_name} />
        </span>
      ),
      style: payingStyle,
      foot,
    };
  return {
    top: (
      <>
        <span class="brand">
          <Text of={visit.profile?.name ?? ''} />
        </span>
        <span class="small">simulated provider</span>
      </>
    ),
    style: payingStyle + providerStyle,
    foot,
  };
}

/** Whose page a payment is on when nothing else says so. */
export const ownerOf = (payment: PaymentRow): 'shop' | 'provider' =>
  payment.flow === 'ProviderHostedPage' ? 'provider' : 'shop';

/** The same from a terminal, for whoever tests with this page. */
function Terminal({ payment }: { payment: PaymentRow }) {
  return (
    <p>
      From a terminal: <code>paydesk {commandFor(payment)}</code>
    </p>
  );
}

function commandFor({ state, payment_id: id, provider_knows }: PaymentRow): string {
  switch (state) {
    case 'Created':
    case 'Declined':
      return `sandbox pay ${id} --card approved`;
    case 'ActionRequired':
      return `sandbox pay ${id} --challenge passed`;
    case 'Processing':
    case 'Cancelling':
      return provider_knows === null ? 'sandbox clock advance 1m' : `payments recheck ${id}`;
    case 'Held':
      return `payments unhold ${id}`;
    case 'Authorised':
      return `payments capture ${id}`;
    case 'Captured':
      return `payments refund ${id}`;
    default:
      return `payments get ${id}`;
  }
}
