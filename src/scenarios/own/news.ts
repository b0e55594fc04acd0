import { beforeFirstChange, type EmbeddedSandbox } from '../../sandbox/index.js';
import type { NewsEntry } from '../world.js';

/** Tells what happened in the sandbox since it was last asked: changes first, then what the provider and webhooks did. */
export function createNews(sandbox: EmbeddedSandbox): () => Promise<NewsEntry[]> {
  let mark = beforeFirstChange;
  return async () => {
    const changes = await sandbox.changesSince(mark);
    ({ mark } = changes);
    const states = changes.events.map(({ time, payment_id, from_state, to_state, cause }): NewsEntry => {
      const text = from_state === null ? to_state : `${from_state} → ${to_state}`;
      return { time, kind: 'state', payment: String(payment_id), text: `${text} (${cause})` };
    });
    const provider = changes.exchanges.map(({ time, payment_id, kind, done, answer }): NewsEntry => {
      const result = done === 1 ? 'done' : answer;
      return { time, kind: 'provider', payment: String(payment_id), text: `told to ${kind}: ${result}` };
    });
    const webhooks = changes.deliveries.map(({ time, payment_id, to_state, status, error }): NewsEntry => {
      const answer = status === null ? (error ?? 'no answer') : String(status);
      return { time, kind: 'webhook', payment: String(payment_id), text: `${to_state}: ${answer}` };
    });
    return [...states, ...provider, ...webhooks].sort((one, other) => one.time - other.time);
  };
}
