import { describe, expect, it } from 'vitest';
import { createLikeness } from './likeness.js';

const difference = (shown: string, printed: string) =>
  createLikeness().difference(shown.split('\n'), printed.split('\n'));

describe('a page and a run', () => {
  it.each([
    ['Created  2026-11-15 06:04:43  (just now)', 'Created  2031-01-02 23:59:59  (12 seconds ago)'],
    ['  100001  inv-1   done   9 ms', '  100001  inv-1   done   1.2 s'],
    ['http://127.0.0.1:4010/wh/3J…-F', 'http://127.0.0.1:4010/wh/aa…bb'],
    ['  payment  state', '  payment      state'],
    ['one\n\n\n\ntwo\n', '\none\n\ntwo'],
    ['one\n…\nfour', 'one\ntwo\nthree\nfour'],
    ['since 13:27 UTC at the earliest', 'since 09:05 UTC at the earliest'],
    ['since 13:27 at the earliest', 'since 09:05 at the earliest'],
    [
      '  a  Held since 13:27 at\n     the earliest.',
      '  a  Held since 14 Nov\n     2026, 23:50 at the\n     earliest.',
    ],
    ['since 14 Nov 2026,\n13:27 at the earliest', 'since 15 Nov 2026,\n09:05 at the earliest'],
    ['from 15 November 2026', 'from 1 May 2027'],
    ['  Five reads since then show Captured.', '  One read since then shows Captured.'],
    ['2030-02-28 07:16:33  (3 years ahead)', '2030-02-28 07:16:33  (1 year ahead)'],
    [
      '  a  Held since 13:27 UTC at\n     the earliest.',
      '  a  Held since 14 Nov\n     2026, 23:50 UTC at the\n     earliest.',
    ],
    ['since 13:27 UTC at\nthe earliest.\n…\nb', 'since 14 Nov 2026, 23:27 UTC\nat the earliest.\nx\nb'],
  ])('are alike: %j and %j', (shown, printed) => {
    expect(difference(shown, printed)).toBeUndefined();
  });

  it.each([
    ['Captured → Refunded', 'Captured → Refunding'],
    ['Payment 100001', 'Payment 100002'],
    ['Five reads since then show Captured.', 'Five reads since then show Refunded.'],
    ['Five reads since then show Captured.', 'The payment could not be read since then.'],
    ['  authorize  1  1', '  authorize  1  2'],
    ['EUR 49.90', 'EUR 49.91'],
    ['one', 'one\ntwo'],
    ['one\ntwo', 'one'],
    ['one\n\ntwo', 'one\ntwo'],
    ['  set in', 'set in'],
    ['one\n…\nfour', 'one\ntwo\nthree'],
    ['2026-11-15', 'yesterday'],
    ['exit 9', 'exit 1'],
    ['13:27 UTC', '13:27'],
    ['since 13:27 UTC', 'since 13:27'],
    ['order 20:41', 'order 20:42'],
    ['one two\nthree', 'one\ntwo three'],
    ['since 13:27 UTC\nat the earliest', 'since 13:27 UTC\nat the latest'],
    ['since 13:27 UTC\nat the earliest', 'since 13:27\nUTC at the earliest. Why?'],
    ['since 13:27 UTC at\nthe earliest', 'since 13:27 UTC at the earliest\n\nmore'],
  ])('differ: %j and %j', (shown, printed) => {
    expect(difference(shown, printed)).toEqual(expect.any(String));
  });

  it('an id stands for one of the run, and for the same one throughout', () => {
    const [a, b, c] = ['app_00000000000a', 'app_00000000000b', 'app_00000000000c'];
    const likeness = createLikeness();
    expect(likeness.difference([`app ${a}`], [`app ${c}`])).toBeUndefined();
    expect(likeness.difference([`again ${a}`], [`again ${c}`])).toBeUndefined();
    expect(likeness.difference([`again ${a}`], [`again ${b}`])).toContain(c);
    expect(likeness.difference([`other ${b}`], [`other ${c}`])).toContain(c);
    expect(likeness.inThisRun(`paydesk x --confirm ${a}`)).toBe(`paydesk x --confirm ${c}`);
  });
});
