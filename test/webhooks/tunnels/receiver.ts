// A receiver as small as can be, for what is about the way to it.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createProbe, type Probe } from '../../../src/webhooks/tunnels/probe.js';
import type { TunnelEvent, TunnelRun } from '../../../src/webhooks/tunnels/tunnel.js';
import type { RetryPace } from '../../../src/webhooks/tunnels/connect.js';

export interface Received {
  method: string;
  url: string;
  rawHeaders: string[];
  body: Buffer;
}

export interface Receiver {
  port: number;
  probe: Probe;
  received: Received[];
  /** While true, it takes connections and answers nothing. */
  mute: boolean;
  /** So many of the next requests get no answer. */
  swallow: number;
  probes: number;
  close(): Promise<void>;
}

export async function startReceiver(): Promise<Receiver> {
  const probe = createProbe();
  const server = createServer((request, response) => {
    if (receiver.mute) return;
    if (receiver.swallow > 0) {
      receiver.swallow -= 1;
      return;
    }
    const answer = probe.answer(request.method, request.url);
    if (answer !== undefined) {
      receiver.probes += 1;
      response.end(answer);
      return;
    }
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const { method = '', url = '', rawHeaders } = request;
      receiver.received.push({ method, url, rawHeaders, body: Buffer.concat(parts) });
      response.end('kept');
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const receiver: Receiver = {
    port: (server.address() as AddressInfo).port,
    probe,
    received: [],
    mute: false,
    swallow: 0,
    probes: 0,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  return receiver;
}

/** As usual, but for people who do not want to wait. */
export const quick: RetryPace = {
  healthMs: 150,
  probeMs: 1_000,
  againMs: 50,
  pauseMs: 50,
  longestPauseMs: 300,
  firstAttempts: 2,
  attempts: 40,
  tickMs: 50,
};

export interface Story {
  events: TunnelEvent[];
  /** Waits for the next event of this kind after those that were waited for. */
  next<T extends TunnelEvent['type']>(type: T): Promise<Extract<TunnelEvent, { type: T }>>;
}

export function storyOf(run: TunnelRun): Story {
  const events: TunnelEvent[] = [];
  let seen = 0;
  let wake = () => {};
  run.on((event) => {
    events.push(event);
    wake();
  });
  return {
    events,
    async next(type) {
      for (;;) {
        const at = events.findIndex((event, index) => index >= seen && event.type === type);
        if (at >= 0) {
          seen = at + 1;
          return events[at] as never;
        }
        const last = events.at(-1);
        // Nothing comes after it.
        if (last?.type === 'failed') throw last.error;
        await new Promise<void>((resolve) => (wake = resolve));
      }
    },
  };
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
