// What the service answers: as a replica has it, in its own words, and not always the truth.

import type { FaultKind, Lie } from './faults.ts';
import { states } from './program.ts';
import type { Random } from './random.ts';
import type { ServiceKind } from './service-kind.ts';
import type { World } from './service.ts';
import type { Timeline } from './timeline.ts';

export interface Reply {
  status: number;
  headers: Record<string, string>;
  body: string;
}

export interface Replies {
  /** The payment as one of the replicas has it. */
  asReplicaShows(reply: Reply, kind: 'stale-read' | 'stale-recheck'): Promise<Reply>;
  /** What a recheck is answered with; undefined when the service has none, and nothing is to be rechecked. */
  unsupportedRecheck(): Reply | undefined;
  ofRecheck(reply: Reply): Promise<Reply>;
  /** States as the service names them, and ids as it writes them. */
  inItsWords(reply: Reply): Reply;
  lie(lie: Lie): Reply;
}

const statuses = [
  200, 202, 204, 400, 400, 401, 403, 404, 404, 408, 409, 410, 422, 422, 425, 429, 429, 429, 500, 502, 503,
];
const failureBodies = [
  '{"result":"failed"}',
  '{"success":false}',
  '{"status":"error","message":"try again"}',
  '{"error":{"code":"declined"}}',
  '{"ok":false}',
];
const problemBodies = ['', '{"code":"conflict","title":"Not now"}', 'Bad gateway', '<html>nginx</html>'];

export function createReplies(options: {
  world: World;
  kind: ServiceKind;
  timeline: Timeline;
  random: Random;
  count(kind: FaultKind): void;
}): Replies {
  const { world, kind, timeline, random, count } = options;

  function lagFor(paymentId: number): number {
    const { lags, sticky } = kind;
    return sticky ? (lags[paymentId % lags.length] as number) : random.pick(lags);
  }

  async function asReplicaShows(reply: Reply, fault: 'stale-read' | 'stale-recheck'): Promise<Reply> {
    const paymentId = Number(/"paymentId":(\d+)/.exec(reply.body)?.[1]);
    const lag = lagFor(paymentId);
    if (lag === 0 || Number.isNaN(paymentId)) return reply;
    const state = await world.stateAt(paymentId, timeline.now() - lag);
    if (reply.body.includes(`"paymentState":"${state}"`)) return reply;
    count(fault);
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

  const hasOwnNames = Object.keys(kind.names).length > 0;
  const endings = ['', '.0', '', '.00'];
  let written = 0;
  /** The same number, written in turns as one replica and another do. */
  function writtenId(id: string): string {
    written += 1;
    const ending = endings[written % endings.length] as string;
    if (ending !== '') count('other-id');
    return `${id}${ending}`;
  }

  return {
    asReplicaShows,
    unsupportedRecheck() {
      if (kind.recheck !== 'unsupported') return undefined;
      count('unsupported-recheck');
      return { status: random.pick([404, 405, 501]), headers: {}, body: random.pick(problemBodies) };
    },
    async ofRecheck(reply) {
      if (reply.status >= 300) return reply;
      if (kind.recheck === 'lagging') return asReplicaShows(reply, 'stale-recheck');
      if (kind.recheck !== 'empty') return reply;
      count('empty-recheck');
      return random.pick([
        { status: 204, headers: {}, body: '' },
        { status: 200, headers: {}, body: '{"result":"ok"}' },
      ]);
    },
    inItsWords(reply) {
      const body = reply.body.replace(/"paymentState":"(\w+)"/g, (whole, ours: string) => {
        const theirs = kind.names[ours as keyof typeof kind.names];
        if (theirs === undefined) return whole;
        count('foreign-state');
        return `"paymentState":"${theirs}"`;
      });
      return { ...reply, body: hasOwnNames ? body.replace(/"paymentId":\d+/g, writtenId) : body };
    },
    lie(lie) {
      if (lie.startsWith('says-failure')) {
        return { status: random.pick([200, 202]), headers: {}, body: random.pick(failureBodies) };
      }
      const status = random.pick(statuses);
      const headers: Record<string, string> = {};
      if (status === 429 && random.chance(0.5)) headers['retry-after'] = String(random.between(1, 20));
      return {
        status,
        headers,
        body: status < 300 ? random.pick(['', '{"result":"ok"}']) : random.pick(problemBodies),
      };
    },
  };
}
