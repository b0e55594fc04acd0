import { describe, expect, test } from 'vitest';
import {
  isLegal,
  operations,
  states,
  stateNames,
  type Operation,
  type StateName,
} from '../../../src/contract/states.js';
import { scenes } from '../../../src/sandbox/seed.js';
import type { ShownPayment, TestSandbox } from '../../helpers/sandbox.js';
import { onEveryStore } from './stores.js';

const MINUTE = 60_000;
const DAY = 86_400_000;

const seedOf = (state: StateName) =>
  `seed-${state.replaceAll(/(?<=.)[A-Z]/g, (letter) => `-${letter}`).toLowerCase()}`;

/** Where each operation leads at once, from a seeded payment in each state that it is legal from. */
const leadsTo: Record<Operation, (from: StateName) => StateName> = {
  capture: () => 'Capturing',
  cancel: () => 'Cancelling',
  refund: () => 'Refunding',
  unhold: () => 'Capturing',
  recheck: (from) =>
    ({ Capturing: 'Captured', Refunding: 'Refunded', Cancelling: 'Cancelled' } as const)[
      from as 'Capturing'
    ] ?? from,
};

const recheck = (sandbox: TestSandbox, paymentId: number) =>
  sandbox.call('POST', `/payments/${paymentId}/recheck`);

const confirm = (sandbox: TestSandbox, paymentId: number) =>
  sandbox.control('POST', `/payments/${paymentId}/provider`, { answer: 'confirm' });

test('the seeded set has a payment in every state and stuck ones of several kinds', () => {
  for (const state of stateNames) expect(scenes[seedOf(state)]?.ends).toBe(state);
  expect(Object.keys(scenes).filter((name) => name.startsWith('stuck-')).length).toBeGreaterThanOrEqual(5);
});

onEveryStore((bench) => {
  describe.each(bench.sample(operations))('%s', (operation) => {
    test('is carried out from the states that allow it and refused from all others', async () => {
      const sandbox = await bench.start();
      await sandbox.control('POST', '/clock', { action: 'stop' });
      await sandbox.control('POST', '/seed');
      for (const state of stateNames) {
        const { body: before } = await sandbox.call<ShownPayment>(
          'GET',
          `/payments/referenceId:${seedOf(state)}`,
        );
        expect(before).toMatchObject({ paymentState: state, paymentStateId: states[state].id });
        const books = await sandbox.books(before.paymentId);
        const { status, body } = await sandbox.call('POST', `/payments/${before.paymentId}/${operation}`);
        if (isLegal(operation, state)) {
          const to = leadsTo[operation](state);
          expect({ state, status, body }).toMatchObject({
            status: 200,
            body: { paymentState: to, ...(operation === 'recheck' && { changed: to !== state }) },
          });
          continue;
        }
        expect({ state, status, body }).toMatchObject({
          status: 422,
          body: {
            code: 'operation-not-allowed',
            detail: expect.stringContaining(`payment ${before.paymentId}`),
          },
        });
        expect(await sandbox.read(before.paymentId)).toEqual(before);
        expect(await sandbox.books(before.paymentId)).toEqual(books);
      }
      expect(sandbox.errors).toEqual([]);
      // And nothing is done to a payment that is not there.
      expect((await sandbox.call('POST', `/payments/1/${operation}`)).status).toBe(404);
      expect((await sandbox.call('POST', `/payments/abc/${operation}`)).status).toBe(404);
    });
  });

  describe('the life of a payment', () => {
    const sandbox = bench.shared();

    test('with autoCapture goes to Captured by itself', async () => {
      const { paymentId } = await sandbox().create({ autoCapture: true });
      expect(await sandbox().pay(paymentId)).toMatchObject({
        paymentState: 'Captured',
        capturedAmount: 10.5,
      });
      expect(await sandbox().states(paymentId)).toEqual(['Created', 'Authorised', 'Capturing', 'Captured']);
      expect(await sandbox().books(paymentId)).toEqual({ authorize: '1/1', capture: '1/1' });
    });

    test('without autoCapture waits for the capture call', async () => {
      const { paymentId } = await sandbox().create({ autoCapture: false });
      expect(await sandbox().pay(paymentId)).toMatchObject({ paymentState: 'Authorised', capturedAmount: 0 });
      await sandbox().settle();
      expect(await sandbox().states(paymentId)).toEqual(['Created', 'Authorised']);
      const { body } = await sandbox().call('POST', `/payments/${paymentId}/capture`);
      expect(body).toMatchObject({ paymentState: 'Capturing', capturedAmount: 0 });
      await sandbox().settle();
      expect(await sandbox().read(paymentId)).toMatchObject({
        paymentState: 'Captured',
        capturedAmount: 10.5,
      });
    });

    test('captured cannot be cancelled, and the answer says to refund it', async () => {
      const { paymentId } = await sandbox().create();
      await sandbox().pay(paymentId);
      const { status, body } = await sandbox().call('POST', `/payments/${paymentId}/cancel`);
      expect({ status, body }).toMatchObject({
        status: 422,
        body: { code: 'operation-not-allowed', detail: expect.stringContaining('refund it instead') },
      });
    });

    test('not captured cannot be refunded, and the answer says to cancel it', async () => {
      const { paymentId } = await sandbox().create({ autoCapture: false });
      await sandbox().pay(paymentId);
      const { status, body } = await sandbox().call('POST', `/payments/${paymentId}/refund`);
      expect({ status, body }).toMatchObject({
        status: 422,
        body: { code: 'operation-not-allowed', detail: expect.stringContaining('cancel it instead') },
      });
    });

    test('cancelled or declined cannot be refunded, and the answer does not say to cancel it', async () => {
      const cancelled = await sandbox().create();
      await sandbox().call('POST', `/payments/${cancelled.paymentId}/cancel`);
      await sandbox().settle();
      const declined = await sandbox().create();
      await sandbox().pay(declined.paymentId, 'declined');
      for (const [{ paymentId }, state] of [
        [cancelled, 'Cancelled'],
        [declined, 'Declined'],
      ] as const) {
        expect((await sandbox().call('POST', `/payments/${paymentId}/refund`)).body).toMatchObject({
          code: 'operation-not-allowed',
          detail: `refund is not possible for payment ${paymentId}: it is ${state}.`,
        });
      }
    });

    test('refunded keeps its description, and is refunded once', async () => {
      const { paymentId } = await sandbox().create();
      await sandbox().pay(paymentId);
      await sandbox().call('POST', `/payments/${paymentId}/refund?description=lost%20%26%20found`);
      expect((await sandbox().call('POST', `/payments/${paymentId}/refund`)).status).toBe(422);
      await sandbox().settle();
      expect((await sandbox().call('POST', `/payments/${paymentId}/refund`)).status).toBe(422);
      const { body } = await sandbox().control('GET', `/payments/${paymentId}/story`);
      expect(body.operations).toMatchObject([
        { kind: 'refund', description: 'lost & found', status: 'done', from_state: 'Captured' },
      ]);
      expect(await sandbox().states(paymentId)).toEqual([
        'Created',
        'Authorised',
        'Capturing',
        'Captured',
        'Refunding',
        'Refunded',
      ]);
      expect(await sandbox().books(paymentId)).toEqual({ authorize: '1/1', capture: '1/1', refund: '1/1' });
    });

    test.each([
      ['Created', undefined, {}],
      ['ActionRequired', 'three-d-secure', {}],
      ['Held', 'held', {}],
      ['Processing', 'slow-approved', { authorize: '1/0', void: '1/1' }],
      ['Authorised', 'approved', { authorize: '1/1', void: '1/1' }],
    ])(
      '%s can be cancelled, and the provider is told where it may hold money',
      async (state, card, books) => {
        const { paymentId } = await sandbox().create({ autoCapture: false });
        if (card !== undefined) await sandbox().pay(paymentId, card);
        expect((await sandbox().read(paymentId)).paymentState).toBe(state);
        const { body } = await sandbox().call('POST', `/payments/${paymentId}/cancel`);
        expect(body.paymentState).toBe('Cancelling');
        await sandbox().settle();
        expect(await sandbox().read(paymentId)).toMatchObject({
          paymentState: 'Cancelled',
          capturedAmount: 0,
        });
        expect(await sandbox().books(paymentId)).toEqual(books);
      },
    );

    test.each([
      [true, ['Created', 'Held', 'Authorised', 'Capturing', 'Captured']],
      [false, ['Created', 'Held', 'Authorised']],
    ])('held and released goes where it would have been (autoCapture %s)', async (autoCapture, through) => {
      const { paymentId } = await sandbox().create({ autoCapture });
      expect(await sandbox().pay(paymentId, 'held')).toMatchObject({
        paymentState: 'Held',
        fraudStatus: 'Unknown',
      });
      expect(await sandbox().books(paymentId)).toEqual({});
      expect((await sandbox().call('POST', `/payments/${paymentId}/unhold`)).status).toBe(200);
      await sandbox().settle();
      expect(await sandbox().states(paymentId)).toEqual(through);
      expect((await sandbox().read(paymentId)).fraudStatus).toBe('Verified');
    });

    test('declined on a checkout page may be tried again with another card', async () => {
      const { paymentId } = await sandbox().create();
      expect(await sandbox().pay(paymentId, 'declined')).toMatchObject({
        paymentState: 'Declined',
        failureReason: 'declined by the issuer',
      });
      expect(await sandbox().pay(paymentId, 'insufficient-funds')).toMatchObject({
        paymentState: 'Declined',
        failureReason: 'insufficient funds',
      });
      const paid = await sandbox().pay(paymentId, 'approved');
      expect(paid).toMatchObject({ paymentState: 'Captured' });
      expect(paid).not.toHaveProperty('failureReason');
    });

    test('paid already cannot be paid again', async () => {
      const { paymentId } = await sandbox().create();
      await sandbox().pay(paymentId);
      const { status } = await sandbox().control('POST', `/payments/${paymentId}/pay`, { card: 'approved' });
      expect(status).toBe(422);
      expect(await sandbox().books(paymentId)).toEqual({ authorize: '1/1', capture: '1/1' });
    });
  });

  describe('the clock', () => {
    test('lets a checkout link expire, and nothing can be paid by it then', async () => {
      const sandbox = await bench.start();
      await sandbox.control('POST', '/clock', { action: 'stop' });
      const { body } = await sandbox.control<{ now: string }>('GET', '/clock');
      const expirationTime = new Date(Date.parse(body.now) + 5 * MINUTE).toISOString();
      const [untouched, declined, confirming, paid, endless] = [
        await sandbox.create({ expirationTime }),
        await sandbox.create({ expirationTime }),
        await sandbox.create({ expirationTime }),
        await sandbox.create({ expirationTime }),
        await sandbox.create(),
      ];
      await sandbox.pay(declined.paymentId, 'declined');
      await sandbox.pay(confirming.paymentId, 'three-d-secure');
      await sandbox.pay(paid.paymentId);
      await sandbox.advance(5 * MINUTE - 1);
      expect((await sandbox.read(untouched.paymentId)).paymentState).toBe('Created');
      await sandbox.advance(1);
      const end = async ({ paymentId }: ShownPayment) => (await sandbox.read(paymentId)).paymentState;
      expect(await Promise.all([untouched, declined, confirming, paid, endless].map(end))).toEqual([
        'Expired',
        'Expired',
        'Expired',
        'Captured',
        'Created',
      ]);
      const late = await sandbox.control('POST', `/payments/${untouched.paymentId}/pay`, {
        card: 'approved',
      });
      expect(late.status).toBe(422);
    });

    test.each([
      [
        'while the provider takes its time',
        'slow-declined',
        ['Created', 'Processing', 'Declined', 'Expired'],
      ],
      ['while it was held', 'held', ['Created', 'Held', 'Declined', 'Expired']],
    ] as const)('lets a link that ran out %s expire once it is declined', async (_, card, path) => {
      const sandbox = await bench.start();
      await sandbox.control('POST', '/clock', { action: 'stop' });
      const { body } = await sandbox.control<{ now: string }>('GET', '/clock');
      const expirationTime = new Date(Date.parse(body.now) + 20_000).toISOString();
      const receiver = await bench.receiver();
      const { paymentId } = await sandbox.create({ expirationTime, webhookUrl: receiver.url });
      await sandbox.pay(paymentId, card);
      await sandbox.advance(25_000);
      expect((await sandbox.read(paymentId)).paymentState).toBe(path[1]);
      if (card === 'held') {
        await sandbox.control('POST', '/faults', { kind: 'provider-fails', route: 'authorize', next: 1 });
        await sandbox.call('POST', `/payments/${paymentId}/unhold`);
      }
      await sandbox.advance(10_000);
      expect(await sandbox.states(paymentId)).toEqual(path);
      expect(receiver.states(paymentId)).toEqual(path);
    });

    test('lets an authorisation expire after the window of its provider profile', async () => {
      const sandbox = await bench.start();
      await sandbox.control('POST', '/clock', { action: 'stop' });
      const [northbank] = sandbox.app.profiles;
      await sandbox.control('PATCH', `/apps/${sandbox.app.appId}`, {
        profile: { paymentProfileId: sandbox.app.profiles[3]?.paymentProfileId, windowMs: DAY },
      });
      const week = await sandbox.create({ autoCapture: false });
      const day = await sandbox.create({ autoCapture: false });
      const captured = await sandbox.create({ autoCapture: false });
      await sandbox.pay(week.paymentId, 'approved', { paymentProfileId: northbank?.paymentProfileId });
      await sandbox.pay(day.paymentId, 'approved', { method: 'Paypal' });
      await sandbox.pay(captured.paymentId);
      await sandbox.call('POST', `/payments/${captured.paymentId}/capture`);
      await sandbox.advance(DAY - 1);
      expect((await sandbox.read(day.paymentId)).paymentState).toBe('Authorised');
      await sandbox.advance(1);
      expect((await sandbox.read(day.paymentId)).paymentState).toBe('Expired');
      const late = await sandbox.call('POST', `/payments/${day.paymentId}/capture`);
      expect(late).toMatchObject({ status: 422, body: { code: 'operation-not-allowed' } });
      await sandbox.advance(6 * DAY);
      expect((await sandbox.read(week.paymentId)).paymentState).toBe('Expired');
      expect((await sandbox.read(captured.paymentId)).paymentState).toBe('Captured');
      expect(await sandbox.books(week.paymentId)).toEqual({ authorize: '1/1' });
    });

    test.each([
      ['is rechecked', true, recheck],
      ['is rechecked', false, recheck],
      ['is confirmed by hand', true, confirm],
    ] as const)(
      'lets a lost authorisation expire that %s after its window (autoCapture %s)',
      async (_, autoCapture, learn) => {
        const sandbox = await bench.start();
        await sandbox.control('POST', '/clock', { action: 'stop' });
        const receiver = await bench.receiver();
        const { paymentId } = await sandbox.create({ autoCapture, webhookUrl: receiver.url });
        await sandbox.pay(paymentId, 'unknown-charged');
        await sandbox.advance(30 * DAY);
        expect((await sandbox.read(paymentId)).paymentState).toBe('Processing');
        expect((await learn(sandbox, paymentId)).body).toMatchObject({
          paymentState: 'Expired',
          capturedAmount: 0,
        });
        const { status } = await sandbox.call('POST', `/payments/${paymentId}/capture`);
        expect(status).toBe(422);
        await sandbox.settle();
        const path = ['Created', 'Processing', 'Authorised', 'Expired'];
        expect(await sandbox.states(paymentId)).toEqual(path);
        expect(receiver.states(paymentId)).toEqual(path);
        expect(await sandbox.books(paymentId)).toEqual({ authorize: '1/1' });
        expect(sandbox.errors).toEqual([]);
      },
    );

    test('counts the window of a lost authorisation from when the provider gave it', async () => {
      const sandbox = await bench.start();
      await sandbox.control('POST', '/clock', { action: 'stop' });
      const manual = await sandbox.create({ autoCapture: false });
      const automatic = await sandbox.create({ autoCapture: true });
      for (const { paymentId } of [manual, automatic]) await sandbox.pay(paymentId, 'unknown-charged');
      await sandbox.advance(7 * DAY - 60 * MINUTE);
      expect((await recheck(sandbox, manual.paymentId)).body.paymentState).toBe('Authorised');
      expect((await recheck(sandbox, automatic.paymentId)).body.paymentState).toBe('Captured');
      await sandbox.advance(60 * MINUTE - 1);
      expect((await sandbox.read(manual.paymentId)).paymentState).toBe('Authorised');
      await sandbox.advance(1);
      expect((await sandbox.read(manual.paymentId)).paymentState).toBe('Expired');
      expect(await sandbox.books(manual.paymentId)).toEqual({ authorize: '1/1' });
    });

    test('lets an authorisation whose capture failed expire at its time', async () => {
      const sandbox = await bench.start();
      await sandbox.control('POST', '/clock', { action: 'stop' });
      const { paymentId } = await sandbox.create({ autoCapture: false });
      await sandbox.pay(paymentId, 'capture-fails');
      await sandbox.advance(DAY);
      await sandbox.call('POST', `/payments/${paymentId}/capture`);
      await sandbox.advance(6 * DAY - 1);
      expect((await sandbox.read(paymentId)).paymentState).toBe('Authorised');
      await sandbox.advance(1);
      expect((await sandbox.read(paymentId)).paymentState).toBe('Expired');
    });
  });
});
