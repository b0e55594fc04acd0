import type { Context } from 'hono';
import type { App } from '../../../domain/apps.js';
import type { CustomerRow, MethodRow } from '../../../schema.js';
import { formatTime } from '../dates.js';
import { showPage } from '../page.js';
import { clipText } from '../paying/order.js';
import { plain, Text } from '../text.js';
import { nameOf, StoredMethod, type MethodUses } from './stored-method.js';

/** Methods per page. */
export const PANEL_PAGE = 10;

const outcomes = {
  removed: (name: string) => `${name} was removed. It will not be charged again.`,
  stopped: (name: string) =>
    `Automatic payments with ${name} were stopped. It will not be charged without asking you.`,
  nothing: (name: string) => `Nothing was changed: ${name} was already removed or stopped.`,
} as const;

export type PanelOutcome = keyof typeof outcomes;

export function isOutcome(name: string): name is PanelOutcome {
  return Object.hasOwn(outcomes, name);
}

interface PanelProps {
  app: App;
  customerId: string;
  customer: CustomerRow | undefined;
  methods: MethodRow[];
  uses: MethodUses;
  /** Where the older ones begin, when there are more. */
  older: number | undefined;
  now: number;
  home: string;
  /** This page of the panel, to come back to unchanged. */
  here: string;
  /** The front door of the shop, where one is known. */
  shop: string | undefined;
  token: string;
  /** What was just done, and to which method. */
  done: { outcome: PanelOutcome; method: MethodRow | undefined } | undefined;
}

export function showPanel(c: Context, props: PanelProps): Response | Promise<Response> {
  const { app, methods, older, now, home, shop, done } = props;
  return showPage(
    c,
    {
      title: `Your payment methods at ${app.friendly_name}`,
      top: (
        <span class="brand">
          <Text of={app.friendly_name} />
        </span>
      ),
      style: panelStyle,
    },
    <div class="stack-wide">
      <Heading {...props} />
      {done !== undefined && (
        <p
          class={`notice tone-${done.outcome === 'nothing' ? 'neutral' : 'good'}`}
          role="status"
          tabindex={-1}
          autofocus
        >
          {outcomes[done.outcome](done.method === undefined ? 'the method' : nameOf(done.method))}
        </p>
      )}
      {methods.length === 0 && (
        <div class="card">
          <p>
            <Text of={app.friendly_name} /> has no saved payment method for you.
          </p>
        </div>
      )}
      {methods.length > 0 && <Methods {...props} />}
      {older !== undefined && (
        <p>
          <a href={`${home}?before=${older}`}>Older methods</a>
        </p>
      )}
      {shop !== undefined && (
        <p>
          <a class="button" href={shop}>
            Back to <Text of={app.friendly_name} />
          </a>
        </p>
      )}
      <p class="muted small">
        As of <span class="num">{formatTime(now)}</span>.
      </p>
    </div>,
  );
}

function Heading({ customer, customerId }: PanelProps) {
  const name = [customer?.first_name, customer?.last_name].filter(Boolean).join(' ');
  return (
    <div class="stack-tight">
      <h1>Your payment methods</h1>
      <p class="muted">
        {name === '' ? 'Customer ' : <Text of={clipText(name)} />}
        {name !== '' && ', customer '}
        <Text of={customerId} />
      </p>
    </div>
  );
}

function Methods({ app, methods, uses, now, home, here, token }: PanelProps) {
  return (
    <ul class="quiet-list stack">
      {methods.map((method) => (
        <li class="card">
          <StoredMethod
            method={method}
            shop={plain(app.friendly_name)}
            provider={app.profiles.find(({ payment_profile_id: id }) => id === method.payment_profile_id)}
            uses={uses}
            now={now}
            action={home}
            keep={here}
            token={token}
          />
        </li>
      ))}
    </ul>
  );
}

const panelStyle = `
.sure > summary { display: inline-flex; font-size: .875rem; align-items: center; min-height: 2.25rem; padding: .25rem .75rem; border: 1px solid var(--field-line); border-radius: 8px; font-weight: 550; list-style: none; }
.sure > summary::-webkit-details-marker { display: none; }
.sure > summary:hover { background: var(--sunken); }
.sure[open] { flex-basis: 100%; }
.sure > form { margin-top: .75rem; }
`;
