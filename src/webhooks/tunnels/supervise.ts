// Keeps a tunnel working: "up" only ever means that a probe came back through the public address.

import { GuardError, InterruptedError, PaydeskError, TemporaryError } from '../../errors.js';
import type { Line } from '../../output/lines.js';
import { createPause } from './pause.js';
import { type Probe, sendProbe } from './probe.js';
import type { Tunnel, TunnelConnection, TunnelEvent, TunnelRun } from './tunnel.js';

export interface Pace {
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

const usualPace: Pace = {
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
const unattendedPace: Pace = { ...usualPace, attempts: 8 };

export interface OpenTunnelOptions {
  tunnel: Tunnel;
  /** The receiver on `localPort` must answer it already. */
  probe: Probe;
  localPort: number;
  signal: AbortSignal;
  note: (...lines: Line[]) => void;
  interactive: boolean;
  pace?: Pace;
  /** Wall clock, in milliseconds. */
  now?: () => number;
  random?: () => number;
}

// So often the old address is asked for again from a server that is there: it may hold it for a connection that died.
const REFUSALS = 3;
const addressRefused = ['tunnel-port', 'tunnel-unreachable'];

/** A connection, and whether it has ended by itself. */
interface Life {
  connection: TunnelConnection;
  gone: AbortSignal;
  error?: PaydeskError;
}

/**
 * What `webhook listen` calls, with a tunnel of `chooseTunnel` and once its receiver answers probes. Resolves when the
 * tunnel is ready. From then on it is watched and reconnected, and the listener hears of every drop, return and new address;
 * `failed` is the last event, its error the one to end with. Nothing is left running after `stop` or an abort.
 */
export async function openTunnel(options: OpenTunnelOptions): Promise<TunnelRun> {
  const { tunnel, probe, localPort, note, now = Date.now, random = Math.random } = options;
  const { pace = options.interactive ? usualPace : unattendedPace } = options;
  const ending = new AbortController();
  const { signal } = ending;
  const pause = createPause({ tickMs: pace.tickMs, now });
  const listeners: Array<(event: TunnelEvent) => void> = [];
  const emit = (event: TunnelEvent) => listeners.forEach((listener) => listener(event));

  const ask = ({ connection, gone }: Life) =>
    sendProbe({ probe, url: connection.url, timeoutMs: pace.probeMs, signals: [signal, gone] });

  /** Asks until a probe comes back; returns why none did. */
  async function untilAnswered(life: Life, limitMs: number): Promise<string | undefined> {
    const deadline = performance.now() + limitMs;
    for (;;) {
      const why = await ask(life);
      if (why === undefined || signal.aborted || life.gone.aborted) return why;
      await pause(pace.againMs, [signal, life.gone]);
      if (performance.now() >= deadline) return why;
    }
  }

  /** One attempt: a connection that was seen to work. */
  async function attemptOnce(attempt: number, first: boolean, previousUrl?: string): Promise<Life> {
    const connection = await tunnel.start({
      localPort,
      signal,
      note: first && attempt === 1 ? note : () => {},
      interactive: first && options.interactive,
      previousUrl,
      attempt,
    });
    const life = follow(connection);
    const why = await untilAnswered(life, tunnel.readyMs);
    if (why === undefined && !signal.aborted) return life;
    // Before we end it ourselves.
    const error = life.error ?? unreachable(connection.url, localPort, why);
    await connection.stop();
    signal.throwIfAborted();
    throw error;
  }

  async function connect(attempts: number, before?: string): Promise<Life> {
    let refusals = 0;
    for (let attempt = 1; ; attempt += 1) {
      signal.throwIfAborted();
      try {
        const lost = refusals >= REFUSALS;
        return await attemptOnce(attempt, before === undefined, lost ? undefined : before);
      } catch (error) {
        if (signal.aborted || !(error instanceof PaydeskError)) throw error;
        if (addressRefused.includes(error.code)) refusals += 1;
        // What worked before may work again, unless the server is not the one that it was.
        const hopeless =
          before === undefined ? !(error instanceof TemporaryError) : error instanceof GuardError;
        if (hopeless) throw error;
        if (attempt >= attempts) throw givenUp(tunnel.name, attempts, error);
        if (before === undefined) note(`${reason(error)} Trying again.`);
      }
      const longest = Math.min(pace.longestPauseMs, pace.pauseMs * 2 ** (attempt - 1));
      // What failed before a sleep says nothing about the time after it.
      if (await pause(longest * (0.5 + random() / 2), [signal])) attempt = 0;
    }
  }

  function moveTo(next: string): void {
    if (next === url) return;
    const previous = url;
    url = next;
    emit({ type: 'url-changed', url, previous });
  }

  async function watch(): Promise<void> {
    while (!signal.aborted) {
      await pause(pace.healthMs, [signal, life.gone]);
      moveTo(life.connection.url);
      let why = await ask(life);
      // One lost probe is no outage, two are.
      if (why !== undefined && !life.gone.aborted) why = await ask(life);
      if (signal.aborted) return;
      if (why === undefined) continue;
      const downAt = now();
      emit({ type: 'down', why: life.error === undefined ? `${url}: ${why}` : reason(life.error) });
      const reconnected = !life.gone.aborted && tunnel.reconnectMs > 0 && (await isReconnected());
      if (!reconnected) {
        await life.connection.stop();
        life = await connect(pace.attempts, url);
      }
      if (signal.aborted) return;
      moveTo(life.connection.url);
      emit({ type: 'up', downMs: now() - downAt });
    }
  }

  const isReconnected = async () => (await untilAnswered(life, tunnel.reconnectMs)) === undefined;

  const abort = () => ending.abort(options.signal.reason);
  options.signal.addEventListener('abort', abort, { once: true });
  if (options.signal.aborted) abort();

  let life = await connect(pace.firstAttempts);
  let { url } = life.connection;
  const finished = watch()
    .catch((error: unknown) => {
      if (signal.aborted) return;
      emit({ type: 'failed', error: error instanceof PaydeskError ? error : givenUp(tunnel.name, 1, error) });
    })
    .then(async () => {
      options.signal.removeEventListener('abort', abort);
      await life.connection.stop();
    });

  return {
    name: tunnel.name,
    get url() {
      return url;
    },
    on: (listener) => void listeners.push(listener),
    stop() {
      ending.abort(new InterruptedError('The tunnel is closed.', { code: 'interrupted' }));
      return finished;
    },
  };
}

function follow(connection: TunnelConnection): Life {
  const controller = new AbortController();
  const life: Life = { connection, gone: controller.signal };
  void connection.ended.then((error) => {
    life.error = error;
    controller.abort();
  });
  return life;
}

const reason = (error: PaydeskError): string =>
  typeof error.details === 'string' ? `${error.message} (${error.details})` : error.message;

const unreachable = (url: string, localPort: number, why = 'it ended'): TemporaryError =>
  new TemporaryError(`${url} does not lead to port ${localPort} of this machine: ${why}.`, {
    code: 'tunnel-unreachable',
  });

function givenUp(name: string, attempts: number, cause: unknown): TemporaryError {
  return new TemporaryError(`The tunnel ${name} does not work, after ${attempts} attempts.`, {
    code: 'tunnel-failed',
    ...(cause instanceof PaydeskError
      ? { details: reason(cause), next: cause.next }
      : { details: String(cause) }),
    cause,
  });
}
