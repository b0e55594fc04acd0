import { hostname } from 'node:os';
import { describe, expect, it } from 'vitest';
import { createScrubber } from '../../src/redact.js';
import { createChaos } from '../../src/webhooks/forwarding/chaos.js';
import { forwardedRequest } from '../../src/webhooks/forwarding/forwarded-request.js';
import { planNextAttempt } from '../../src/webhooks/forwarding/forwarder.js';
import { createReadBudget } from '../../src/webhooks/reading/read-budget.js';
import { mayPass, parseTarget, passes } from '../../src/webhooks/forwarding/targets.js';
import { judgeDelivery } from '../../src/webhooks/reading/verdict.js';

describe('a target', () => {
  it('is an address with settings after it', () => {
    expect(
      parseTarget(
        'localhost:3000/hooks state=Captured,Refunded payment=100231,inv-1 path=refunds header=X-A:b skip-verify',
      ),
    ).toEqual({
      url: 'http://localhost:3000/hooks',
      key: `${hostname()} http://localhost:3000/hooks path=refunds payment=100231,inv-1 state=Captured,Refunded`,
      headers: [{ name: 'X-A', value: 'b' }],
      skipVerify: true,
      filter: {
        states: ['Captured', 'Refunded'],
        payments: [
          { typed: '100231', key: { paymentId: '100231' }, mayBeReference: true },
          { typed: 'inv-1', key: { referenceId: 'inv-1' } },
        ],
        paths: ['/refunds'],
      },
    });
  });

  it('means another program on every machine where it is on loopback, and the same one elsewhere', () => {
    expect(parseTarget('http://[::1]:3000/').key).toContain(hostname());
    expect(parseTarget('https://shop.example/hooks').key).toBe('https://shop.example/hooks');
  });

  it.each([
    ['shop.example/hooks', 'add the scheme'],
    ['ftp://shop.example', 'a web address'],
    ['https://me:secret@shop.example', 'remove the user name'],
    ['localhost:3000 color=red', 'is not a setting'],
    ['localhost:3000 state=', 'is not a setting'],
    ['localhost:3000 header=Host:evil', 'is set by paydesk itself'],
    ['localhost:3000 header=a', 'Name:value'],
  ])('%s is refused', (text, problem) => {
    expect(() => parseTarget(text)).toThrow(problem);
  });

  it('lets through what its filters say', () => {
    const { filter } = parseTarget('localhost:1 state=Captured payment=5,inv-1 path=/a');
    const facts = { path: '/a/b', paymentId: '5', referenceId: 'x', state: 'Captured' };
    expect(passes(filter, facts)).toBe(true);
    expect(passes(filter, { ...facts, paymentId: '6', referenceId: 'inv-1' })).toBe(true);
    expect(passes(filter, { ...facts, paymentId: '6' })).toBe(false);
    expect(passes(filter, { ...facts, paymentId: '6', referenceId: '5' })).toBe(true);
    const { filter: forced } = parseTarget('localhost:1 payment=id:5,ref:7');
    expect(passes(forced, { ...facts, paymentId: '6', referenceId: '5' })).toBe(false);
    expect(passes(forced, { ...facts, paymentId: '7' })).toBe(false);
    expect(passes(forced, { ...facts, paymentId: '6', referenceId: '7' })).toBe(true);
    expect(passes(filter, { ...facts, state: null })).toBe(false);
    expect(passes(filter, { ...facts, path: '/b' })).toBe(false);
  });

  it('a read that failed leaves open what has no state, or lacks the name that a target asks for', () => {
    const { filter } = parseTarget('localhost:1 state=Captured payment=ref:inv-1 path=/a');
    const facts = { path: '/a/1', paymentId: '5', referenceId: null };
    expect(mayPass(filter, facts)).toBe(true);
    expect(mayPass(filter, { ...facts, referenceId: 'inv-1' })).toBe(true);
    expect(mayPass(filter, { ...facts, referenceId: 'inv-2' })).toBe(false);
    expect(mayPass(filter, { ...facts, path: '/b' })).toBe(false);
    const byNumber = parseTarget('localhost:1 payment=5').filter;
    expect(mayPass(byNumber, { ...facts, paymentId: '6' })).toBe(true);
    expect(mayPass(byNumber, { ...facts, paymentId: '6', referenceId: 'inv-1' })).toBe(false);
    expect(mayPass(byNumber, { ...facts, paymentId: null, referenceId: 'inv-1' })).toBe(true);
  });
});

describe('a forwarded request', () => {
  const target = {
    url: 'https://shop.example:8443/hooks?own=1',
    headers: [{ name: 'X-Env', value: 'test' }],
  };
  const received = {
    method: 'POST',
    query: 'paymentId=1&a=%20b',
    headers: [
      ['hOsT', '127.0.0.1:4020'],
      ['X-ODD-Case', 'Ünï'],
      ['x-twice', '1'],
      ['X-Twice', '2'],
      ['Connection', 'close, X-Hop'],
      ['X-Hop', 'gone'],
      ['Transfer-Encoding', 'chunked'],
      ['Expect', '100-continue'],
      ['Referer', 'http://127.0.0.1:4020/wh/s3cr3t/inv-1'],
      ['X-Original-URL', '/wh/s3cr3t'],
      ['x-env', 'live'],
    ] as Array<[string, string]>,
    body: Buffer.from([0, 255, 1]),
  };

  it('keeps names, order and values, drops what belongs to the connection, and hides the secret', () => {
    expect(
      forwardedRequest(received, target, {
        hide: createScrubber('s3cr3t'),
        marks: [['Paydesk-Replay', '7']],
      }),
    ).toEqual({
      origin: 'https://shop.example:8443',
      path: '/hooks?own=1&paymentId=1&a=%20b',
      method: 'POST',
      headers: [
        ['X-ODD-Case', 'Ünï', 'x-twice', '1', 'X-Twice', '2'],
        ['Referer', 'http://127.0.0.1:4020/wh/[redacted]/inv-1', 'X-Original-URL', '/wh/[redacted]'],
        ['X-Env', 'test', 'Paydesk-Replay', '7'],
      ].flat(),
      body: received.body,
    });
  });
});

describe('what a read says about a delivery', () => {
  const facts = { said: null, state: 'Captured', previous: 'Capturing', repeated: false };
  it.each([
    ['changed', facts],
    ['changed', { ...facts, previous: null }],
    ['several', { ...facts, previous: 'Created' }],
    ['same', { ...facts, previous: 'Captured' }],
    ['same', { ...facts, previous: 'Captured', said: 'Captured' }],
    ['duplicate', { ...facts, repeated: true }],
    ['stale', { ...facts, previous: 'Captured', said: 'Capturing' }],
    ['unconfirmed', { ...facts, previous: 'Created', state: 'Created', said: 'Captured' }],
    ['unconfirmed', { ...facts, previous: 'Created', state: 'Created', said: 'Authorised' }],
    ['unconfirmed', { ...facts, previous: 'Authorised', state: 'Authorised', said: 'Capturing' }],
    ['unconfirmed', { ...facts, previous: 'Captured', said: 'Refunding' }],
    ['unconfirmed', { ...facts, previous: 'Declined', state: 'Declined', said: 'Authorised' }],
    ['unconfirmed', { ...facts, previous: 'Cancelled', state: 'Cancelled', said: 'Captured' }],
    ['stale', { ...facts, previous: 'Authorised', state: 'Authorised', said: 'Created' }],
    ['stale', { ...facts, previous: 'Authorised', state: 'Authorised', said: 'Declined' }],
    ['stale', { ...facts, previous: 'Declined', state: 'Declined', said: 'Processing' }],
    ['stale', { ...facts, previous: 'Cancelled', state: 'Cancelled', said: 'Capturing' }],
    ['changed', { ...facts, previous: 'OnHold', state: 'Weird', said: 'Other' }],
  ])('%s', (verdict, given) => {
    expect(judgeDelivery(given)).toBe(verdict);
  });
});

describe('when a target is tried again', () => {
  const failed = { time: 0, status: 500, ms: 1, answer: '', error: null };
  const at = (attempts: number, now: number, started = 0) =>
    planNextAttempt({ attempts, first_time: attempts === 0 ? null : 0 }, failed, { now, started });

  it('is at most three times, and never later than five seconds after the first attempt', () => {
    expect(at(0, 0)).toEqual({ dueTime: 500 });
    expect(at(1, 500)).toEqual({ dueTime: 1500 });
    expect(at(2, 1500)).toEqual({ dueTime: 3500 });
    expect(at(3, 3500)).toEqual({ outcome: 'failed' });
    expect(at(0, 5000)).toEqual({ outcome: 'failed' });
  });

  it('starts over for a process that was not there before', () => {
    expect(at(1, 100_500, 100_000)).toEqual({ dueTime: 101_500 });
  });

  it('is never, once it has it', () => {
    expect(
      planNextAttempt({ attempts: 0, first_time: null }, { ...failed, status: 204 }, { now: 0, started: 0 }),
    ).toEqual({
      outcome: 'delivered',
    });
  });
});

describe('the budget for reads', () => {
  it('lets a burst through and then so many a second', () => {
    let now = 0;
    const budget = createReadBudget(() => now);
    expect(Array.from({ length: 100 }, () => budget.take()).every((wait) => wait === 0)).toBe(true);
    expect(budget.take()).toBeGreaterThan(0);
    now = 1000;
    expect(Array.from({ length: 51 }, () => budget.take()).filter((wait) => wait === 0)).toHaveLength(50);
  });

  it('runs dry for payments that do not exist, and not for those that do', () => {
    const budget = createReadBudget(() => 0);
    for (let count = 0; count < 1000; count += 1) {
      expect(budget.takeForStranger()).toBe(true);
      budget.giveBack();
    }
    for (let count = 0; count < 100; count += 1) budget.takeForStranger();
    expect(budget.takeForStranger()).toBe(false);
  });

  it('remembers for a while what was not there', () => {
    let now = 0;
    const budget = createReadBudget(() => now);
    budget.noteAbsent({ paymentId: '1' });
    expect(budget.isAbsent({ paymentId: '1' })).toBe(true);
    expect(budget.isAbsent({ referenceId: '1' })).toBe(false);
    now = 60_000;
    expect(budget.isAbsent({ paymentId: '1' })).toBe(false);
  });
});

describe('chaos', () => {
  const all = ['duplicate', 'delay', 'reorder', 'drop'] as const;
  const effects = (seed: number) => {
    const chaos = createChaos(all, seed);
    return Array.from({ length: 400 }, () => chaos.next());
  };

  it('does the same for the same seed, and else for another', () => {
    expect(effects(7)).toEqual(effects(7));
    expect(effects(7)).not.toEqual(effects(8));
  });

  it('hits about one in four with each, and nothing that was not asked for', () => {
    const done = effects(7).flatMap((effect) => effect.done);
    for (const kind of all) {
      const hits = done.filter((each) => each === kind).length;
      expect([kind, hits > 40 && hits < 160]).toEqual([kind, true]);
    }
    // Each is drawn by itself, so that together they disturb more than one in four.
    expect(effects(7).filter((effect) => effect.done.length > 0).length).toBeGreaterThan(200);
    const only = createChaos(['delay'], 7);
    expect(new Set(Array.from({ length: 100 }, () => only.next().done).flat())).toEqual(new Set(['delay']));
  });
});
