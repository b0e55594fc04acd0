import type { Context } from 'hono';
import { showPage } from '../page.js';
import { Money } from '../money.js';
import { Text } from '../text.js';
import { frameOf, ownerOf } from './frame.js';
import { returnAddress } from './return-address.js';
import type { Visit } from './visit.js';

/** After this long the page says that it may be closed. */
const SLOW_AFTER_MS = 60_000;
const FIRST_MS = 1_000;
const MAX_PAUSE_MS = 15_000;

/** Asks whether the payment has changed, less and less often, and continues when it has. */
const script = `(() => {
'use strict';
const { version, news, onward } = document.getElementById('waiting').dataset;
const [offline, leave] = ['offline', 'leave'].map((id) => document.getElementById(id));
const began = Date.now();
let pause = ${FIRST_MS}, timer;
const look = async () => {
  clearTimeout(timer);
  try {
    const answer = await fetch(news);
    if (answer.ok && (await answer.text()) !== version) return location.replace(onward);
    offline.hidden = true;
  } catch {
    offline.hidden = false;
  }
  if (Date.now() - began >= ${SLOW_AFTER_MS}) leave.hidden = false;
  timer = setTimeout(look, pause);
  pause = Math.min(pause * 1.5, ${MAX_PAUSE_MS});
};
timer = setTimeout(look, pause);
addEventListener('online', look);
addEventListener('offline', () => { offline.hidden = false; });
})();`;

const FIRST_SECONDS = 3;
const MAX_SECONDS = 30;

/** Without JavaScript the page reloads itself: how long it waits before the n-th time, and how long it has waited by then. */
function reloading(looks: number): { seconds: number; waited: number } {
  const secondsOf = (look: number) => Math.min(Math.round(FIRST_SECONDS * 1.5 ** look), MAX_SECONDS);
  let waited = 0;
  for (let look = 0; look < looks; look += 1) waited += secondsOf(look);
  return { seconds: secondsOf(looks), waited };
}

const MAX_LOOKS = 1000;

/** How often this page was loaded again, as its own address says. */
export function looksOf(c: Context): number {
  const looks = Number(c.req.query('look') ?? 0);
  return Number.isInteger(looks) && looks > 0 ? Math.min(looks, MAX_LOOKS) : 0;
}

/** Something is under way that the customer can only wait for. */
export function showWaiting(c: Context, visit: Visit): Response | Promise<Response> {
  const { payment, home } = visit;
  const looks = looksOf(c);
  const { seconds, waited } = reloading(looks);
  const heading =
    payment.state === 'Cancelling' ? 'The payment is being cancelled' : 'Waiting for confirmation';
  const onward = `${home}/done`;
  return showPage(
    c,
    {
      ...frameOf(visit, ownerOf(payment)),
      title: heading,
      script,
      live: true,
      onward: { seconds, to: `${onward}?look=${looks + 1}` },
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
      <Explained visit={visit} isLong={waited * 1000 >= SLOW_AFTER_MS} />
      <Ways visit={visit} onward={onward} />
    </div>,
  );
}

function Explained({ visit: { payment, app, profile }, isLong }: { visit: Visit; isLong: boolean }) {
  return (
    <>
      {payment.state === 'Cancelling' ? (
        <p>
          <Text of={app.friendly_name} /> has cancelled it. You will not be charged.
        </p>
      ) : (
        <p>
          <Text of={profile?.name ?? 'The provider'} /> has not confirmed your payment of{' '}
          <Money amount={payment.amount} currency={payment.currency} /> yet. You don’t need to pay again.
        </p>
      )}
      <div role="status" class="stack">
        <p>This page continues by itself.</p>
        <p class="notice tone-bad" id="offline" hidden>
          There is no connection. Your payment is not affected; this page keeps trying.
        </p>
        <p class="notice tone-neutral" id="leave" hidden={!isLong}>
          This is taking longer than usual. You may close this page: your payment continues, and{' '}
          <Text of={app.friendly_name} /> will get the result.
        </p>
      </div>
    </>
  );
}

function Ways({ visit: { payment, app }, onward }: { visit: Visit; onward: string }) {
  const back = returnAddress(payment);
  return (
    <p class="row">
      <a href={onward}>Check again</a>
      {back !== undefined && (
        <a href={back}>
          Back to <Text of={app.friendly_name} />
        </a>
      )}
    </p>
  );
}
