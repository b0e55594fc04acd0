import type { Clock } from '../client/clock.js';
import type { DeskTables } from '../ledger/schema.js';
import type { Store } from '../store/store.js';
import { createInbox } from '../webhooks/inbox/inbox.js';
import { createAlarm, type Alarm } from './alarm.js';
import { createInboxSignal } from './inbox-signal.js';

/** Does something with an alarm that rings at every webhook that reaches the inbox meanwhile. */
export async function whileHearing<T>(
  {
    store,
    place,
    clock,
  }: {
    /** Undefined where it cannot be opened: then nothing is heard. */
    store: Store<DeskTables> | undefined;
    place: { baseUrl: string; appId: string };
    clock: Clock;
  },
  work: (alarm: Alarm) => Promise<T>,
): Promise<T> {
  const alarm = createAlarm(clock);
  if (store === undefined) return work(alarm);
  const over = new AbortController();
  const inbox = createInbox(store);
  const hearing = createInboxSignal({
    inbox,
    place,
    clock,
    signal: over.signal,
    onDelivery: alarm.ring,
  }).run();
  try {
    // Whatever fails while it listens ends the work too.
    return await Promise.race([work(alarm), hearing.then(() => new Promise<never>(() => {}))]);
  } finally {
    over.abort();
    await hearing.catch(() => {});
  }
}
