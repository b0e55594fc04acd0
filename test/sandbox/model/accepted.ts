import { must } from './invariants.js';
import type { Instruction, Story } from './story.js';

/** How often each kind of request was accepted, and how often nobody can say because the answer was lost. */
export interface Accepted {
  count(kind: string, how: 'surely' | 'perhaps'): void;
  least(kind: string): number;
  most(kind: string): number;
}

export function createAccepted(): Accepted {
  const counts = new Map<string, { surely: number; perhaps: number }>();
  const of = (kind: string) => counts.get(kind) ?? { surely: 0, perhaps: 0 };
  return {
    count(kind, how) {
      const before = of(kind);
      counts.set(kind, { ...before, [how]: before[how] + 1 });
    },
    least: (kind) => of(kind).surely,
    most: (kind) => of(kind).surely + of(kind).perhaps,
  };
}

/** Authorised for the first time, not again after a capture or a cancel that failed. */
export function isAuthorisation({ to_state, from_state }: Story['events'][number]): boolean {
  return to_state === 'Authorised' && from_state !== 'Capturing' && from_state !== 'Cancelling';
}

/** In the books and among the operations: at most once for each request that was accepted, and never not at all. */
export function checkAccepted(story: Story, accepted: Accepted, autoCapture: boolean): void {
  for (const kind of ['capture', 'cancel', 'refund', 'unhold', 'recheck']) {
    const [least, most] = [accepted.least(kind), accepted.most(kind)];
    const found = story.operations.filter((operation) => operation.kind === kind).length;
    must(
      found >= least && found <= most,
      `${found} times ${kind}, accepted ${least} to ${most} times`,
      story,
    );
  }
  const told = (kind: Instruction) => story.exchanges.filter((exchange) => exchange.kind === kind).length;
  const automatic = autoCapture ? story.events.filter(isAuthorisation).length : 0;
  must(told('capture') <= accepted.most('capture') + automatic, 'more captures than were asked for', story);
  must(told('refund') <= accepted.most('refund'), 'more refunds than were asked for', story);
  must(told('void') <= accepted.most('cancel'), 'more voids than were asked for', story);
  const asked = accepted.most('authorise') + accepted.most('unhold');
  must(told('authorize') <= asked, 'more authorisations than were asked for', story);
}
