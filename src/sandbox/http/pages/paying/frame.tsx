import type { PaymentRow } from '../../../schema.js';
import type { PageOptions } from '../page.js';
import { Text } from '../text.js';
import { Terminal } from './terminal.js';
import { payingStyle, providerStyle } from './paying-style.js';
import type { Visit } from './visit.js';

/** The shop's page, or the provider's own, which looks like another site. */
export function frameOf(visit: Visit, whose: 'shop' | 'provider'): Omit<PageOptions, 'title'> {
  const foot = visit.command !== undefined && <Terminal command={visit.command} />;
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
