// Connects a tunnel: a connection counts once a probe came back through its public address.

import { GuardError, PaydeskError, TemporaryError } from '../../errors.js';
import type { Line } from '../../output/lines.js';
import type { Pause } from './pause.js';
import { type Probe, sendProbe } from './probe.js';
import type { Tunnel, TunnelConnection } from './tunnel.js';

export interface RetryPace {
  /** Between two probes of a tunnel that works. */
  healthMs: number;
  /** How long a probe may take. */
  probeMs: number;
  /** Between two probes of one that does not answer. */
  againMs: number;
  /** The first pause between two attempts; each is twice the one before, up to the longest. */
  pauseMs: number;
  longestPauseMs: number;
  /** How many attempts in a row may fail before it has ever worked, and after that. */
  firstAttempts: number;
  attempts: number;
  /** How often the clock is looked at. */
  tickMs: number;
}

export const attendedPace: RetryPace = {
  healthMs: 10_000,
  probeMs: 5_000,
  againMs: 500,
  pauseMs: 500,
  longestPauseMs: 30_000,
  firstAttempts: 3,
  attempts: 20,
  tickMs: 1_000,
};

/** A person can end it when they have waited enough; a script waits for an end. */
export const unattendedPace: RetryPace = { ...attendedPace, attempts: 8 };

/** A connection, and whether it has ended by itself. */
export interface LiveTunnel {
  connection: TunnelConnection;
  gone: AbortSignal;
  error?: PaydeskError;
}

export interface Connector {
  /** One probe; says why it did not come back. */
  probe(live: LiveTunnel): Promise<string | undefined>;
  /** Probes until one comes back; says why none did. */
  untilAnswered(live: LiveTunnel, limitMs: number): Promise<string | undefined>;
  /** Tries several times. With the address that it had `before`, it asks for the same one again. */
  connect(attempts: number, before?: string): Promise<LiveTunnel>;
}

export interface ConnectorOptions {
  tunnel: Tunnel;
  probe: Probe;
  localPort: number;
  signal: AbortSignal;
  note: (...lines: Line[]) => void;
  interactive: boolean;
  pace: RetryPace;
  pause: Pause;
  random: () => number;
}

/** How often a server is asked for the old address: it may still hold it for a connection that died. */
const MAX_REFUSALS = 3;
const addressRefused = ['tunnel-port', 'tunnel-unreachable'];

export function createConnector(options: ConnectorOptions): Connector {
  const { tunnel, localPort, signal, note, pace, pause, random } = options;

  const probe = ({ connection, gone }: LiveTunnel) =>
    sendProbe({
      probe: options.probe,
      url: connection.url,
      timeoutMs: pace.probeMs,
      signals: [signal, gone],
    });

  async function untilAnswered(live: LiveTunnel, limitMs: number): Promise<string | undefined> {
    const deadline = performance.now() + limitMs;
    for (;;) {
      const why = await probe(live);
      if (why === undefined || signal.aborted || live.gone.aborted) return why;
      await pause(pace.againMs, [signal, live.gone]);
      if (performance.now() >= deadline) return why;
    }
  }

  async function connectOnce(attempt: number, first: boolean, previousUrl?: string): Promise<LiveTunnel> {
    const connection = await tunnel.start({
      localPort,
      signal,
      note: first && attempt === 1 ? note : () => {},
      interactive: first && options.interactive,
      previousUrl,
      attempt,
    });
    const live = liveTunnelOf(connection);
    const why = await untilAnswered(live, tunnel.readyMs);
    if (why === undefined && !signal.aborted) return live;
    // Read before `stop`, which ends it too.
    const error = live.error ?? unreachable(connection.url, localPort, why);
    await connection.stop();
    signal.throwIfAborted();
    throw error;
  }

  async function connect(attempts: number, before?: string): Promise<LiveTunnel> {
    let refusals = 0;
    for (let attempt = 1; ; attempt += 1) {
      signal.throwIfAborted();
      try {
        const previousUrl = refusals >= MAX_REFUSALS ? undefined : before;
        return await connectOnce(attempt, before === undefined, previousUrl);
      } catch (error) {
        if (signal.aborted || !(error instanceof PaydeskError)) throw error;
        if (addressRefused.includes(error.code)) refusals += 1;
        // What worked before may work again, unless the server is another one now.
        const hopeless =
          before === undefined ? !(error instanceof TemporaryError) : error instanceof GuardError;
        if (hopeless) throw error;
        if (attempt >= attempts) throw givenUp(tunnel.name, attempts, error);
        if (before === undefined) note(`${reason(error)} Trying again.`);
      }
      const longest = Math.min(pace.longestPauseMs, pace.pauseMs * 2 ** (attempt - 1));
      // Failures before the machine slept say nothing about the time after it.
      if (await pause(longest * (0.5 + random() / 2), [signal])) attempt = 0;
    }
  }

  return { probe, untilAnswered, connect };
}

function liveTunnelOf(connection: TunnelConnection): LiveTunnel {
  const controller = new AbortController();
  const live: LiveTunnel = { connection, gone: controller.signal };
  void connection.ended.then((error) => {
    live.error = error;
    controller.abort();
  });
  return live;
}

export const reason = (error: PaydeskError): string =>
  typeof error.details === 'string' ? `${error.message} (${error.details})` : error.message;

const unreachable = (url: string, localPort: number, why = 'it ended'): TemporaryError =>
  new TemporaryError(`${url} does not lead to port ${localPort} of this machine: ${why}.`, {
    code: 'tunnel-unreachable',
  });

export function givenUp(name: string, attempts: number, cause: unknown): TemporaryError {
  return new TemporaryError(`The tunnel ${name} does not work, after ${attempts} attempts.`, {
    code: 'tunnel-failed',
    ...(cause instanceof PaydeskError
      ? { details: reason(cause), next: cause.next }
      : { details: String(cause) }),
    cause,
  });
}
