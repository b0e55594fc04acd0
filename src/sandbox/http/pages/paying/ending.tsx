import type { Context } from 'hono';
import type { StateTone } from '../../../../contract/states.js';
import { Money } from '../money.js';
import { showPage } from '../page.js';
import { plain, Text } from '../text.js';
import { frameOf, ownerOf } from './frame.js';
import { returnAddress } from './return-address.js';
import type { Visit } from './visit.js';

const RETURN_SECONDS = 1;

const script = `{
const onward = document.getElementById('onward');
setTimeout(() => location.replace(onward.href), ${RETURN_SECONDS * 1000});
}`;

const seals: Readonly<Record<StateTone, string>> = { good: '✓', waiting: '…', bad: '!', neutral: '–' };

interface Ending {
  heading: string;
  text: string;
  tone: StateTone;
}

/** Nothing is left to do here. Right after paying, the browser goes back to the shop by itself. */
export function showEnding(c: Context, visit: Visit, justNow: boolean): Response | Promise<Response> {
  const { heading, text, tone } = endingOf(visit, justNow);
  const back = returnAddress(visit.payment);
  const goes = justNow && back !== undefined && (tone === 'good' || tone === 'waiting');
  return showPage(
    c,
    {
      ...frameOf(visit, ownerOf(visit.payment)),
      title: heading,
      ...(goes && { script, onward: { seconds: RETURN_SECONDS, to: back } }),
    },
    <div class="card stack">
      <span class={`seal tone-${tone}`} aria-hidden="true">
        {seals[tone]}
      </span>
      <h1>{heading}</h1>
      <p>{text}</p>
      <dl class="facts small">
        <dt>Amount</dt>
        <dd>
          <Money amount={visit.payment.amount} currency={visit.payment.currency} />
        </dd>
        <dt>Reference</dt>
        <dd>
          <Text of={visit.payment.reference_id} />
        </dd>
        {visit.profile && (
          <>
            <dt>Provider</dt>
            <dd>
              <Text of={visit.profile.name} />
            </dd>
          </>
        )}
      </dl>
      {goes && (
        <p role="status">
          Taking you back to <Text of={visit.app.friendly_name} /> …
        </p>
      )}
      {back !== undefined && (
        <p>
          <a class="button primary block" id="onward" href={back}>
            Back to <Text of={visit.app.friendly_name} />
          </a>
        </p>
      )}
    </div>,
  );
}

function endingOf({ payment, app }: Visit, justNow: boolean): Ending {
  const shop = plain(app.friendly_name);
  const paid = justNow ? 'Payment complete' : 'This payment is already paid';
  const notCharged = `You have not been charged. To order again, go back to ${shop}.`;
  switch (payment.state) {
    case 'Captured':
      return { heading: paid, text: `You paid ${shop}.`, tone: 'good' };
    case 'Authorised':
    case 'Capturing':
      return {
        heading: paid,
        text: `The amount is reserved for ${shop}, which will charge it.`,
        tone: 'good',
      };
    case 'Held':
      return {
        heading: 'Your payment is being checked',
        text: `${shop} checks it before charging you. You don’t need to pay again.`,
        tone: 'waiting',
      };
    case 'Refunding':
      return {
        heading: 'This payment is being refunded',
        text: `${shop} is refunding you.`,
        tone: 'neutral',
      };
    case 'Refunded':
      return { heading: 'This payment was refunded', text: `${shop} refunded you.`, tone: 'neutral' };
    case 'Cancelled':
      return { heading: 'This payment was cancelled', text: notCharged, tone: 'neutral' };
    case 'Failed':
      return { heading: 'The payment failed', text: notCharged, tone: 'bad' };
    default:
      return payment.authorised_until === null
        ? { heading: 'This link has expired', text: notCharged, tone: 'bad' }
        : {
            heading: 'The reservation has run out',
            text: `${shop} did not charge it in time. You have not been charged.`,
            tone: 'bad',
          };
  }
}
