import { describe, expect, it } from 'vitest';
import type { StateName } from '../../src/contract/states.js';
import { createWebhookExpectation } from '../../src/webhooks/expectation.js';
import type { Delivery } from '../../src/webhooks/inbox/delivery.js';
import { everything } from './hook-desk.js';

const delivery: Delivery = {
  id: 1,
  time: 0,
  kind: 'received',
  paymentId: '100231',
  referenceId: null,
  namedBy: 'json',
  saidState: null,
  state: 'Created',
  previousState: null,
  verdict: 'changed',
  why: null,
  readTime: 0,
  forwards: [],
};

const waitFor = (until: StateName) =>
  createWebhookExpectation({
    until,
    count: undefined,
    maxDuplicates: undefined,
    filter: everything,
    nameOf: (said) => said,
  });

it.each<[StateName, string]>([
  ['Authorised', 'Authorised'],
  ['Authorised', 'Captured'],
  ['Created', 'Authorised'],
  ['Captured', 'Refunded'],
])('--until %s is met by its webhook when the service shows %s', (until, state) => {
  expect(waitFor(until).noteSettled({ ...delivery, saidState: until, state })).toBe('met');
});

it.each<[StateName, string]>([
  ['Authorised', 'Created'],
  ['Authorised', 'Declined'],
  ['Capturing', 'Authorised'],
  ['Cancelling', 'Authorised'],
  ['Refunding', 'Captured'],
  ['Declined', 'Authorised'],
  ['Authorised', 'SomethingElse'],
  ['Authorised', 'Cancelled'],
  ['Held', 'Captured'],
  ['Processing', 'Declined'],
])('--until %s is not met by its webhook when the service shows %s', (until, state) => {
  expect(waitFor(until).noteSettled({ ...delivery, saidState: until, state })).toBeUndefined();
});

const unsent: Delivery = {
  ...delivery,
  state: null,
  verdict: 'unread',
  why: 'the service did not answer',
  forwards: [
    {
      id: 1,
      to: 'http://localhost:3000/',
      place: 'desk-1 http://localhost:3000/',
      status: null,
      ms: null,
      error: 'payment not read',
      attempts: 0,
      outcome: 'failed',
      replay: false,
      chaos: null,
    },
  ],
};

it('a webhook whose payment was not read is no failure of the handler', () => {
  const expectation = waitFor('Captured');
  expect(expectation.noteSettled(unsent)).toBeUndefined();
  expect(expectation.timeUp()?.message).toContain('One could not be read: the service did not answer.');
  const [forward] = unsent.forwards;
  const refused = { ...unsent, forwards: [{ ...forward!, attempts: 4, status: 500 }] };
  expect(expectation.noteSettled(refused)).toMatchObject({ code: 'handler-failed' });
});

const refusedForward = { ...unsent.forwards[0]!, attempts: 4, status: 500 };
const waiting = { ...refusedForward, attempts: 0, status: null, outcome: 'waiting' as const };
const earlier: Delivery = { ...delivery, saidState: 'Created', state: 'Authorised' };
const own: Delivery = { ...delivery, id: 2, saidState: 'Authorised', state: 'Authorised' };

describe('a webhook about an earlier state that is read when the payment is further on', () => {
  it('is not the end: the handler has to accept the one about the state itself', () => {
    const expectation = waitFor('Authorised');
    expect(expectation.noteSettled(earlier)).toBe('nearly');
    expectation.noteArrival({ ...own, forwards: [waiting] });
    expect(expectation.noteSettled({ ...own, forwards: [refusedForward] })).toMatchObject({
      code: 'handler-failed',
    });
  });

  it('is followed by the end when that one was accepted', () => {
    const expectation = waitFor('Authorised');
    expect(expectation.noteSettled(earlier)).toBe('nearly');
    expect(expectation.noteSettled(own)).toBe('met');
  });

  it('is enough when none follows', () => {
    const expectation = waitFor('Authorised');
    expect(expectation.noteSettled(earlier)).toBe('nearly');
    expect(expectation.stopWaiting()).toBe('met');
    expect(expectation.timeUp()).toBeUndefined();
  });

  it('is enough only once one that is being forwarded by then was accepted', () => {
    const expectation = waitFor('Authorised');
    expectation.noteSettled(earlier);
    expectation.noteArrival({ ...own, forwards: [waiting] });
    expect(expectation.stopWaiting()).toBeUndefined();
    expect(expectation.timeUp()).toMatchObject({ code: 'time-up' });
    expect(expectation.noteSettled(own)).toBe('met');
  });
});

it('that a webhook arrived is not denied when the handler has not answered it in time', () => {
  const expectation = waitFor('Captured');
  expectation.noteArrival({ ...own, forwards: [waiting] });
  expect(expectation.timeUp()).toMatchObject({
    code: 'time-up',
    message: expect.stringContaining('Webhook 2'),
  });
});

describe('what arrived before there was enough', () => {
  it('has to be accepted as well', () => {
    const expectation = waitFor('Authorised');
    expectation.noteArrival({ ...earlier, id: 3, forwards: [waiting] });
    expect(expectation.noteSettled(own)).toBeUndefined();
    expect(expectation.noteSettled({ ...earlier, id: 3, forwards: [refusedForward] })).toMatchObject({
      code: 'handler-failed',
    });
  });

  it('is waited for, and what arrives later is not', () => {
    const expectation = waitFor('Authorised');
    expectation.noteArrival({ ...earlier, id: 3, forwards: [waiting] });
    expect(expectation.noteSettled(own)).toBeUndefined();
    expectation.noteArrival({ ...earlier, id: 4, forwards: [waiting] });
    expect(expectation.noteSettled({ ...earlier, id: 3 })).toBe('met');
  });
});

it('counts one duplicate as one, and says once that a handler did not answer', () => {
  const expected = { until: undefined, count: undefined, filter: everything, nameOf: (said: string) => said };
  const strict = createWebhookExpectation({ ...expected, maxDuplicates: 0 });
  expect(strict.noteSettled({ ...delivery, verdict: 'duplicate' })).toMatchObject({
    message: '1 duplicate arrived, but --max-duplicates is 0.',
  });
  const failed = { to: 'http://shop.example/slow', status: null, error: 'no answer within 5 s', attempts: 3 };
  const forward = { ...failed, outcome: 'failed' } as Delivery['forwards'][number];
  expect(waitFor('Captured').noteSettled({ ...delivery, forwards: [forward] })).toMatchObject({
    message: 'The handler did not accept a webhook: http://shop.example/slow: no answer within 5 s.',
  });
});
