// A request of our own through the public address: only if it comes back to this very process is the way open.
// Its key is made anew for each run and has nothing to do with the secret of the webhook path, so a stranger who got
// hold of the address learns nothing from a probe, and another listener of the same profile cannot answer it.

import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

const PREFIX = '/.paydesk/probe/';
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
      // Without a proof that we asked, nobody is told that anything is here.
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
