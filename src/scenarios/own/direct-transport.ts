import type {
  Exchange,
  Failure,
  FailureReason,
  Lost,
  OpenAnswer,
  SendRequest,
  Transport,
} from '../../client/exchange.js';
import type { EmbeddedSandbox } from '../../sandbox/index.js';
import type { Timeline } from './timeline.js';

type Sandbox = Pick<EmbeddedSandbox, 'handle' | 'drain'>;
type Answer = Awaited<ReturnType<Sandbox['handle']>>;

/** Calls the sandbox where others send a request to it. What its faults do to a connection, they do here. */
export function createDirectTransport(sandbox: Sandbox, timeline: Timeline): Transport {
  return {
    async send(request) {
      if (request.signal?.aborted)
        return { kind: 'unsent', failure: failure('aborted', 'it was interrupted') };
      if (request.beforeFirstByte?.() === false) {
        return {
          kind: 'unsent',
          failure: failure('late', 'it was delayed for too long before it could be sent'),
        };
      }
      // Nothing that is due stays undone for as long as a request takes to arrive.
      await sandbox.drain();
      return exchange(sandbox, timeline, request);
    },
    close: async () => {},
  };
}

/** The client gives up at its time limit. A service that takes longer still carries the request out. */
function exchange(
  { handle }: Sandbox,
  timeline: Timeline,
  request: SendRequest,
): Promise<Exchange | OpenAnswer> {
  const deadline = timeline.now() + request.limitMs;
  const gaveUp = Promise.withResolvers<void>();
  let waits = Promise.withResolvers<void>();
  const pause = (ms: number): Promise<void> => {
    const until = timeline.now() + ms;
    if (until <= deadline) return timeline.sleep(ms);
    gaveUp.resolve();
    waits.resolve();
    waits = Promise.withResolvers();
    return new Promise((resolve) => {
      timeline.at(until, async () => {
        resolve();
        await Promise.race([handling, waits.promise]);
      });
    });
  };
  const handling = handle({ ...readTarget(request), pause });
  const timeUp = gaveUp.promise.then(async (): Promise<Lost> => {
    await timeline.advanceTo(deadline);
    return lost('time-up', 'the time limit was reached');
  });
  return Promise.race([handling.then((answer) => received(answer, request)), timeUp]);
}

function readTarget({ method, path, headers, body }: SendRequest) {
  const url = new URL(path, 'http://sandbox.test');
  const [, , , appId = '', ...rest] = url.pathname.split('/');
  return {
    method,
    appId: decodeURIComponent(appId),
    path: `/${rest.join('/')}`,
    query: url.searchParams,
    header: (name: string) => headers[name],
    body: () => Promise.resolve(body ?? ''),
  };
}

function received({ status, headers, body, cut }: Answer, { stream }: SendRequest): Exchange | OpenAnswer {
  if (cut === 'drop') return lost('reset', 'the connection was reset');
  if (cut === 'truncate') return { ...lost('cut', 'the answer was cut short'), status };
  if (!stream || status >= 300) return { kind: 'answer', status, headers, body };
  return { kind: 'open', status, headers, body: oneChunk(new TextEncoder().encode(body)) };
}

async function* oneChunk(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

function failure(reason: FailureReason, message: string): Failure {
  return { reason, message, permanent: reason !== 'late' && reason !== 'reset' && reason !== 'cut' };
}

function lost(reason: FailureReason, message: string): Lost {
  return { kind: 'lost', failure: failure(reason, message) };
}
