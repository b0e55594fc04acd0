// News for open consoles, as server-sent events. An event only says that there is something new: the page then reads
// itself again, so that what it shows live and what it shows at first are made in one place.

import { sql } from 'kysely';
import type { SandboxEngine } from '../engine.js';

export interface LiveFeed {
  /** News of one payment, or of all of them; undefined when too many are open already. */
  open(paymentId: number | undefined): ReadableStream<Uint8Array> | undefined;
  /** Ends every stream. */
  close(): void;
}

interface Watcher {
  paymentId: number | undefined;
  tell(): void;
  beat(): void;
  end(): void;
}

/** Each costs a connection of a browser, which has few. */
export const MAX_WATCHERS = 64;
/** The first news goes out at once; in a burst, one event stands for everything since the last one. */
const PAUSE_MS = 100;
const BEAT_MS = 15_000;
/** What other processes did to a shared database is looked for this often, while somebody watches. */
const LOOK_MS = 100;
const AFTER_ERROR_MS = 2_000;

export function createLiveFeed(engine: SandboxEngine): LiveFeed {
  const watchers = new Set<Watcher>();
  let closed = false;
  let beat: NodeJS.Timeout | undefined;
  let looking = false;

  engine.onChange((paymentId) => {
    for (const watcher of watchers) {
      if (paymentId === undefined || watcher.paymentId === undefined || watcher.paymentId === paymentId)
        watcher.tell();
    }
  });

  function added(): void {
    beat ??= setInterval(() => {
      for (const watcher of watchers) watcher.beat();
    }, BEAT_MS).unref();
    if (engine.store.shared && !looking) void look();
  }

  function removed(watcher: Watcher): void {
    watchers.delete(watcher);
    if (watchers.size > 0) return;
    clearInterval(beat);
    beat = undefined;
  }

  async function look(): Promise<void> {
    looking = true;
    let seen: string | undefined;
    while (watchers.size > 0 && !closed) {
      let wait = LOOK_MS;
      try {
        const now = await newest(engine);
        if (seen !== undefined && seen !== now) for (const watcher of watchers) watcher.tell();
        seen = now;
      } catch {
        // The database is away: requests say so, and this looks again.
        wait = AFTER_ERROR_MS;
      }
      await new Promise((resolve) => setTimeout(resolve, wait).unref());
    }
    looking = false;
  }

  return {
    open(paymentId) {
      if (closed || watchers.size >= MAX_WATCHERS) return undefined;
      let watcher: Watcher;
      return new ReadableStream<Uint8Array>(
        {
          start(controller) {
            watcher = createWatcher(paymentId, controller, () => removed(watcher));
            watchers.add(watcher);
            added();
          },
          cancel: () => watcher.end(),
        },
        { highWaterMark: 8 },
      );
    },
    close() {
      closed = true;
      for (const watcher of watchers) watcher.end();
    },
  };
}

function createWatcher(
  paymentId: number | undefined,
  controller: ReadableStreamDefaultController<Uint8Array>,
  onEnd: () => void,
): Watcher {
  const encoder = new TextEncoder();
  let pause: NodeJS.Timeout | undefined;
  let isNews = false;
  let ended = false;

  function send(text: string): void {
    // A client that does not read gets no more events: one is as good as many.
    if (!ended && (controller.desiredSize ?? 0) > 0) controller.enqueue(encoder.encode(text));
  }

  function flush(): void {
    pause = undefined;
    if (!isNews) return;
    isNews = false;
    send('event: change\ndata:\n\n');
    pause = setTimeout(flush, PAUSE_MS).unref();
  }

  send('retry: 2000\n\n');
  return {
    paymentId,
    tell() {
      isNews = true;
      if (pause === undefined) flush();
    },
    beat: () => send(':\n\n'),
    end() {
      if (ended) return;
      ended = true;
      clearTimeout(pause);
      onEnd();
      try {
        controller.close();
      } catch {
        // The other side was quicker.
      }
    },
  };
}

/**
 * Changes whenever something does that a console shows. Sums over the newest rows rather than the highest id: ids are
 * given out before the commit, so that a lower one may come to be seen later.
 */
async function newest({ store }: SandboxEngine): Promise<string> {
  const { rows } = await sql<Record<string, unknown>>`select
    (select coalesce(sum(id + attempts + finished), 0)
      from (select id, attempts, finished from events order by id desc limit 200) as e) as events,
    (select coalesce(sum(id), 0) from (select id from attempts order by id desc limit 50) as a) as attempts,
    (select coalesce(sum(id), 0) from (select id from operations order by id desc limit 50) as o) as operations,
    (select coalesce(sum(id + done), 0) from (select id, done from exchanges order by id desc limit 50) as x) as exchanges,
    (select coalesce(sum(id + seen + coalesce(remaining, 0)), 0) from faults) as faults,
    (select coalesce(sum(at + stopped), 0) from clock) as clock`.execute(store.db);
  return JSON.stringify(rows);
}
