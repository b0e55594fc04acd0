// What lies between a client and the service: everything that can happen to a request and its answer, but never twice.

import type { Failure, Lost, OpenAnswer, SendRequest, Transport, Unsent } from '../../src/client/exchange.js';
import type { SettleOperation } from '../../src/contract/states.js';
import { calm, requestFaults, type FaultKind, type RequestFault, type Weather } from './faults.ts';
import type { Life } from './life.ts';
import { states } from './program.ts';
import type { Random } from './random.ts';
import type { World } from './service.ts';
import type { Timeline } from './timeline.ts';

/** An instruction that may have left: the service may carry it out. */
export interface Instruction {
  process: string;
  operation: SettleOperation;
  paymentId: number;
  sent: number;
  /** When it came to the service, and what the service made of it; undefined for one that never arrived. */
  arrived?: number;
  status?: number;
  /** The service's own record of carrying it out. */
  operationId?: number;
}

export interface Network {
  readonly instructions: readonly Instruction[];
  /** Requests that are still on their way to the service. */
  travelling(): number;
  transportOf(life: Life): Transport;
  setWeather(weather: Weather): void;
}

/** A request that is under way arrives within this time or never: what the quiet period rests on. */
export const LONGEST_DELAY_MS = 7.5 * 60_000;

export interface NetworkOptions {
  world: World;
  timeline: Timeline;
  random: Random;
  count(kind: FaultKind): void;
  trace(text: string): void;
}

export function createNetwork({ world, timeline, random, count, trace }: NetworkOptions): Network {
  const instructions: Instruction[] = [];
  let weather = calm;
  let travelling = 0;

  function chooseFault(request: SendRequest): RequestFault | undefined {
    const share = request.method === 'GET' ? weather.network / 2 : weather.network;
    if (!random.chance(share)) return undefined;
    const fault = random.pick(requestFaults);
    // Whether a read arrives late is the same as whether it is lost.
    if (fault === 'late-arrival' && request.method === 'GET') return 'answer-lost';
    return request.method !== 'GET' && random.chance(0.15) ? 'late-arrival' : fault;
  }

  const inOutage = () => weather.outages.some(([from, to]) => timeline.now() >= from && timeline.now() < to);

  function exchange(life: Life, request: SendRequest): Promise<OpenAnswer | Unsent | Lost> {
    return new Promise((resolve) => {
      const outage = inOutage();
      const fault = outage
        ? random.pick(['refused-connection', 'lost-before-arrival'] as const)
        : chooseFault(request);
      if (outage) count('outage');
      if (fault) count(fault);
      const say = (what: string) => trace(`${life.name} ${request.method} ${request.path} ${what}`);
      const timer = timeline.at(timeline.now() + request.limitMs, () =>
        answer(lost('time-up', 'the time was up')),
      );
      const onAbort = () => answer(lost('aborted', 'it was stopped'));
      let isOver = false;
      let shown: string | undefined;
      function answer(value: OpenAnswer | Unsent | Lost): void {
        if (isOver) return;
        isOver = true;
        timeline.cancel(timer);
        request.signal?.removeEventListener('abort', onAbort);
        say(
          value.kind === 'open' ? `${value.status} ${shown ?? ''}` : `${value.kind} ${value.failure.reason}`,
        );
        resolve(value);
      }
      if (request.signal?.aborted) {
        return answer({ kind: 'unsent', failure: failure('aborted', 'it was stopped') });
      }
      request.signal?.addEventListener('abort', onAbort);
      say(`sent${fault ? ` (${fault})` : ''}`);
      const later = (ms: number, run: () => void) => timeline.at(timeline.now() + ms, run);
      const latency = random.between(2, 150);
      if (fault === 'refused-connection') {
        later(latency, () =>
          answer({ kind: 'unsent', failure: failure('refused', 'the connection was refused') }),
        );
        return;
      }

      const instruction = noteInstruction(life, request);
      const breakOff = () => {
        // A reset is told at once; a silence only by the clock.
        if (random.chance(0.5))
          later(latency + random.between(1, 2_000), () => answer(lost('reset', 'reset')));
      };
      if (fault === 'lost-before-arrival') return breakOff();
      if (fault === 'error-before-commit' || fault === 'rate-limited') {
        later(latency, () => answer(turnedAway(fault)));
        return;
      }
      const arrivesIn = fault === 'late-arrival' ? random.between(1_000, LONGEST_DELAY_MS) : latency;
      if (fault === 'late-arrival') breakOff();
      travelling += 1;
      later(arrivesIn, () => {
        void arrive(request, instruction).then((reply) => {
          travelling -= 1;
          shown = /"paymentState":"(\w+)"/.exec(reply.body)?.[1];
          if (fault === 'answer-lost') return breakOff();
          const takes = fault === 'slow-answer' ? random.between(5_000, 60_000) : random.between(2, 150);
          later(takes, () => answer(damaged(reply, fault)));
        });
      });
    });
  }

  function noteInstruction(life: Life, request: SendRequest): Instruction | undefined {
    const [, id, operation] =
      /\/payments\/(\d+)\/(capture|cancel|refund|unhold)(?:\?|$)/.exec(request.path) ?? [];
    if (id === undefined || operation === undefined || request.method !== 'POST') return undefined;
    const instruction: Instruction = {
      process: life.name,
      operation: operation as SettleOperation,
      paymentId: Number(id),
      sent: timeline.now(),
    };
    instructions.push(instruction);
    return instruction;
  }

  async function arrive(request: SendRequest, instruction: Instruction | undefined): Promise<Reply> {
    const { status, headers, body } = await world.handle(request);
    if (instruction) {
      instruction.arrived = timeline.now();
      instruction.status = status;
      trace(`the service took ${instruction.operation} of ${instruction.paymentId}: ${status}`);
      const taken =
        status < 300 ? await world.lastOperation(instruction.paymentId, instruction.operation) : undefined;
      if (taken !== undefined) instruction.operationId = taken;
    }
    const reply = { status, headers, body };
    return request.method === 'GET' && status === 200 ? asReplicaShows(request.path, reply) : reply;
  }

  /** A replica that lags behind answers with what was true a while ago. */
  async function asReplicaShows(path: string, reply: Reply): Promise<Reply> {
    if (!path.includes('/payments/') || !random.chance(weather.stale)) return reply;
    const paymentId = Number(/"paymentId":(\d+)/.exec(reply.body)?.[1]);
    const lag = random.pick([500, 2_000, 10_000, 60_000]);
    const state = await world.stateAt(paymentId, timeline.now() - lag);
    if (reply.body.includes(`"paymentState":"${state}"`)) return reply;
    count('stale-read');
    if (state === undefined) return { ...reply, status: 404, body: '{"code":"not-found"}' };
    const wasCaptured = ['Captured', 'Refunding', 'Refunded'].includes(state);
    const body = reply.body
      .replace(
        /"paymentState":"\w+","paymentStateId":\d+/,
        `"paymentState":"${state}","paymentStateId":${states[state].id}`,
      )
      .replace(/"capturedAmount":[^,]+/, (amount) => (wasCaptured ? amount : '"capturedAmount":0'));
    return { ...reply, body };
  }

  function turnedAway(fault: 'error-before-commit' | 'rate-limited'): OpenAnswer {
    if (fault === 'error-before-commit') return open({ status: 503, headers: {}, body: 'busy' });
    const tells = random.chance(0.5);
    return open({
      status: 429,
      headers: tells ? { 'retry-after': String(random.between(1, 20)) } : {},
      body: '',
    });
  }

  function damaged(reply: Reply, fault: RequestFault | undefined): OpenAnswer | Lost {
    if (fault === 'error-after-commit')
      return open({ status: random.pick([500, 502, 504]), headers: {}, body: '' });
    if (fault === 'truncated-body')
      return { ...lost('cut', 'the answer was cut short'), status: reply.status };
    if (fault === 'garbled-body') return open({ ...reply, body: `${reply.body.slice(0, 20)}\u0000<html>` });
    return open(reply);
  }

  return {
    instructions,
    travelling: () => travelling,
    setWeather: (next) => {
      weather = next;
    },
    transportOf: (life) => ({
      send: (request) => life.gate(() => exchange(life, request)),
      close: () => Promise.resolve(),
    }),
  };
}

interface Reply {
  status: number;
  headers: Record<string, string>;
  body: string;
}

function failure(reason: Failure['reason'], message: string): Failure {
  return { reason, message, permanent: false };
}

function lost(reason: Failure['reason'], message: string): Lost {
  return { kind: 'lost', failure: failure(reason, message) };
}

function open({ status, headers, body }: Reply): OpenAnswer {
  const bytes = new TextEncoder().encode(body);
  return {
    kind: 'open',
    status,
    headers,
    body: (async function* () {
      yield bytes;
    })(),
  };
}
