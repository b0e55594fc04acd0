// A request of our own through the public address: only if it comes back to this very process is the way open.
// Its key is new for each run and has nothing to do with the secret of the webhook path, so a stranger who got
// hold of the address learns nothing from a probe, and another listener of the same profile cannot answer it.

import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { WEBHOOK_PATH } from '../webhook-path.js';

// Below the path of the webhooks, since a proxy of the user's may pass on nothing else.
const PREFIX = `${WEBHOOK_PATH}.probe/`;
const NONCE_BYTES = 16;

export interface Probe {
  /**
   * For the receiver, before anything else: the text to answer with (200, text/plain, no-store), or undefined when this
   * is no probe of ours and is to be treated like any other request. A probe is no delivery: it is not kept or shown.
   */
  answer(method: string | undefined, target: string | undefined): string | undefined;
  /** A new path to ask, and the one answer to it that counts. */
  question(): { path: string; isAnswer: (text: string) => boolean };
}

export function createProbe(): Probe {
  const key = randomBytes(32);
  const seal = (purpose: 'ask' | 'answer', nonce: string): Buffer =>
    createHmac('sha256', key).update(`${purpose}:${nonce}`).digest();
  const isSeal = (text: string, expected: Buffer): boolean => {
    const given = Buffer.from(text, 'base64url');
    return given.length === expected.length && timingSafeEqual(given, expected);
  };

  return {
    answer(method, target) {
      if (method !== 'GET' || target?.startsWith(PREFIX) !== true) return undefined;
      const [nonce = '', seen = '', ...rest] = target.slice(PREFIX.length).split('.');
      // Without a proof that this process asked, the answer does not reveal that anything is here.
      if (rest.length > 0 || nonce === '' || !isSeal(seen, seal('ask', nonce))) return undefined;
      return seal('answer', nonce).toString('base64url');
    },
    question() {
      const nonce = randomBytes(NONCE_BYTES).toString('base64url');
      return {
        path: `${PREFIX}${nonce}.${seal('ask', nonce).toString('base64url')}`,
        isAnswer: (text) => isSeal(text.trim(), seal('answer', nonce)),
      };
    },
  };
}

const MAX_ANSWER_LENGTH = 1_000;

/** Asks once, over a connection of its own: an idle one proves nothing. Returns why it did not come back, if so. */
export async function sendProbe(options: {
  probe: Probe;
  /** Public origin. */
  url: string;
  timeoutMs: number;
  /** Any of them ends it. */
  signals: readonly AbortSignal[];
}): Promise<string | undefined> {
  const { signals, timeoutMs } = options;
  const { path, isAnswer } = options.probe.question();
  const target = new URL(path, options.url);
  const { request } = target.protocol === 'https:' ? await import('node:https') : await import('node:http');
  return new Promise((resolve) => {
    const asked = request(target, { agent: false, headers: { 'user-agent': 'paydesk' } }, (response) => {
      let text = '';
      response.setEncoding('latin1').on('data', (part: string) => {
        if (text.length < MAX_ANSWER_LENGTH) text += part;
      });
      response.on('error', failed).on('end', () => {
        if (response.statusCode !== 200) done(`something else answers there (HTTP ${response.statusCode})`);
        else done(isAnswer(text) ? undefined : 'something else answers there');
      });
    });
    const done = (why: string | undefined) => {
      clearTimeout(timer);
      // The signals live as long as the tunnel: nothing of one probe may stay on them.
      for (const signal of signals) signal.removeEventListener('abort', leave);
      asked.destroy();
      resolve(why);
    };
    const failed = (error: NodeJS.ErrnoException) => done(failures[error.code ?? ''] ?? error.message);
    const leave = () => done('it was interrupted');
    const timer = setTimeout(() => done(`no answer within ${timeoutMs / 1000} s`), timeoutMs);
    for (const signal of signals) signal.addEventListener('abort', leave, { once: true });
    asked.on('error', failed).end();
    if (signals.some(({ aborted }) => aborted)) leave();
  });
}

const failures: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'the connection is refused',
  ECONNRESET: 'the connection was cut',
  ENOTFOUND: 'its name was not found',
  EAI_AGAIN: 'its name could not be looked up',
  EHOSTUNREACH: 'it cannot be reached',
  ENETUNREACH: 'there is no network',
  ETIMEDOUT: 'it does not answer',
};
