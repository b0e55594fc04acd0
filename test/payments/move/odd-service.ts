// A service that answers in every odd way: what it says, what it did and what its reads show are chosen separately.

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { SettleOperation } from '../../../src/contract/states.js';

export const answers = [
  '200 with the payment',
  '204',
  '200 that says failed',
  '400',
  '401',
  '403',
  '404',
  '408',
  '409',
  '422',
  '425',
  '429',
  '500',
  '503',
  'cut connection',
  'timeout',
] as const;
export type AnswerKind = (typeof answers)[number];

export const recheckKinds = ['fresh', 'empty', 'unsupported', 'stale'] as const;
export type RecheckKind = (typeof recheckKinds)[number];

export const namings = ['ours', 'theirs'] as const;
export type Naming = (typeof namings)[number];

/** How the service treats the first instruction for a payment. Later ones are carried out and shown at once. */
export interface Treatment {
  verb: SettleOperation;
  answer: AnswerKind;
  committed: boolean;
  /** Reads show what was done only after the quiet period. */
  lagging: boolean;
  recheck: RecheckKind;
  names: Naming;
}

type Course = readonly [before: string, during: string, end: string];

const courses: Record<Naming, Record<SettleOperation, Course>> = {
  ours: {
    capture: ['Authorised', 'Capturing', 'Captured'],
    cancel: ['Authorised', 'Cancelling', 'Cancelled'],
    refund: ['Captured', 'Refunding', 'Refunded'],
    unhold: ['Held', 'Authorised', 'Authorised'],
  },
  theirs: {
    capture: ['Approved', 'Settling', 'Settled'],
    cancel: ['Approved', 'Voiding', 'Voided'],
    refund: ['Settled', 'Reimbursing', 'Reimbursed'],
    unhold: ['OnHold', 'Approved', 'Approved'],
  },
};

export interface OddPayment {
  readonly id: number;
  /** Complete instructions that the service received. */
  readonly told: number;
  /** Instructions that it carried out. */
  readonly done: number;
  /** Fires when an instruction has arrived that is not answered. */
  readonly arrived: AbortSignal;
  /** The quiet period is over: reads show everything, and what was under way is at its end. */
  catchUp(): void;
}

interface Kept extends Treatment {
  id: number;
  told: number;
  done: number;
  state: string;
  /** What reads show. */
  shown: string;
  arrived: AbortSignal;
  arrive(): void;
  catchUp(): void;
}

export interface OddService {
  url: string;
  add(treatment: Treatment): OddPayment;
  close(): Promise<void>;
}

export async function startOddService(): Promise<OddService> {
  const payments = new Map<string, Kept>();
  const sockets = new Set<Socket>();
  const server = createServer((request, response) => {
    // Only an instruction that arrived whole counts.
    request.resume().on('end', () => reply(payments, request, response));
  });
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    add(treatment) {
      const payment = keep(100_001 + payments.size, treatment);
      payments.set(String(payment.id), payment);
      return payment;
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function keep(id: number, treatment: Treatment): Kept {
  const [before, , end] = courses[treatment.names][treatment.verb];
  const arrival = new AbortController();
  return {
    ...treatment,
    id,
    told: 0,
    done: 0,
    state: before,
    shown: before,
    arrived: arrival.signal,
    arrive: () => arrival.abort(),
    catchUp() {
      if (this.done > 0) this.state = end;
      this.shown = this.state;
    },
  };
}

function reply(
  payments: Map<string, Kept>,
  { method, url }: IncomingMessage,
  response: ServerResponse,
): void {
  const [, id = '', action] = /\/payments\/(\d+)(?:\/(\w+))?/.exec(url ?? '') ?? [];
  const payment = payments.get(id);
  if (!payment) return void response.writeHead(404).end();
  if (method === 'GET') return send(response, 200, shownAs(payment, payment.shown));
  if (action === 'recheck') return answerRecheck(payment, response);
  payment.told += 1;
  const isFirst = payment.told === 1;
  const [, during] = courses[payment.names][payment.verb];
  if (!isFirst || payment.committed) {
    payment.done += 1;
    payment.state = during;
  }
  if (!isFirst || !payment.lagging) payment.shown = payment.state;
  if (!isFirst) return send(response, 200, shownAs(payment, payment.state));
  answerInstruction(payment, response);
}

function answerInstruction({ answer, ...payment }: Kept, response: ServerResponse): void {
  switch (answer) {
    case '200 with the payment':
      return send(response, 200, shownAs(payment, payment.state));
    case '204':
      return void response.writeHead(204).end();
    case '200 that says failed':
      return send(response, 200, { result: 'failed' });
    case 'cut connection':
      return void response.socket?.destroy();
    case 'timeout':
      return payment.arrive();
    default:
      send(response, Number(answer), { title: `Answer ${answer}` });
  }
}

function answerRecheck(payment: Kept, response: ServerResponse): void {
  switch (payment.recheck) {
    case 'fresh':
      payment.shown = payment.state;
      return send(response, 200, shownAs(payment, payment.state));
    case 'empty':
      return void response.writeHead(204).end();
    case 'unsupported':
      return void response.writeHead(404).end();
    default:
      send(response, 200, shownAs(payment, courses[payment.names][payment.verb][0]));
  }
}

const shownAs = ({ id }: Pick<Kept, 'id'>, paymentState: string) => ({
  paymentId: id,
  referenceId: `odd-${id}`,
  paymentState,
  amount: 44.4,
  currency: 'EUR',
});

function send(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
