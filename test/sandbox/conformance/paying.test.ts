import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { stateNames } from '../../../src/contract/states.js';
import { cardNames, LATE_ANSWER_MS, testCards, type CardName } from '../../../src/sandbox/domain/cards.js';
import { newReference, type ShownPayment, type TestSandbox } from '../../helpers/sandbox.js';
import { fillIn, pageOf } from '../../pages/forms.js';
import { onEveryStore } from './stores.js';

const DAY = 86_400_000;
const captured = ['Created', 'Authorised', 'Capturing', 'Captured'];

interface Course {
  /** States by the time that `pay` returns. */
  paid: string[];
  /** States once time has passed. */
  later?: string[];
  /** What recheck finds, before any time has passed. */
  recheck: { state: string; changed: boolean };
  books: Record<string, string>;
  failure?: string;
}

/** What becomes of a payment with autoCapture, by its card. */
const courses: Record<CardName, Course> = {
  approved: {
    paid: captured,
    recheck: { state: 'Captured', changed: false },
    books: { authorize: '1/1', capture: '1/1' },
  },
  declined: {
    paid: ['Created', 'Declined'],
    recheck: { state: 'Declined', changed: false },
    books: { authorize: '1/0' },
    failure: 'declined by the issuer',
  },
  'insufficient-funds': {
    paid: ['Created', 'Declined'],
    recheck: { state: 'Declined', changed: false },
    books: { authorize: '1/0' },
    failure: 'insufficient funds',
  },
  expired: {
    paid: ['Created', 'Declined'],
    recheck: { state: 'Declined', changed: false },
    books: { authorize: '1/0' },
    failure: 'expired card',
  },
  'three-d-secure': {
    paid: ['Created', 'ActionRequired'],
    recheck: { state: 'ActionRequired', changed: false },
    books: {},
  },
  held: { paid: ['Created', 'Held'], recheck: { state: 'Held', changed: false }, books: {} },
  blocked: {
    paid: ['Created', 'Declined'],
    recheck: { state: 'Declined', changed: false },
    books: { authorize: '1/0' },
    failure: 'blocked by the provider',
  },
  'slow-approved': {
    paid: ['Created', 'Processing'],
    later: ['Created', 'Processing', 'Authorised', 'Capturing', 'Captured'],
    recheck: { state: 'Processing', changed: false },
    books: { authorize: '1/1', capture: '1/1' },
  },
  'slow-declined': {
    paid: ['Created', 'Processing'],
    later: ['Created', 'Processing', 'Declined'],
    recheck: { state: 'Processing', changed: false },
    books: { authorize: '1/0' },
    failure: 'declined by the issuer',
  },
  'unknown-charged': {
    paid: ['Created', 'Processing'],
    recheck: { state: 'Captured', changed: true },
    books: { authorize: '1/1' },
  },
  'unknown-not-charged': {
    paid: ['Created', 'Processing'],
    recheck: { state: 'Failed', changed: true },
    books: { authorize: '1/0' },
  },
  'capture-fails': {
    paid: ['Created', 'Authorised', 'Capturing', 'Authorised'],
    recheck: { state: 'Authorised', changed: false },
    books: { authorize: '1/1', capture: '1/0' },
  },
  'refund-fails': {
    paid: captured,
    recheck: { state: 'Captured', changed: false },
    books: { authorize: '1/1', capture: '1/1' },
  },
  'expires-later': {
    paid: captured,
    recheck: { state: 'Captured', changed: false },
    books: { authorize: '1/1', capture: '1/1' },
  },
};

async function storedMethod(
  sandbox: TestSandbox,
  card: CardName = 'approved',
  more: object = {},
): Promise<{ customerId: string; paymentMethodId: number; customerAutomaticProfileId: number }> {
  const customerId = newReference();
  const { paymentId } = await sandbox.create({
    registerAutoPayment: true,
    customerOrder: { customer: { customerId } },
  });
  await sandbox.pay(paymentId, card, { ...more });
  return { customerId, ...(await lastMethod(sandbox, customerId)) };
}

async function lastMethod(sandbox: TestSandbox, customerId: string) {
  const { body } = await sandbox.call<Array<{ paymentMethodId: number; customerAutomaticProfileId: number }>>(
    'GET',
    `/customers/${customerId}/payment-methods`,
  );
  return body.at(-1) as { paymentMethodId: number; customerAutomaticProfileId: number };
}

function chargeBody(customerId: string, fields: object = {}): object {
  return {
    referenceId: newReference(),
    amount: 12.34,
    autoCapture: true,
    customerOrder: { customer: { customerId } },
    ...fields,
  };
}

onEveryStore((bench) => {
  const sandbox = bench.shared();
  const charge = (customerId: string, fields?: object) =>
    sandbox().call<ShownPayment>('POST', '/payments/auto-payment', chargeBody(customerId, fields));
  const setApp = (own: TestSandbox, patch: object) =>
    own.control<{ fraudPolicies: Array<{ fraudPolicyId: number; rule: string }> }>(
      'PATCH',
      `/apps/${own.app.appId}`,
      patch,
    );

  describe.each(bench.sample(cardNames))('the card %s', (card) => {
    const course = courses[card];

    test('takes its course', async () => {
      const own = card.startsWith('slow') ? await bench.start() : sandbox();
      const { paymentId } = await own.create();
      const paid = await own.pay(paymentId, card);
      expect(await own.states(paymentId)).toEqual(course.paid);
      if (course.later !== undefined) {
        expect(await own.books(paymentId)).toEqual({ authorize: '1/0' });
        await own.advance(LATE_ANSWER_MS);
        expect(await own.states(paymentId)).toEqual(course.later);
      }
      expect(await own.books(paymentId)).toEqual(course.books);
      const shown = await own.read(paymentId);
      expect(shown.failureReason).toBe(course.failure);
      const isCaptured = shown.paymentState === 'Captured';
      expect(shown.capturedAmount).toBe(isCaptured ? 10.5 : 0);
      // Nothing is known of the payer before the provider has answered.
      const answered = course.books.authorize !== undefined && shown.paymentState !== 'Processing';
      expect({ card, hasInfo: shown.payInfo !== undefined }).toEqual({ card, hasInfo: answered });
      expect(paid.paymentState).toBe(course.paid.at(-1));
    });

    test('is rechecked', async () => {
      const { paymentId } = await sandbox().create();
      await sandbox().pay(paymentId, card);
      const { status, body } = await sandbox().call('POST', `/payments/${paymentId}/recheck`);
      expect({ status, state: body.paymentState, changed: body.changed }).toEqual({
        status: 200,
        ...course.recheck,
      });
      const again = await sandbox().call('POST', `/payments/${paymentId}/recheck`);
      expect(again.body).toMatchObject({ paymentState: course.recheck.state, changed: false });
    });
  });

  test('a confirmation at the provider is passed, or not', async () => {
    const [first, second] = [await sandbox().create(), await sandbox().create()];
    for (const { paymentId } of [first, second]) await sandbox().pay(paymentId, 'three-d-secure');
    const finish = (paymentId: number, challenge: string) =>
      sandbox().control('POST', `/payments/${paymentId}/pay`, { challenge });
    expect((await finish(first.paymentId, 'passed')).body.paymentState).toBe('Captured');
    expect((await finish(second.paymentId, 'failed')).body.paymentState).toBe('Declined');
    expect((await finish(first.paymentId, 'passed')).status).toBe(422);
    expect(await sandbox().books(second.paymentId)).toEqual({});
  });

  test('a capture that fails goes back, and the failure is on the operation', async () => {
    const { paymentId } = await sandbox().create({ autoCapture: false });
    await sandbox().pay(paymentId, 'capture-fails');
    await sandbox().call('POST', `/payments/${paymentId}/capture`);
    await sandbox().settle();
    expect(await sandbox().states(paymentId)).toEqual(['Created', 'Authorised', 'Capturing', 'Authorised']);
    const { body } = await sandbox().control('GET', `/payments/${paymentId}/story`);
    expect(body.operations).toMatchObject([{ kind: 'capture', status: 'failed', error: expect.any(String) }]);
    expect(await sandbox().read(paymentId)).not.toHaveProperty('failureReason');
  });

  test('a refund that fails goes back, and can be asked for again', async () => {
    const { paymentId } = await sandbox().create();
    await sandbox().pay(paymentId, 'refund-fails');
    for (const told of ['1/0', '2/0']) {
      expect((await sandbox().call('POST', `/payments/${paymentId}/refund`)).status).toBe(200);
      await sandbox().settle();
      expect(await sandbox().read(paymentId)).toMatchObject({
        paymentState: 'Captured',
        capturedAmount: 10.5,
      });
      expect(await sandbox().books(paymentId)).toEqual({ authorize: '1/1', capture: '1/1', refund: told });
    }
  });

  describe('a provider that answers later', () => {
    test('takes its time for every instruction', async () => {
      const own = await bench.start();
      await own.control('POST', '/clock', { action: 'stop' });
      const slowbank = own.app.profiles.find((profile) => profile.name === 'Slowbank');
      const { paymentId } = await own.create();
      const state = async () => (await own.read(paymentId)).paymentState;
      const paid = await own.pay(paymentId, 'approved', { paymentProfileId: slowbank?.paymentProfileId });
      expect(paid.paymentState).toBe('Processing');
      await own.advance(59_999);
      expect(await state()).toBe('Processing');
      await own.advance(1);
      expect(await state()).toBe('Capturing');
      await own.advance(60_000);
      expect(await state()).toBe('Captured');
      await own.call('POST', `/payments/${paymentId}/refund`);
      await own.advance(59_999);
      expect(await state()).toBe('Refunding');
      await own.advance(1);
      expect(await state()).toBe('Refunded');
    });
  });

  describe('a provider that declines by hand', () => {
    test.each(['slow-approved', 'unknown-charged', 'unknown-not-charged'])(
      'leaves a payment with the card %s Declined, and it can be paid with another',
      async (card) => {
        const { paymentId } = await sandbox().create();
        expect((await sandbox().pay(paymentId, card)).paymentState).toBe('Processing');
        const { status, body } = await sandbox().control('POST', `/payments/${paymentId}/provider`, {
          answer: 'decline',
        });
        expect({ status, body }).toMatchObject({
          status: 200,
          body: { paymentState: 'Declined', failureReason: 'declined by the provider' },
        });
        expect(await sandbox().books(paymentId)).toEqual({ authorize: '1/0' });
        expect((await sandbox().pay(paymentId)).paymentState).toBe('Captured');
        expect(await sandbox().books(paymentId)).toEqual({ authorize: '2/1', capture: '1/1' });
      },
    );
  });

  describe('the checkout', () => {
    const pay = (paymentId: number, request: object) =>
      sandbox().control<ShownPayment>('POST', `/payments/${paymentId}/pay`, request);

    test('offers everything that is active when nothing restricts it', async () => {
      for (const profile of sandbox().app.profiles) {
        const { paymentId } = await sandbox().create();
        const { status, body } = await pay(paymentId, { paymentProfileId: profile.paymentProfileId });
        if (!profile.isActive) {
          expect({ status, body }).toMatchObject({
            status: 400,
            body: { errors: [{ path: 'paymentProfileId' }] },
          });
          continue;
        }
        expect(status).toBe(200);
        if (profile.delayMs > 0) continue;
        expect(body.payInfo).toMatchObject({
          paymentProfile: {
            paymentProfileId: profile.paymentProfileId,
            paymentProfileName: profile.name,
            paymentMethodTypeString: profile.methodType,
          },
        });
        expect(Object.hasOwn(body.payInfo?.payer as object, 'card')).toBe(
          profile.methodType === 'CreditCard',
        );
      }
    });

    test('is restricted by paymentProfiles', async () => {
      const [card, , , paypal] = sandbox().app.profiles.map((profile) => profile.paymentProfileId);
      const { paymentId } = await sandbox().create({ paymentProfiles: [paypal] });
      expect((await pay(paymentId, { paymentProfileId: card })).status).toBe(400);
      expect((await pay(paymentId, { method: 'CreditCard' })).status).toBe(400);
      expect((await pay(paymentId, {})).body.payInfo).toMatchObject({
        paymentProfile: { paymentProfileId: paypal },
      });
    });

    test('is restricted by checkoutMethods', async () => {
      const { paymentId } = await sandbox().create({ checkoutMethods: ['Crypto', 'ElectronicCheck'] });
      expect((await pay(paymentId, { method: 'Paypal' })).status).toBe(400);
      expect((await pay(paymentId, { method: 'Crypto' })).body.payInfo).toMatchObject({
        paymentProfile: { paymentMethodTypeString: 'Crypto' },
      });
    });

    test('offers nothing when the restrictions exclude each other', async () => {
      const [card] = sandbox().app.profiles.map((profile) => profile.paymentProfileId);
      const { paymentId } = await sandbox().create({ paymentProfiles: [card], checkoutMethods: ['Paypal'] });
      expect((await pay(paymentId, {})).status).toBe(422);
    });

    test('stops offering a profile that is switched off, and refuses it in new requests', async () => {
      const own = await bench.start();
      const paymentProfileId = own.app.profiles[3]?.paymentProfileId;
      const { paymentId } = await own.create({ paymentProfiles: [paymentProfileId] });
      await setApp(own, { profile: { paymentProfileId, isActive: false } });
      expect((await own.control('POST', `/payments/${paymentId}/pay`, {})).status).toBe(422);
      await expect(own.create({ paymentProfiles: [paymentProfileId] })).rejects.toThrow(/not active/);
    });

    test('of a provider-hosted payment is the page of that provider alone', async () => {
      const [card, check] = sandbox().app.profiles.map((profile) => profile.paymentProfileId);
      const { body } = await sandbox().call<ShownPayment>('POST', '/payments/provider-hosted-page', {
        referenceId: newReference(),
        amount: 3,
        currency: 'EUR',
        returnUrl: 'http://127.0.0.1:9/',
        autoCapture: true,
        customerOrder: { customer: { customerId: 'c1' } },
        paymentProfileId: check,
      });
      expect((await pay(body.paymentId, { paymentProfileId: card })).status).toBe(400);
      expect((await pay(body.paymentId, {})).body.payInfo).toMatchObject({
        paymentProfile: { paymentProfileId: check, paymentMethodTypeString: 'ElectronicCheck' },
      });
      for (const paymentProfileId of [6, 999]) {
        const refused = await sandbox().call('POST', '/payments/provider-hosted-page', {
          referenceId: newReference(),
          amount: 3,
          currency: 'EUR',
          returnUrl: 'http://127.0.0.1:9/',
          autoCapture: true,
          customerOrder: { customer: { customerId: 'c1' } },
          paymentProfileId,
        });
        expect(refused.body).toMatchObject({ status: 400, errors: [{ path: 'paymentProfileId' }] });
      }
    });

    test('stores the method when asked to by the merchant', async () => {
      const customerId = newReference();
      const { paymentId } = await sandbox().create({
        registerAutoPayment: true,
        customerOrder: { customer: { customerId } },
      });
      expect(await sandbox().pay(paymentId)).toMatchObject({ autoPayment: 'Registered' });
      expect(await lastMethod(sandbox(), customerId)).toBeDefined();
    });

    test('stores the method when the customer asks for it and it is offered', async () => {
      const customerOrder = { customer: { customerId: newReference() } };
      const offered = await sandbox().create({ showPayRecurringInCheckout: true, customerOrder });
      expect(await sandbox().pay(offered.paymentId, 'approved')).toMatchObject({ autoPayment: 'None' });
      const wanted = await sandbox().create({ showPayRecurringInCheckout: true, customerOrder });
      expect(await sandbox().pay(wanted.paymentId, 'approved', { saveMethod: true })).toMatchObject({
        autoPayment: 'Registered',
      });
      const hidden = await sandbox().create({ customerOrder });
      const refused = await pay(hidden.paymentId, { card: 'approved', saveMethod: true });
      expect(refused.body).toMatchObject({ status: 400, errors: [{ path: 'saveMethod' }] });
      expect((await sandbox().read(hidden.paymentId)).paymentState).toBe('Created');
    });

    test.each(['declined', 'unknown-not-charged'])(
      'stores nothing when the payment fails: %s',
      async (card) => {
        const customerId = newReference();
        const { paymentId } = await sandbox().create({
          registerAutoPayment: true,
          customerOrder: { customer: { customerId } },
        });
        await sandbox().pay(paymentId, card);
        await sandbox().call('POST', `/payments/${paymentId}/recheck`);
        expect(await lastMethod(sandbox(), customerId)).toBeUndefined();
        expect((await sandbox().read(paymentId)).autoPayment).toBe('None');
      },
    );
  });

  describe('an auto-payment', () => {
    test('charges the method that was stored last', async () => {
      const { customerId } = await storedMethod(sandbox());
      const { paymentId } = await sandbox().create({
        registerAutoPayment: true,
        currency: 'USD',
        customerOrder: { customer: { customerId } },
      });
      await sandbox().pay(paymentId, 'expires-later');
      const { status, body } = await charge(customerId);
      expect({ status, body }).toMatchObject({
        status: 200,
        body: {
          paymentState: 'Captured',
          paymentFlow: 'AutoPayment',
          // The request has no currency: it is that of the registering payment.
          currency: 'USD',
          amount: 12.34,
          capturedAmount: 12.34,
          payInfo: { payer: { card: { cardBrand: 'Mastercard' } } },
        },
      });
      expect(body).not.toHaveProperty('redirectUrl');
    });

    test('charges the method that it names', async () => {
      const { customerId, paymentMethodId } = await storedMethod(sandbox());
      const { paymentId } = await sandbox().create({
        registerAutoPayment: true,
        customerOrder: { customer: { customerId } },
      });
      await sandbox().pay(paymentId, 'expires-later');
      const { body } = await charge(customerId, { paymentMethodId });
      expect(body.payInfo).toMatchObject({ payer: { card: { cardBrand: 'Visa' } } });
    });

    test('goes through the provider profile that it names', async () => {
      const paypal = sandbox().app.profiles[3]?.paymentProfileId;
      const { customerId } = await storedMethod(sandbox(), 'approved', { method: 'Paypal' });
      await sandbox().pay(
        (
          await sandbox().create({
            registerAutoPayment: true,
            customerOrder: { customer: { customerId } },
          })
        ).paymentId,
      );
      const usual = await charge(customerId);
      expect(usual.body.payInfo).toMatchObject({ paymentProfile: { paymentMethodTypeString: 'CreditCard' } });
      const forced = await charge(customerId, { paymentMethodProviderProfileId: paypal });
      expect(forced.body.payInfo).toMatchObject({ paymentProfile: { paymentProfileId: paypal } });
      for (const paymentMethodProviderProfileId of [6, 999]) {
        const { body } = await charge(customerId, { paymentMethodProviderProfileId });
        expect(body).toMatchObject({ status: 400, errors: [{ path: 'paymentMethodProviderProfileId' }] });
      }
    });

    test('without autoCapture is authorised and captured later', async () => {
      const { customerId } = await storedMethod(sandbox());
      const { body } = await charge(customerId, { autoCapture: false });
      expect(body).toMatchObject({ paymentState: 'Authorised', capturedAmount: 0 });
      expect((await sandbox().call('POST', `/payments/${body.paymentId}/capture`)).status).toBe(200);
    });

    test('is refused for a customer who has stored nothing, is not known, or has another method', async () => {
      const known = newReference();
      await sandbox().create({ customerOrder: { customer: { customerId: known } } });
      const { paymentMethodId } = await storedMethod(sandbox());
      const { customerId } = await storedMethod(sandbox());
      const refused = [
        await charge(known),
        await charge('nobody'),
        await charge(customerId, { paymentMethodId }),
        await charge(customerId, { paymentMethodId: 1 }),
      ];
      for (const { status, body } of refused) {
        expect({ status, code: body.code }).toEqual({ status: 422, code: 'method-not-chargeable' });
      }
      expect((await sandbox().call('GET', '/customers/nobody')).status).toBe(404);
    });

    test('is refused once the method was removed', async () => {
      const { customerId, paymentMethodId } = await storedMethod(sandbox());
      await sandbox().call('DELETE', `/customers/${customerId}/payment-methods/${paymentMethodId}`);
      expect((await charge(customerId)).body.code).toBe('method-not-chargeable');
      expect((await charge(customerId, { paymentMethodId })).body.code).toBe('method-not-chargeable');
    });

    test('is refused once the registration was stopped', async () => {
      const { customerId, paymentMethodId, customerAutomaticProfileId } = await storedMethod(sandbox());
      await sandbox().call('DELETE', `/customers/${customerId}/auto-payments/${customerAutomaticProfileId}`);
      expect((await charge(customerId)).body.code).toBe('method-not-chargeable');
      expect((await charge(customerId, { paymentMethodId })).body.code).toBe('method-not-chargeable');
    });

    test('answers 200 with the failed state when the stored card has expired by then', async () => {
      const own = await bench.start();
      const { customerId } = await storedMethod(own, 'expires-later');
      const chargeNow = () =>
        own.call<ShownPayment>('POST', '/payments/auto-payment', chargeBody(customerId));
      expect((await chargeNow()).body.paymentState).toBe('Captured');
      await own.advance(2 * 366 * DAY + 31 * DAY);
      const { status, body } = await chargeNow();
      expect({ status, body }).toMatchObject({
        status: 200,
        body: { paymentState: 'Declined', failureReason: 'expired card', capturedAmount: 0 },
      });
      expect(await own.books(body.paymentId)).toEqual({ authorize: '1/0' });
    });

    test('answers 200 with the failed state when the provider fails it', async () => {
      const own = await bench.start();
      const { customerId } = await storedMethod(own);
      await own.control('POST', '/faults', { kind: 'provider-fails', route: 'authorize', next: 1 });
      const { status, body } = await own.call('POST', '/payments/auto-payment', chargeBody(customerId));
      expect({ status, body }).toMatchObject({ status: 200, body: { paymentState: 'Declined' } });
    });

    test('cannot be paid by hand', async () => {
      const { customerId } = await storedMethod(sandbox());
      const { body } = await charge(customerId, { autoCapture: false });
      const { status } = await sandbox().control('POST', `/payments/${body.paymentId}/pay`, {});
      expect(status).toBe(422);
    });
  });

  describe('fraud policies', () => {
    const own = bench.shared();
    const policyOf = (rule: string) =>
      own().app.fraudPolicies.find((policy) => policy.rule === rule)?.fraudPolicyId;
    const outcome = async (fields: object) => {
      const { paymentId } = await own().create({ autoCapture: false, ...fields });
      const { paymentState, fraudStatus } = await own().pay(paymentId);
      return `${paymentState}, ${String(fraudStatus)}`;
    };
    const customerWith = async (rule: string) => {
      const customerId = newReference();
      await own().call('POST', '/customers', { customerId, fraudPolicyId: policyOf(rule) });
      return { customerOrder: { customer: { customerId } } };
    };

    test.each([
      ['allow', 1000, 'Authorised, Verified'],
      ['hold', 0.01, 'Held, Unknown'],
      ['hold-above', 100, 'Authorised, Verified'],
      ['hold-above', 100.01, 'Held, Unknown'],
      ['block', 1, 'Declined, Rejected'],
    ])('%s with %d ends in %s', async (rule, amount, end) => {
      expect(await outcome({ amount, fraudPolicyId: policyOf(rule) })).toBe(end);
    });

    test('of the payment goes before that of the customer, and that before that of the app', async () => {
      await setApp(own(), { fraudPolicyId: policyOf('block') });
      expect(await outcome({})).toBe('Declined, Rejected');
      expect(await outcome(await customerWith('hold'))).toBe('Held, Unknown');
      expect(await outcome({ ...(await customerWith('hold')), fraudPolicyId: policyOf('allow') })).toBe(
        'Authorised, Verified',
      );
      await setApp(own(), { fraudPolicyId: null });
      expect(await outcome({})).toBe('Authorised, Verified');
      expect(await outcome(await customerWith('block'))).toBe('Declined, Rejected');
    });

    test('can be added to an app', async () => {
      const { body } = await setApp(own(), {
        policy: { name: 'Hold above 5', rule: 'hold-above', threshold: '5.00' },
      });
      const fraudPolicyId = body.fraudPolicies.at(-1)?.fraudPolicyId;
      expect(await outcome({ amount: 5, fraudPolicyId })).toBe('Authorised, Verified');
      expect(await outcome({ amount: 5.01, fraudPolicyId })).toBe('Held, Unknown');
    });

    test('block without a word to the provider', async () => {
      const { paymentId } = await own().create({ fraudPolicyId: policyOf('block') });
      const paid = await own().pay(paymentId);
      expect(paid).not.toHaveProperty('payInfo');
      expect(await own().books(paymentId)).toEqual({});
    });

    test('hold and block auto-payments too', async () => {
      const { customerId } = await storedMethod(own());
      const charged = async (rule: string) => {
        const { body } = await own().call<ShownPayment>(
          'POST',
          '/payments/auto-payment',
          chargeBody(customerId, { fraudPolicyId: policyOf(rule) }),
        );
        return body;
      };
      expect((await charged('block')).paymentState).toBe('Declined');
      const held = await charged('hold');
      expect(held.paymentState).toBe('Held');
      await own().call('POST', `/payments/${held.paymentId}/unhold`);
      await own().settle();
      expect((await own().read(held.paymentId)).paymentState).toBe('Captured');
    });

    test.each([
      ['removed', 'payment-methods', 'the stored method was removed'],
      ['stopped', 'auto-payments', 'the auto-payment was stopped'],
    ] as const)('hold a charge whose method is then %s, and it is not charged', async (_, ends, reason) => {
      for (const autoCapture of [true, false]) {
        const { customerId, paymentMethodId, customerAutomaticProfileId } = await storedMethod(own());
        const { body: held } = await own().call<ShownPayment>(
          'POST',
          '/payments/auto-payment',
          chargeBody(customerId, { autoCapture, fraudPolicyId: policyOf('hold') }),
        );
        expect(held.paymentState).toBe('Held');
        const id = ends === 'payment-methods' ? paymentMethodId : customerAutomaticProfileId;
        expect((await own().call('DELETE', `/customers/${customerId}/${ends}/${id}`)).status).toBe(204);
        const { status, body } = await own().call('POST', `/payments/${held.paymentId}/unhold`);
        expect({ status, body }).toMatchObject({
          status: 200,
          body: { paymentState: 'Declined', failureReason: reason, capturedAmount: 0 },
        });
        await own().settle();
        expect(await own().states(held.paymentId)).toEqual(['Created', 'Held', 'Declined']);
        expect(await own().books(held.paymentId)).toEqual({});
      }
    });

    test('that do not exist are refused', async () => {
      const { status, body } = await own().call('POST', '/customers', {
        customerId: newReference(),
        fraudPolicyId: 999,
      });
      expect({ status, body }).toMatchObject({ status: 400, body: { errors: [{ path: 'fraudPolicyId' }] } });
    });
  });

  test('no card number is stored, answered, logged or exported', async () => {
    const location = await bench.location();
    const own = await bench.start({ location });
    const seen: string[] = [];
    const keep = ({ text }: { text: string }) => seen.push(text);
    const cards = bench.sample(cardNames);
    for (const card of cards) {
      const { paymentId } = await own.create({ registerAutoPayment: true });
      // By its number, as someone may try, and by its name.
      keep(await own.control('POST', `/payments/${paymentId}/pay`, { card: testCards[card].number }));
      keep(await own.control('POST', `/payments/${paymentId}/pay`, { card }));
      keep(await own.call('GET', `/payments/${paymentId}`));
      keep(await own.control('GET', `/payments/${paymentId}/story`));
      const { redirectUrl } = await own.create();
      const typed = {
        profile: String(own.app.profiles[0]?.paymentProfileId),
        cardNumber: testCards[card].number,
        expiry: '12/99',
        cardName: 'Ada',
      };
      // Without the security code it is shown again, then it is paid.
      keep(await fillIn(redirectUrl, typed));
      keep(await fillIn(redirectUrl, { ...typed, cvc: '987' }));
      keep(await fillIn(redirectUrl, { ...typed, cvc: '987', cardNumber: '4111111111111111' }));
      keep(await pageOf(redirectUrl));
    }
    keep(await own.call('GET', '/customers/c1/payment-methods'));
    keep(await own.control('GET', '/export'));
    seen.push(JSON.stringify(own.lines), own.errors.map(String).join('\n'));
    await own.close();
    if (bench.store === 'file') seen.push(readFileSync(location, 'latin1'));
    const all = seen.join('\n');
    expect(all).toContain('Captured');
    for (const card of cardNames) expect(all).not.toContain(testCards[card].number);
    expect(all).not.toMatch(/4111 ?1111|value="987"/);
    const reached = stateNames.filter((state) => all.includes(`"${state}"`));
    expect(reached.length).toBeGreaterThan(cards.length === cardNames.length ? 6 : 5);
  });
});
