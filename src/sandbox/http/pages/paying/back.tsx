import { Text } from '../text.js';
import { returnAddress } from './return-address.js';
import type { Visit } from './visit.js';

/** The way out for a customer who does not pay; after everything else, so that nobody takes it by accident. */
export function Back({ visit: { payment, app } }: { visit: Visit }) {
  const back = returnAddress(payment);
  return back === undefined ? null : (
    <p class="small">
      <a href={back}>
        Back to <Text of={app.friendly_name} /> without paying
      </a>
    </p>
  );
}
