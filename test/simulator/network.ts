// What lies between a client and the service: everything that can happen to a request and its answer, but never twice.

import type {
  AnswerExchange,
  Failure,
  Lost,
  SendRequest,
  Transport,
  Unsent,
} from '../../src/client/exchange.js';
import type { SettleOperation } from '../../src/contract/states.js';
import {
  calm,
  lies,
  requestFaults,
  type FaultKind,
  type Lie,
  type RequestFault,
  type Weather,
} from './faults.ts';
import type { Life } from './life.ts';
import type { Random } from './random.ts';
import { createReplies, type Reply } from './replies.ts';
import type { ServiceKind } from './service-kind.ts';
import type { World } from './service.ts';
import type { Timeline } from './timeline.ts';

/** An instruction whose first byte was written: the service may carry it out. Times are true. */
export interface Instruction {
  process: string;
  operation: SettleOperation;
  paymentId: number;
  sent: number;
  /** What the last read before it showed to whoever sent it. */
  before: string | undefined;
  /** When it came to the service, and what the service made of it; undefined for one that never arrived. */
  arrived?: number;
  status?: number;
  /** The service's own record of carrying it out. */
  operationId?: number;
  /** The status that came back, and whether that was not so. */
  answered?: number;
  lied?: boolean;
}

/** The payment as a process was shown it. */
export interface Look {
  process: string;
  paymentId: number;
  kind: 'read' | 'recheck';
  asked: number;
  answered: number;
  /** As the service names it; undefined for a recheck that shows nothing. */
  state: string | undefined;
}

export interface Network {
  readonly instructions: readonly Instruction[];
  readonly looks: readonly Look[];
  transportOf(life: Life): Transport;
  setWeather(weather: Weather): void;
}

export interface NetworkOptions {
  world: World;
  kind: ServiceKind;
  timeline: Timeline;
  random: Random;
  count(kind: FaultKind): void;
  trace(text: string): void;
  onSent(instruction: Instruction, network: Network): void;
}

type Result = AnswerExchange | Unsent | Lost;

export function createNetwork(options: NetworkOptions): Network {
  const { world, kind, timeline, random, count, trace } = options;
  const replies = createReplies(options);
  const instructions: Instruction[] = [];
  const looks: Look[] = [];
  let weather = calm;

  function chooseFault(request: SendRequest): RequestFault | Lie | undefined {
    if (instructionOf(request) && random.chance(weather.lies)) return random.pick(lies);
    const share = request.method === 'GET' ? weather.network / 2 : weather.network;
    if (!random.chance(share)) return undefined;
    const fault = random.pick(requestFaults);
    // Whether a read arrives late is the same as whether it is lost.
    if (fault === 'late-arrival' && request.method === 'GET') return 'answer-lost';
    return request.method !== 'GET' && random.chance(0.15) ? 'late-arrival' : fault;
  }

  const inOutage = () => weather.outages.some(([from, to]) => timeline.now() >= from && timeline.now() < to);

  function exchange(life: Life, request: SendRequest): Promise<Result> {
    return new Promise((resolve) => {
      const outage = inOutage();
      const fault = outage
        ? random.pick(['refused-connection', 'lost-before-arrival'] as const)
        : chooseFault(request);
      if (outage) count('outage');
      if (fault) count(fault);
      const say = (what: string) => trace(`${life.name} ${request.method} ${request.path} ${what}`);
      const later = (ms: number, run: () => void) => timeline.at(timeline.now() + ms, run);
      const deadline = timeline.now() + request.limitMs;
      let isOver = false;
      let written: number | undefined;
      let instruction: Instruction | undefined;

      const broken = (why: Failure): Result => ({
        kind: written === undefined ? 'unsent' : 'lost',
        failure: why,
      });
      const timer = later(request.limitMs, () => void life.awake().then(() => answer(broken(timeUp))));
      const onAbort = () => answer(broken(aborted));
      const over = () => {
        isOver = true;
        timeline.cancel(timer);
        request.signal?.removeEventListener('abort', onAbort);
      };
      function answer(value: Result, reply?: Reply): void {
        if (isOver) return;
        over();
        if (instruction && value.kind === 'answer') instruction.answered = value.status;
        const shown = reply && noteLook(life, request, written ?? 0, reply);
        say(
          value.kind === 'answer'
            ? `${value.status} ${shown ?? ''}`
            : `${value.kind} ${value.failure.reason}`,
        );
        resolve(value);
      }
      if (request.signal?.aborted) return answer(broken(aborted));
      request.signal?.addEventListener('abort', onAbort);
      const latency = random.between(2, 150);
      if (fault === 'refused-connection') {
        say('is refused a connection');
        const refused = failure('refused', 'the connection was refused');
        later(latency, () => answer({ kind: 'unsent', failure: refused }));
        return;
      }

      const breakOff = () => {
        // A reset is told at once; a silence only by the clock.
        if (random.chance(0.5))
          later(latency + random.between(1, 2_000), () => answer(broken(failure('reset', 'reset'))));
      };
      /** The connection is there: what was given up meanwhile is not written, what was killed writes nothing. */
      async function write(): Promise<void> {
        if (!(await life.step()) || isOver) return;
        // After a pause the clock and the connection both have news, in any order.
        if (timeline.now() > deadline && random.chance(0.5)) return answer(broken(timeUp));
        if (request.beforeFirstByte?.() === false) return answer(broken(late));
        written = timeline.now();
        say(`sent${fault ? ` (${fault})` : ''}`);
        instruction = noteInstruction(life, request);
        travel();
      }
      function travel(): void {
        if (fault === 'lost-before-arrival') return breakOff();
        const arrivesIn = fault === 'late-arrival' ? random.between(1_000, kind.longestDelayMs) : latency;
        if (fault === 'late-arrival') breakOff();
        later(arrivesIn, () => {
          void arrive(request, instruction, fault).then((reply) => {
            if (fault === 'answer-lost') return breakOff();
            const takes = fault === 'slow-answer' ? random.between(5_000, 60_000) : random.between(2, 150);
            later(takes, () => {
              const damage = damaged(reply, fault);
              answer(damage ?? answerOf(reply), damage ? undefined : reply);
            });
          });
        });
      }
      later(random.chance(0.05) ? random.between(100, 4_000) : random.between(1, 20), () => void write());
    });
  }

  function noteInstruction(life: Life, request: SendRequest): Instruction | undefined {
    const found = instructionOf(request);
    if (!found) return undefined;
    const before = looks.findLast((each) => each.process === life.name && each.paymentId === found.paymentId);
    const instruction = { process: life.name, ...found, sent: timeline.now(), before: before?.state };
    options.onSent(instruction, network);
    instructions.push(instruction);
    return instruction;
  }

  /** Returns the state that was shown. */
  function noteLook(life: Life, request: SendRequest, asked: number, reply: Reply): string | undefined {
    const state = /"paymentState":"(\w+)"/.exec(reply.body)?.[1];
    const kind = request.method === 'GET' ? 'read' : isRecheck(request) ? 'recheck' : undefined;
    const id = /\/payments\/(\d+)/.exec(request.path)?.[1] ?? /"paymentId":(\d+)/.exec(reply.body)?.[1];
    if (kind && id !== undefined && reply.status < 300) {
      looks.push({
        process: life.name,
        paymentId: Number(id),
        kind,
        asked,
        answered: timeline.now(),
        state,
      });
    }
    return state;
  }

  async function arrive(
    request: SendRequest,
    instruction: Instruction | undefined,
    fault: RequestFault | Lie | undefined,
  ): Promise<Reply> {
    if (instruction) instruction.arrived = timeline.now();
    const turnedAway = turnAway(fault);
    if (turnedAway) return turnedAway;
    const unsupported = isRecheck(request) ? replies.unsupportedRecheck() : undefined;
    if (unsupported) return unsupported;
    const { status, headers, body } = await world.handle(request);
    const reply = { status, headers, body };
    if (instruction) {
      instruction.status = status;
      trace(`the service took ${instruction.operation} of ${instruction.paymentId}: ${status}`);
      const taken =
        status < 300 ? await world.lastOperation(instruction.paymentId, instruction.operation) : undefined;
      if (taken !== undefined) instruction.operationId = taken;
      if (isLie(fault)) {
        instruction.lied = true;
        return replies.lie(fault);
      }
    }
    if (isRecheck(request)) return replies.inItsWords(await replies.ofRecheck(reply));
    const isRead = request.method === 'GET' && status === 200 && request.path.includes('/payments/');
    return replies.inItsWords(isRead ? await replies.asReplicaShows(reply, 'stale-read') : reply);
  }

  /** Received, and not carried out. */
  function turnAway(fault: RequestFault | Lie | undefined): Reply | undefined {
    if (fault === 'false-status-before-commit' || fault === 'says-failure-before-commit')
      return replies.lie(fault);
    if (fault === 'error-before-commit') return { status: 503, headers: {}, body: 'busy' };
    if (fault !== 'rate-limited') return undefined;
    const tells = random.chance(0.5);
    return {
      status: 429,
      headers: tells ? { 'retry-after': String(random.between(1, 20)) } : {},
      body: '',
    };
  }

  function damaged(reply: Reply, fault: RequestFault | Lie | undefined): AnswerExchange | Lost | undefined {
    if (fault === 'error-after-commit')
      return answerOf({ status: random.pick([500, 502, 504]), headers: {}, body: '' });
    if (fault === 'truncated-body')
      return { ...lost('cut', 'the answer was cut short'), status: reply.status };
    if (fault === 'garbled-body')
      return answerOf({ ...reply, body: `${reply.body.slice(0, 20)}\u0000<html>` });
    return undefined;
  }

  const network: Network = {
    instructions,
    looks,
    setWeather: (next) => {
      weather = next;
    },
    transportOf: (life) => ({
      send: (request) => life.gate(() => exchange(life, request)),
      close: () => Promise.resolve(),
    }),
  };
  return network;
}

function instructionOf({
  method,
  path,
}: SendRequest): Pick<Instruction, 'operation' | 'paymentId'> | undefined {
  const [, id, operation] = /\/payments\/(\d+)\/(capture|cancel|refund|unhold)(?:\?|$)/.exec(path) ?? [];
  if (id === undefined || operation === undefined || method !== 'POST') return undefined;
  return { operation: operation as SettleOperation, paymentId: Number(id) };
}

const isRecheck = ({ method, path }: SendRequest): boolean =>
  method === 'POST' && /\/recheck(?:\?|$)/.test(path);

const isLie = (fault: RequestFault | Lie | undefined): fault is Lie => lies.includes(fault as Lie);

function failure(reason: Failure['reason'], message: string, permanent = false): Failure {
  return { reason, message, permanent };
}

const aborted = failure('aborted', 'it was stopped', true);
const late = failure('late', 'it was held up');
const timeUp = failure('time-up', 'the time was up', true);

function lost(reason: Failure['reason'], message: string): Lost {
  return { kind: 'lost', failure: failure(reason, message) };
}

const answerOf = (reply: Reply): AnswerExchange => ({ kind: 'answer', ...reply });
