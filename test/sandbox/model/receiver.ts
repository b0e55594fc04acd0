import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Delivery {
  eventId: string;
  state: string;
  /** Answered with a 2xx. */
  taken: boolean;
}

/** A merchant's endpoint for webhooks, on a port of its own. */
export interface Receiver {
  url: string;
  /** What arrived for a payment, in order, the repeats included. */
  of(paymentId: number): Delivery[];
  close(): Promise<void>;
}

export interface ReceiverOptions {
  /** How often the webhook of an event is answered badly before it is taken. */
  stumbles?(eventId: string): number;
}

export async function startReceiver({ stumbles = () => 0 }: ReceiverOptions = {}): Promise<Receiver> {
  const arrived = new Map<number, Delivery[]>();
  const server = createServer((request, response) => {
    let text = '';
    request.setEncoding('utf8');
    request.on('data', (chunk: string) => (text += chunk));
    request.on('end', () => {
      const { paymentId, eventId, paymentState } = JSON.parse(text) as {
        paymentId: number;
        eventId: string;
        paymentState: string;
      };
      const list = arrived.get(paymentId) ?? [];
      arrived.set(paymentId, list);
      const before = list.filter((delivery) => delivery.eventId === eventId).length;
      const taken = before >= stumbles(eventId);
      list.push({ eventId, state: paymentState, taken });
      if (taken) response.end('ok');
      else if (before % 2 === 0) response.writeHead(500).end('not now');
      else request.socket.destroy();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    of: (paymentId) => arrived.get(paymentId) ?? [],
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
