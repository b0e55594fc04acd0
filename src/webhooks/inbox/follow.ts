import type { Clock } from '../../client/clock.js';
import type { Delivery } from './delivery.js';
import type { Inbox } from './inbox.js';
import { isSettled } from './live-deliveries.js';
import type { AppPlace } from './listeners.js';

const LOOK_MS = 100;
/** After so long it is told as it is. */
const PATIENCE_MS = 30_000;

/** Deliveries as they come in, each once it was read and passed on, from whichever process receives them. */
export async function* followInbox(
  inbox: Inbox,
  place: AppPlace,
  { from, clock, signal }: { from: number; clock: Clock; signal: AbortSignal },
): AsyncGenerator<Delivery> {
  let last = from;
  let waiting = new Set<number>();
  while (!signal.aborted) {
    const fresh = await inbox.after(place, last);
    last = fresh.at(-1)?.id ?? last;
    const older = waiting.size === 0 ? [] : await inbox.named(place, [...waiting]);
    waiting = new Set();
    for (const delivery of [...older, ...fresh]) {
      if (isSettled(delivery) || clock.now() - delivery.time > PATIENCE_MS) yield delivery;
      else waiting.add(delivery.id);
    }
    if (fresh.length === 0) await clock.sleep(LOOK_MS, signal);
  }
}
