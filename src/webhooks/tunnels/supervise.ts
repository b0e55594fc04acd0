// Keeps a tunnel working: "up" only ever means that a probe came back through the public address.

import { InterruptedError, PaydeskError } from '../../errors.js';
import {
  attendedPace,
  type Connector,
  type ConnectorOptions,
  createConnector,
  givenUp,
  type LiveTunnel,
  type RetryPace,
  reason,
  unattendedPace,
} from './connect.js';
import { createPause, type Pause } from './pause.js';
import type { Tunnel, TunnelEvent, TunnelRun } from './tunnel.js';

export interface OpenTunnelOptions extends Omit<ConnectorOptions, 'pace' | 'pause' | 'random'> {
  pace?: RetryPace;
  /** Wall clock, in milliseconds. */
  now?: () => number;
  random?: () => number;
}

/**
 * Resolves when the tunnel is ready; the receiver on `localPort` must answer probes by then. From then on it is watched
 * and reconnected, and the listener hears of every drop, return and new address. `failed` is the last event, its error
 * the one to end with. Nothing is left running after `stop` or an abort.
 */
export async function openTunnel(options: OpenTunnelOptions): Promise<TunnelRun> {
  const { tunnel, now = Date.now, random = Math.random } = options;
  const { pace = options.interactive ? attendedPace : unattendedPace } = options;
  const ending = new AbortController();
  const { signal } = ending;
  const pause = createPause({ tickMs: pace.tickMs, now });
  const connector = createConnector({ ...options, signal, pace, pause, random });
  const listeners: Array<(event: TunnelEvent) => void> = [];
  const emit = (event: TunnelEvent) => listeners.forEach((listener) => listener(event));

  const abort = () => ending.abort(options.signal.reason);
  options.signal.addEventListener('abort', abort, { once: true });
  if (options.signal.aborted) abort();

  const live = await connector.connect(pace.firstAttempts);
  const watched: Watched = {
    tunnel,
    connector,
    pace,
    pause,
    signal,
    now,
    emit,
    live,
    url: live.connection.url,
  };
  const finished = watch(watched)
    .catch((error: unknown) => {
      if (signal.aborted) return;
      emit({ type: 'failed', error: error instanceof PaydeskError ? error : givenUp(tunnel.name, 1, error) });
    })
    .then(async () => {
      options.signal.removeEventListener('abort', abort);
      await watched.live.connection.stop();
    });

  return {
    name: tunnel.name,
    get url() {
      return watched.url;
    },
    on: (listener) => void listeners.push(listener),
    stop() {
      ending.abort(new InterruptedError('The tunnel is closed.', { code: 'interrupted' }));
      return finished;
    },
  };
}

interface Watched {
  readonly tunnel: Tunnel;
  readonly connector: Connector;
  readonly pace: RetryPace;
  readonly pause: Pause;
  readonly signal: AbortSignal;
  readonly now: () => number;
  readonly emit: (event: TunnelEvent) => void;
  /** The connection in use. */
  live: LiveTunnel;
  /** The public address, as it was last reported. */
  url: string;
}

async function watch(watched: Watched): Promise<void> {
  const { connector, pace, pause, signal, now, emit } = watched;
  while (!signal.aborted) {
    const { live } = watched;
    await pause(pace.healthMs, [signal, live.gone]);
    reportUrl(watched);
    let why = await connector.probe(live);
    // One lost probe is no outage, two are.
    if (why !== undefined && !live.gone.aborted) why = await connector.probe(live);
    if (signal.aborted) return;
    if (why === undefined) continue;
    const downAt = now();
    emit({ type: 'down', why: live.error === undefined ? `${watched.url}: ${why}` : reason(live.error) });
    if (!(await hasRecovered(watched))) {
      await live.connection.stop();
      watched.live = await connector.connect(pace.attempts, watched.url);
    }
    if (signal.aborted) return;
    reportUrl(watched);
    emit({ type: 'up', downMs: now() - downAt });
  }
}

/** Some programs reconnect by themselves: those are given time before they are replaced. */
async function hasRecovered({ tunnel, connector, live }: Watched): Promise<boolean> {
  if (live.gone.aborted || tunnel.reconnectMs === 0) return false;
  return (await connector.untilAnswered(live, tunnel.reconnectMs)) === undefined;
}

function reportUrl(watched: Watched): void {
  const { url } = watched.live.connection;
  if (url === watched.url) return;
  const previous = watched.url;
  watched.url = url;
  watched.emit({ type: 'url-changed', url, previous });
}
