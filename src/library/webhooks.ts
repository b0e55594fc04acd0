import { stateNames } from '../contract/states.js';
import type { PaymentChange, Sandbox } from '../sandbox/index.js';
import { didYouMean } from '../suggest.js';
import { millisecondsOf } from './times.js';
import type * as api from './types.js';

const DELIVERY_MS = 10_000;

export function createWebhooks(sandbox: Sandbox): api.Webhooks {
  const waiting = new Set<() => void>();
  sandbox.engine.onChange(() => {
    for (const look of waiting) look();
  });

  async function list(payment: api.PaymentKey): Promise<api.Webhook[]> {
    const { events } = await sandbox.ask('GET /payments/{key}/story', {
      parameters: { key: String(payment) },
    });
    return events.map(webhookOf);
  }

  async function waitFor(payment: api.PaymentKey, state: string, limitMs: number): Promise<api.Webhook> {
    const timeUp = AbortSignal.timeout(limitMs);
    for (;;) {
      const changed = nextChange(timeUp);
      const all = await list(payment);
      const found = all.find((webhook) => webhook.state === state && webhook.finished);
      if (found) return found;
      if (timeUp.aborted) throw new Error(notCome(payment, state, limitMs, all));
      await changed;
    }
  }

  /** Resolves when something has changed since it was called, or when the time is up. */
  function nextChange(timeUp: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const look = () => {
        waiting.delete(look);
        timeUp.removeEventListener('abort', look);
        resolve();
      };
      waiting.add(look);
      timeUp.addEventListener('abort', look);
    });
  }

  return {
    list,
    async waitFor(payment, state, { timeout = DELIVERY_MS } = {}) {
      requireState(state);
      return waitFor(payment, state, millisecondsOf(timeout));
    },
    resend: (id) => sandbox.ask('POST /webhooks/{id}/resend', { parameters: { id: String(id) } }),
  };
}

function webhookOf(change: PaymentChange): api.Webhook {
  const { id, payment_id, from_state, to_state, time, url, finished, deliveries } = change;
  return {
    id,
    paymentId: payment_id,
    from: from_state,
    state: to_state,
    time: new Date(time).toISOString(),
    url,
    finished: url === null || finished === 1,
    deliveries: deliveries.map(({ url: to, status, error, answer }) => ({ url: to, status, error, answer })),
  };
}

/** A typo would be waited for until the time is up. */
function requireState(state: string): void {
  if (stateNames.some((name) => name === state)) return;
  const close = didYouMean(state, stateNames);
  throw new TypeError(`Unknown state: ${state}.${close || ` States: ${stateNames.join(', ')}.`}`);
}

function notCome(payment: api.PaymentKey, state: string, limitMs: number, all: api.Webhook[]): string {
  const came = all.map((webhook) => (webhook.finished ? webhook.state : `${webhook.state} (not delivered)`));
  return `No webhook for ${state} of payment ${payment} came within ${limitMs} ms. So far: ${came.join(', ')}.`;
}
