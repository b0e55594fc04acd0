import type { Context } from 'hono';
import type { App } from '../../../domain/apps.js';
import type { CustomerRow, MethodRow, PaymentRow } from '../../../schema.js';
import { formatTime } from '../dates.js';
import { showPage } from '../page.js';
import { clip } from '../paying/order.js';
import { StoredMethod } from './stored-method.js';

/** Methods a page. */
export const PANEL_PAGE = 10;

const outcomes = {
  removed: 'The method was removed. It is not charged any more.',
  stopped: 'The automatic payments were stopped. The method is not charged any more.',
  nothing: 'Nothing was changed: it was removed or stopped before.',
} as const;

export function isOutcome(name: string): name is keyof typeof outcomes {
  return Object.hasOwn(outcomes, name);
}

interface PanelProps {
  app: App;
  customerId: string;
  customer: CustomerRow | undefined;
  methods: MethodRow[];
  uses: Map<number, PaymentRow>;
  /** Where the older ones begin, when there are more. */
  older: number | undefined;
  now: number;
  home: string;
  token: string;
  /** What was just done. */
  done: keyof typeof outcomes | undefined;
}

export function showPanel(c: Context, props: PanelProps): Response | Promise<Response> {
  const { app, customer, customerId, methods, uses, older, now, home, token, done } = props;
  const name = [customer?.first_name, customer?.last_name].filter(Boolean).join(' ');
  return showPage(
    c,
    {
      title: `Your payment methods at ${app.friendly_name}`,
      top: <span class="brand">{app.friendly_name}</span>,
      style: panelStyle,
    },
    <div class="stack-wide">
      <div class="stack-tight">
        <h1>Your payment methods</h1>
        <p class="muted">
          {name === '' ? 'Customer' : `${clip(name)}, customer`} {customerId}
        </p>
      </div>
      {done !== undefined && (
        <p class={`notice tone-${done === 'nothing' ? 'neutral' : 'good'}`} role="status">
          {outcomes[done]}
        </p>
      )}
      {methods.length === 0 && (
        <div class="card">
          <p>{app.friendly_name} has no stored payment method of yours.</p>
        </div>
      )}
      {methods.length > 0 && (
        <ul class="quiet-list stack">
          {methods.map((method) => (
            <li class="card">
              <StoredMethod
                method={method}
                app={app}
                lastUse={uses.get(method.payment_method_id)}
                now={now}
                action={home}
                token={token}
              />
            </li>
          ))}
        </ul>
      )}
      {older !== undefined && (
        <p>
          <a href={`${home}?before=${older}`}>Older methods</a>
        </p>
      )}
      <p class="muted small">As of {formatTime(now)}.</p>
    </div>,
  );
}

const panelStyle = `
.sure > summary { display: inline-flex; align-items: center; min-height: 2.25rem; padding: .25rem .75rem; border: 1px solid var(--field-line); border-radius: 8px; font-weight: 550; list-style: none; }
.sure > summary::-webkit-details-marker { display: none; }
.sure > summary:hover { background: var(--sunken); }
.sure[open] { flex-basis: 100%; }
.sure > form { margin-top: .75rem; }
`;
