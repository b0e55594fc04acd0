import type { Context } from 'hono';
import { showPage } from '../page.js';
import { frameOf, ownerOf } from './frame.js';
import { formatMoney } from '../money.js';
import { returnAddress } from './return-address.js';
import type { Visit } from './visit.js';

/** Asks every second whether the payment moved, and goes on when it did. */
const script = `{
const waiting = document.getElementById('waiting');
const look = async () => {
  try {
    const answer = await fetch(waiting.dataset.news);
    if (answer.ok && (await answer.text()) !== waiting.dataset.version) return location.replace(waiting.dataset.onward);
  } catch {}
  setTimeout(look, 1000);
};
setTimeout(look, 1000);
}`;

/** Something is under way that the customer can only wait for. */
export function showWaiting(c: Context, visit: Visit): Response | Promise<Response> {
  const { payment, home } = visit;
  const heading =
    payment.state === 'Cancelling' ? 'The payment is being cancelled' : 'Waiting for confirmation';
  const back = returnAddress(payment);
  const onward = `${home}/done`;
  return showPage(
    c,
    {
      ...frameOf(visit, ownerOf(payment)),
      title: heading,
      script,
      live: true,
      onward: { seconds: 3, to: onward },
    },
    <div
      class="card stack"
      id="waiting"
      data-version={String(payment.version)}
      data-news={`${home}/version`}
      data-onward={onward}
    >
      <div class="spin" aria-hidden="true"></div>
      <h1>{heading}</h1>
      <p role="status">
        {payment.state === 'Cancelling'
          ? `${visit.app.friendly_name} has cancelled it.`
          : `${visit.profile?.name ?? 'The provider'} has not confirmed ${formatMoney(payment.amount, payment.currency)} yet. There is no need to pay again.`}{' '}
        This page goes on by itself.
      </p>
      <p class="row">
        <a href={onward}>Check again</a>
        {back !== undefined && <a href={back}>Back to {visit.app.friendly_name}</a>}
      </p>
    </div>,
  );
}
