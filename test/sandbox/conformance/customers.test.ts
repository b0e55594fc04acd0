import { describe, expect, test } from 'vitest';
import { newReference, type TestSandbox } from '../../helpers/sandbox.js';
import { onEveryStore } from './stores.js';

const HOUR = 3_600_000;

interface Method extends Record<string, unknown> {
  paymentMethodId: number;
  customerAutomaticProfileId: number;
}

async function storeMethod(sandbox: TestSandbox, customerId: string, card = 'approved'): Promise<void> {
  const { paymentId } = await sandbox.create({
    registerAutoPayment: true,
    customerOrder: { customer: { customerId } },
  });
  await sandbox.pay(paymentId, card);
}

async function methodsOf(sandbox: TestSandbox, customerId: string): Promise<Method[]> {
  const { body } = await sandbox.call<Method[]>('GET', `/customers/${customerId}/payment-methods`);
  return body;
}

onEveryStore((bench) => {
  const sandbox = bench.shared();

  describe('the list', () => {
    const own = bench.shared();
    const list = async (query: string) => {
      const { status, body } = await own().call<{
        items: Array<{ customerId: string }>;
        nextCursor: string | null;
      }>('GET', `/customers${query}`);
      expect(status).toBe(200);
      return { ids: body.items.map((item) => item.customerId), next: body.nextCursor };
    };

    test('is empty at first', async () => {
      expect(await list('')).toEqual({ ids: [], next: null });
    });

    test('gives every customer once, page by page, also those that are added meanwhile', async () => {
      const names = Array.from({ length: 7 }, (_, index) => `n${index}`);
      for (const customerId of names) await own().call('POST', '/customers', { customerId });
      const first = await list('?limit=3');
      await own().call('POST', '/customers', { customerId: 'n7' });
      const second = await list(`?limit=3&cursor=${first.next}`);
      const third = await list(`?limit=3&cursor=${second.next}`);
      expect([first.ids, second.ids, third.ids]).toEqual([
        ['n0', 'n1', 'n2'],
        ['n3', 'n4', 'n5'],
        ['n6', 'n7'],
      ]);
      expect(third.next).toBeNull();
    });

    test('ends without a further page when the last one is just full', async () => {
      expect((await list('?limit=8')).next).toBeNull();
      expect((await list('?limit=7')).next).not.toBeNull();
    });

    test('has 50 on a page unless told otherwise', async () => {
      await Promise.all(
        Array.from({ length: 50 }, (_, index) =>
          own().call('POST', '/customers', { customerId: `m${index}` }),
        ),
      );
      const { ids, next } = await list('');
      expect(ids).toHaveLength(50);
      expect((await list(`?cursor=${next}`)).ids).toHaveLength(8);
    });

    test('does not show customers of another app', async () => {
      const { live } = own();
      const { body } = await own().call('GET', '/customers', undefined, {
        appId: live.appId,
        key: live.apiKey,
      });
      expect(body).toEqual({ items: [], nextCursor: null });
    });

    test.each([
      ['limit=0', 'limit'],
      ['limit=101', 'limit'],
      ['limit=1.5', 'limit'],
      ['limit=many', 'limit'],
      ['limit=', 'limit'],
      ['cursor=nonsense', 'cursor'],
      ['cursor=', 'cursor'],
      [`cursor=${Buffer.from('c99999999999999999999').toString('base64url')}`, 'cursor'],
      [`cursor=${Buffer.from('c1 or 1=1').toString('base64url')}`, 'cursor'],
    ])('refuses ?%s', async (query, path) => {
      const { status, body } = await own().call('GET', `/customers?${query}`);
      expect({ status, body }).toMatchObject({
        status: 400,
        body: { code: 'invalid-request', errors: [{ path }] },
      });
    });

    test('takes no harm from a parameter that it does not know', async () => {
      expect((await own().call('GET', '/customers?limit=1&sort=name')).status).toBe(200);
    });
  });

  describe('PATCH', () => {
    test('changes what is given and leaves the rest', async () => {
      const customer = {
        customerId: newReference(),
        firstName: 'Ada',
        email: 'a@b.example',
        fraudPolicyId: 1,
      };
      await sandbox().call('POST', '/customers', customer);
      const path = `/customers/${customer.customerId}`;
      const { status, body } = await sandbox().call('PATCH', path, { email: 'new@b.example' });
      expect(status).toBe(200);
      expect(body).toMatchObject({ ...customer, email: 'new@b.example' });
      expect((await sandbox().call('GET', path)).body).toEqual(body);
      expect((await sandbox().call('PATCH', path, {})).body).toEqual(body);
    });

    test.each(['customerId', 'fraudPolicyId', 'phoneNumber', 'app', 'nickname'])(
      'does not take %s',
      async (field) => {
        const customerId = newReference();
        await sandbox().call('POST', '/customers', { customerId });
        const { status, body } = await sandbox().call('PATCH', `/customers/${customerId}`, { [field]: 'x' });
        expect({ status, body }).toMatchObject({ status: 400, body: { errors: [{ path: field }] } });
      },
    );

    test('of different fields at the same time loses none', async () => {
      const customerId = newReference();
      await sandbox().call('POST', '/customers', { customerId });
      const path = `/customers/${customerId}`;
      for (let round = 0; round < 10; round++) {
        const changes = {
          firstName: `A${round}`,
          lastName: `B${round}`,
          email: `c${round}@d.example`,
          mobileNumber: `1234${round}`,
        };
        await Promise.all(
          Object.entries(changes).map(([field, value]) => sandbox().call('PATCH', path, { [field]: value })),
        );
        expect((await sandbox().call('GET', path)).body).toMatchObject(changes);
      }
    });

    test('of a customer that is not there is not found', async () => {
      expect((await sandbox().call('PATCH', '/customers/nobody', { firstName: 'A' })).status).toBe(404);
    });

    test('takes phoneNumber too where the service is said to name it so', async () => {
      const other = await bench.start({ answers: { phone: 'phoneNumber' } });
      await other.call('POST', '/customers', { customerId: 'c1' });
      const { body } = await other.call('PATCH', '/customers/c1', { phoneNumber: '98765' });
      expect(body).toMatchObject({ mobileNumber: '98765' });
    });
  });

  test('a payment fills in a name that an earlier one left empty', async () => {
    const customerId = newReference();
    for (const firstName of ['', 'Ada']) {
      await sandbox().create({ customerOrder: { customer: { customerId, firstName } } });
    }
    expect((await sandbox().call('GET', `/customers/${customerId}`)).body).toMatchObject({
      firstName: 'Ada',
    });
  });

  describe('stored methods', () => {
    test('accumulate, the newest last, and are shown without a number', async () => {
      const customerId = newReference();
      await storeMethod(sandbox(), customerId);
      await storeMethod(sandbox(), customerId, 'expires-later');
      const [first, second] = await methodsOf(sandbox(), customerId);
      expect(first).toEqual({
        paymentMethodId: expect.any(Number),
        paymentMethodType: 'CreditCard',
        card: {
          cardBrand: 'Visa',
          cardType: 'credit',
          cardExpiryMonth: expect.any(Number),
          cardExpiryYear: expect.any(Number),
        },
        paymentProfileId: sandbox().app.profiles[0]?.paymentProfileId,
        customerAutomaticProfileId: expect.any(Number),
        isActive: true,
        createdTime: expect.stringMatching(/Z$/),
      });
      expect(second).toMatchObject({ card: { cardBrand: 'Mastercard', cardType: 'debit' } });
    });

    test('are charged only by a provider that takes their kind', async () => {
      const customerId = newReference();
      await storeMethod(sandbox(), customerId);
      const charge = (name: string) =>
        sandbox().call('POST', '/payments/auto-payment', {
          referenceId: newReference(),
          amount: 3,
          autoCapture: true,
          paymentMethodProviderProfileId: sandbox().app.profiles.find((profile) => profile.name === name)
            ?.paymentProfileId,
          customerOrder: { customer: { customerId } },
        });
      expect(await charge('Slowbank')).toMatchObject({ status: 200 });
      expect(await charge('Checkline')).toMatchObject({
        status: 422,
        body: { code: 'method-not-chargeable', detail: expect.stringContaining('that provider profile') },
      });
    });

    test('are none for a customer who stored nothing', async () => {
      const customerId = newReference();
      await sandbox().create({ customerOrder: { customer: { customerId } } });
      expect(await methodsOf(sandbox(), customerId)).toEqual([]);
    });

    test('are removed once; the second time there is nothing to remove', async () => {
      const customerId = newReference();
      await storeMethod(sandbox(), customerId);
      const [method] = await methodsOf(sandbox(), customerId);
      const path = `/customers/${customerId}/payment-methods/${method?.paymentMethodId}`;
      expect((await sandbox().call('DELETE', path)).status).toBe(204);
      expect(await methodsOf(sandbox(), customerId)).toEqual([]);
      expect((await sandbox().call('DELETE', path)).status).toBe(404);
    });

    test('whose registration is stopped stay in the list and are not active', async () => {
      const customerId = newReference();
      await storeMethod(sandbox(), customerId);
      const [method] = await methodsOf(sandbox(), customerId);
      const path = `/customers/${customerId}/auto-payments/${method?.customerAutomaticProfileId}`;
      expect((await sandbox().call('DELETE', path)).status).toBe(204);
      expect(await methodsOf(sandbox(), customerId)).toMatchObject([{ isActive: false }]);
      expect((await sandbox().call('DELETE', path)).status).toBe(404);
    });

    test('of another customer can be neither removed nor stopped', async () => {
      const [owner, stranger] = [newReference(), newReference()];
      await storeMethod(sandbox(), owner);
      await storeMethod(sandbox(), stranger);
      const [method] = await methodsOf(sandbox(), owner);
      for (const path of [
        `/customers/${stranger}/payment-methods/${method?.paymentMethodId}`,
        `/customers/${stranger}/auto-payments/${method?.customerAutomaticProfileId}`,
        `/customers/${owner}/payment-methods/abc`,
        `/customers/${owner}/auto-payments/1`,
      ]) {
        expect((await sandbox().call('DELETE', path)).status).toBe(404);
      }
      expect(await methodsOf(sandbox(), owner)).toMatchObject([{ isActive: true }]);
    });
  });

  describe('the panel link', () => {
    const open = async (url: string) => {
      const response = await fetch(url);
      return { status: response.status, text: await response.text() };
    };
    const linkOf = async (own: TestSandbox, customerId: string) => {
      const { body } = await own.call<{ url: string; expiresTime: string }>(
        'GET',
        `/customers/${customerId}/panel-link`,
      );
      return body;
    };

    test('opens the panel of its customer, and of no other', async () => {
      const [mine, other] = [newReference(), newReference()];
      await storeMethod(sandbox(), mine, 'expires-later');
      await storeMethod(sandbox(), other);
      const page = await open((await linkOf(sandbox(), mine)).url);
      expect(page.status).toBe(200);
      expect(page.text).toContain(mine);
      expect(page.text).toContain('Mastercard');
      expect(page.text).not.toContain(other);
      expect(page.text).not.toContain('Visa');
    });

    test('does not work when a single character is altered, added or left out', async () => {
      const customerId = newReference();
      await storeMethod(sandbox(), customerId);
      const { url } = await linkOf(sandbox(), customerId);
      const cut = url.lastIndexOf('/') + 1;
      const token = url.slice(cut);
      const [payload = '', proof = ''] = token.split('.');
      const forged = Buffer.from(
        Buffer.from(payload, 'base64url').toString('utf8').replace(customerId, `${customerId}x`),
      ).toString('base64url');
      const altered = [
        `${forged}.${proof}`,
        payload,
        `${payload}.`,
        `.${proof}`,
        '.',
        token.slice(0, -2),
        `${token}A`,
        `${token}.A`,
        `A${token}`,
        ...Array.from({ length: 20 }, (_, index) => {
          const at = Math.floor((index * token.length) / 20);
          return token.slice(0, at) + (token[at] === 'A' ? 'B' : 'A') + token.slice(at + 1);
        }),
      ];
      for (const each of altered) {
        const page = await open(url.slice(0, cut) + each);
        expect({ each, status: page.status }).toEqual({ each, status: 404 });
        expect(page.text).not.toContain(customerId);
      }
      expect((await open(url)).status).toBe(200);
    });

    test('expires by the clock', async () => {
      const own = await bench.start();
      await storeMethod(own, 'c1');
      await own.control('POST', '/clock', { action: 'stop' });
      const { url, expiresTime } = await linkOf(own, 'c1');
      const { body } = await own.control<{ now: string }>('GET', '/clock');
      expect(Date.parse(expiresTime) - Date.parse(body.now)).toBe(HOUR);
      await own.advance(HOUR - 1);
      expect((await open(url)).status).toBe(200);
      await own.advance(1);
      const page = await open(url);
      expect(page.status).toBe(404);
      expect(page.text).not.toContain('Visa');
    });

    test('shows a stored method no more once it is removed', async () => {
      const customerId = newReference();
      await storeMethod(sandbox(), customerId);
      const { url } = await linkOf(sandbox(), customerId);
      const [method] = await methodsOf(sandbox(), customerId);
      expect((await open(url)).text).toContain('Visa');
      await sandbox().call('DELETE', `/customers/${customerId}/payment-methods/${method?.paymentMethodId}`);
      expect((await open(url)).text).not.toContain('Visa');
    });
  });
});
