import { describe, expect, test } from 'vitest';
import { hostedBody, newReference } from '../../helpers/sandbox.js';
import { onEveryStore } from './stores.js';

const HOSTED = '/payments/hosted-page';
const HOUR = 3_600_000;

onEveryStore((bench) => {
  const sandbox = bench.shared();

  describe('a reference that was used already', () => {
    test('answers 200 with the payment when the request is the same', async () => {
      const body = hostedBody();
      const first = await sandbox().call('POST', HOSTED, body);
      const again = await sandbox().call('POST', HOSTED, body);
      expect([first.status, again.status]).toEqual([201, 200]);
      expect(again.body).toEqual(first.body);
    });

    test('answers with the payment as it is by now', async () => {
      const body = hostedBody();
      const { body: created } = await sandbox().call<{ paymentId: number }>('POST', HOSTED, body);
      await sandbox().pay(created.paymentId);
      const again = await sandbox().call('POST', HOSTED, body);
      expect(again).toMatchObject({ status: 200, body: { paymentState: 'Captured' } });
      expect(await sandbox().books(created.paymentId)).toEqual({ authorize: '1/1', capture: '1/1' });
    });

    test('is the same request whatever the order of its keys and the zeros of its amounts', async () => {
      const order = { customer: { customerId: 'c1', firstName: 'A' }, amount: { total: 3, shipping: 0 } };
      const body = hostedBody({ amount: 10.1, customerOrder: order });
      await sandbox().call('POST', HOSTED, body);
      const turned = Object.fromEntries(Object.entries(body).toReversed());
      const text = JSON.stringify({
        ...turned,
        customerOrder: {
          amount: { shipping: 0, total: 3 },
          customer: { firstName: 'A', customerId: 'c1' },
        },
      })
        .replace('"amount":10.1,', '"amount":10.10,')
        .replace('"total":3', '"total":3.00');
      expect(text).toContain('10.10');
      const again = await sandbox().call('POST', HOSTED, undefined, { raw: text });
      expect(again.status).toBe(200);
      // The amount stays as the first request wrote it.
      expect(again.text).toContain('"amount":10.1,');
    });

    test('is the same request with the default of the spec written out', async () => {
      const body = hostedBody();
      const first = await sandbox().call('POST', HOSTED, body);
      const again = await sandbox().call('POST', HOSTED, { ...body, registerAutoPayment: false });
      expect([first.status, again.status]).toEqual([201, 200]);
      const other = await sandbox().call('POST', HOSTED, { ...body, registerAutoPayment: true });
      expect(other.status).toBe(409);
    });

    test('is found by a path whose colon is encoded', async () => {
      const { paymentId, referenceId } = await sandbox().create();
      for (const colon of [':', '%3A', '%3a']) {
        const { status, body } = await sandbox().call('GET', `/payments/referenceId${colon}${referenceId}`);
        expect({ status, paymentId: body['paymentId'] }).toEqual({ status: 200, paymentId });
      }
    });

    test.each([
      ['amount', { amount: 10.51 }],
      ['currency', { currency: 'USD' }],
      ['autoCapture', { autoCapture: false }],
      ['customer', { customerOrder: { customer: { customerId: 'c2' } } }],
      ['a field more', { webhookUrl: 'http://127.0.0.1:9/' }],
    ])('answers 409 when the request differs: %s', async (_name, difference) => {
      const body = hostedBody();
      const first = await sandbox().call('POST', HOSTED, body);
      const { status, body: problem } = await sandbox().call('POST', HOSTED, { ...body, ...difference });
      expect({ status, code: problem.code }).toEqual({ status: 409, code: 'reference-conflict' });
      const { body: kept } = await sandbox().call(
        'GET',
        `/payments/referenceId:${body.referenceId as string}`,
      );
      expect(kept).toEqual(first.body);
    });

    test('is used up for every flow of the app', async () => {
      const { returnUrl, showPayRecurringInCheckout: _, ...plain } = hostedBody();
      const paymentProfileId = sandbox().app.profiles[0]?.paymentProfileId;
      expect((await sandbox().call('POST', '/payments', plain)).status).toBe(201);
      const others = [
        await sandbox().call('POST', HOSTED, { ...plain, returnUrl, showPayRecurringInCheckout: false }),
        await sandbox().call('POST', '/payments/provider-hosted-page', {
          ...plain,
          returnUrl,
          paymentProfileId,
        }),
        await sandbox().call('POST', '/payments/auto-payment', {
          referenceId: plain.referenceId,
          amount: plain.amount,
          autoCapture: true,
          customerOrder: plain.customerOrder,
        }),
      ];
      expect(others.map((answer) => answer.status)).toEqual([409, 409, 409]);
    });

    test('is free in another app', async () => {
      const body = hostedBody();
      const { live } = sandbox();
      const mine = await sandbox().call('POST', HOSTED, body);
      const theirs = await sandbox().call('POST', HOSTED, body, { appId: live.appId, key: live.apiKey });
      expect([mine.status, theirs.status]).toEqual([201, 201]);
      expect(theirs.body.paymentId).not.toBe(mine.body.paymentId);
    });

    test('is not used up by a request that was refused', async () => {
      const body = hostedBody();
      expect((await sandbox().call('POST', HOSTED, { ...body, currency: 'XXX' })).status).toBe(400);
      expect((await sandbox().call('POST', HOSTED, { ...body, fraudPolicyId: 999 })).status).toBe(400);
      expect((await sandbox().call('POST', HOSTED, body)).status).toBe(201);
    });

    test('distinguishes capital letters', async () => {
      const reference = newReference();
      await sandbox().create({ referenceId: reference });
      const other = await sandbox().call(
        'POST',
        HOSTED,
        hostedBody({ referenceId: reference.toUpperCase() }),
      );
      expect(other.status).toBe(201);
    });

    test('of forty requests at once makes one payment and one webhook', async () => {
      const receiver = await bench.receiver();
      const body = hostedBody({ webhookUrl: receiver.url });
      const answers = await Promise.all(
        Array.from({ length: 40 }, () => sandbox().call('POST', HOSTED, body)),
      );
      expect(answers.filter((answer) => answer.status === 201)).toHaveLength(1);
      expect(answers.filter((answer) => answer.status === 200)).toHaveLength(39);
      const ids = new Set(answers.map((answer) => answer.body.paymentId));
      expect(ids.size).toBe(1);
      await sandbox().settle();
      expect(receiver.states()).toEqual(['Created']);
    });

    test('of forty charges at once charges once', async () => {
      const customerId = newReference();
      const { paymentId } = await sandbox().create({
        registerAutoPayment: true,
        customerOrder: { customer: { customerId } },
      });
      await sandbox().pay(paymentId);
      const receiver = await bench.receiver();
      const body = {
        referenceId: newReference(),
        amount: 7,
        autoCapture: true,
        customerOrder: { customer: { customerId } },
        webhookUrl: receiver.url,
      };
      const answers = await Promise.all(
        Array.from({ length: 40 }, () =>
          sandbox().call<{ paymentId: number; paymentState: string }>('POST', '/payments/auto-payment', body),
        ),
      );
      expect(new Set(answers.map((answer) => answer.status))).toEqual(new Set([200]));
      expect(new Set(answers.map((answer) => answer.body.paymentState))).toEqual(new Set(['Captured']));
      const [charged] = new Set(answers.map((answer) => answer.body.paymentId));
      expect(await sandbox().books(charged as number)).toEqual({ authorize: '1/1', capture: '1/1' });
      await sandbox().settle();
      expect(receiver.states()).toEqual(['Created', 'Authorised', 'Capturing', 'Captured']);
    });

    test('of forty captures at once is carried out once', async () => {
      const { paymentId } = await sandbox().create({ autoCapture: false });
      await sandbox().pay(paymentId);
      const answers = await Promise.all(
        Array.from({ length: 40 }, () => sandbox().call('POST', `/payments/${paymentId}/capture`)),
      );
      expect(answers.filter((answer) => answer.status === 200)).toHaveLength(1);
      expect(answers.filter((answer) => answer.body.code === 'operation-not-allowed')).toHaveLength(39);
      await sandbox().settle();
      expect(await sandbox().books(paymentId)).toEqual({ authorize: '1/1', capture: '1/1' });
    });
  });

  describe('a create that is sent again later', () => {
    test('is answered with the payment even when its link has expired meanwhile', async () => {
      const own = await bench.start();
      const { body: clock } = await own.control<{ now: string }>('GET', '/clock');
      const expirationTime = new Date(Date.parse(clock.now) + HOUR).toISOString();
      const body = hostedBody({ expirationTime });
      expect((await own.call('POST', HOSTED, body)).status).toBe(201);
      await own.advance(2 * HOUR);
      const again = await own.call('POST', HOSTED, body);
      expect(again).toMatchObject({ status: 200, body: { paymentState: 'Expired' } });
      const late = await own.call('POST', HOSTED, { ...body, referenceId: newReference() });
      expect(late.body).toMatchObject({ status: 400, errors: [{ path: 'expirationTime' }] });
    });

    test('is answered with the payment even when what it names is not active any more', async () => {
      const own = await bench.start();
      const [profile] = own.app.profiles;
      const paymentProfileId = profile?.paymentProfileId;
      const customerOrder = { customer: { customerId: 'c1' } };
      const hosted = hostedBody({ paymentProfiles: [paymentProfileId], registerAutoPayment: true });
      const { body: created } = await own.call<{ paymentId: number }>('POST', HOSTED, hosted);
      await own.pay(created.paymentId);
      const charge = {
        referenceId: newReference(),
        amount: 1,
        autoCapture: true,
        customerOrder,
        paymentMethodProviderProfileId: paymentProfileId,
      };
      const first = await own.call('POST', '/payments/auto-payment', charge);
      await own.control('PATCH', `/apps/${own.app.appId}`, {
        profile: { paymentProfileId, isActive: false },
      });
      expect(await own.call('POST', HOSTED, hosted)).toMatchObject({
        status: 200,
        body: { paymentState: 'Captured' },
      });
      expect((await own.call('POST', '/payments/auto-payment', charge)).body).toEqual(first.body);
    });
  });

  describe('a customerId', () => {
    test('that exists answers 200 for the same details and 409 for others', async () => {
      const customer = { customerId: newReference(), firstName: 'Ada' };
      const first = await sandbox().call('POST', '/customers', customer);
      const again = await sandbox().call('POST', '/customers', customer);
      expect([first.status, again.status]).toEqual([201, 200]);
      expect(again.body).toEqual(first.body);
      const other = await sandbox().call('POST', '/customers', { ...customer, firstName: 'Eve' });
      expect(other).toMatchObject({ status: 409, body: { code: 'customer-conflict' } });
    });

    test('of forty requests at once makes one customer', async () => {
      const customer = { customerId: newReference(), email: 'a@b.example' };
      const answers = await Promise.all(
        Array.from({ length: 40 }, () => sandbox().call('POST', '/customers', customer)),
      );
      expect(answers.filter((answer) => answer.status === 201)).toHaveLength(1);
      expect(answers.filter((answer) => answer.status === 200)).toHaveLength(39);
    });

    test('is free in another app', async () => {
      const customer = { customerId: newReference() };
      const { live } = sandbox();
      const theirs = { appId: live.appId, key: live.apiKey };
      expect((await sandbox().call('POST', '/customers', customer)).status).toBe(201);
      expect(
        (await sandbox().call('GET', `/customers/${customer.customerId}`, undefined, theirs)).status,
      ).toBe(404);
      expect((await sandbox().call('POST', '/customers', customer, theirs)).status).toBe(201);
    });

    test('is made by a first payment; later ones fill in what is missing and overwrite nothing', async () => {
      const customerId = newReference();
      const path = `/customers/${customerId}`;
      const payFor = (details: object) =>
        sandbox().create({ customerOrder: { customer: { customerId, ...details } } });
      await payFor({ firstName: 'Ada' });
      expect((await sandbox().call('GET', path)).body).toMatchObject({ customerId, firstName: 'Ada' });
      await payFor({ firstName: 'Eve', lastName: 'King', phoneNumber: '12345' });
      await payFor({});
      const { body } = await sandbox().call('GET', path);
      expect(body).toMatchObject({ firstName: 'Ada', lastName: 'King', mobileNumber: '12345' });
      expect(body).not.toHaveProperty('email');
    });

    test('is not made by a payment that was refused', async () => {
      const customerId = newReference();
      await sandbox().call(
        'POST',
        HOSTED,
        hostedBody({ currency: 'XXX', customerOrder: { customer: { customerId } } }),
      );
      expect((await sandbox().call('GET', `/customers/${customerId}`)).status).toBe(404);
    });

    test('of twenty first payments at once is one customer', async () => {
      const customerId = newReference();
      await Promise.all(
        Array.from({ length: 20 }, (_, index) =>
          sandbox().create({
            customerOrder: { customer: { customerId, ...(index === 7 && { email: 'seven@b.example' }) } },
          }),
        ),
      );
      expect((await sandbox().call('GET', `/customers/${customerId}`)).body).toMatchObject({
        email: 'seven@b.example',
      });
    });
  });
});
