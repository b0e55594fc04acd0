// Wakes whoever waits for a payment as soon as a webhook of it reaches the inbox.

import type { Clock } from '../client/clock.js';
import { StoreError } from '../store/errors.js';
import type { Delivery } from '../webhooks/inbox/delivery.js';
import type { Inbox } from '../webhooks/inbox/inbox.js';

// A look costs a fraction of a millisecond, and somebody may be watching the screen.
const LOOK_MS = 50;

export interface InboxSignal {
  /** Looks until the signal fires; never throws, since polling goes on without it. */
  run(): Promise<void>;
}

export function createInboxSignal(options: {
  inbox: Inbox;
  place: { baseUrl: string; appId: string };
  clock: Clock;
  signal: AbortSignal;
  /** What came before the signal was made is not told. */
  onDelivery: (delivery: Delivery) => void;
}): InboxSignal {
  const { inbox, place, clock, signal, onDelivery } = options;

  async function look(from: number): Promise<number> {
    if ((await inbox.newestId(place)) <= from) return from;
    const fresh = await inbox.after(place, from);
    for (const delivery of fresh) onDelivery(delivery);
    return fresh.at(-1)?.id ?? from;
  }

  return {
    async run() {
      let last: number | undefined;
      while (!signal.aborted) {
        try {
          last = last === undefined ? await inbox.newestId(place) : await look(last);
        } catch (error) {
          if (!(error instanceof StoreError)) throw error;
        }
        await clock.sleep(LOOK_MS, signal);
      }
    },
  };
}
