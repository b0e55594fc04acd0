import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { cardNames } from '../../../src/sandbox/domain/cards.js';
import { createPerson, type Person } from './person.js';
import { createHome, createPayment } from './processes.js';

let person: Person;
beforeAll(async () => {
  const home = await createHome();
  person = createPerson(home, await home.serve('--memory', '--seed', '7'));
});
afterAll(() => person.home.remove());

describe('pay', () => {
  beforeEach(() => person.control('POST', '/reset'));

  test('shows the payment, and where it came from', async () => {
    for (const reference of ['inv-1', 'inv-2', 'inv-3']) await createPayment(person.sandbox.ready, reference);
    expect(await person.terminal('pay', 'inv-1')).toMatch(
      /^Payment 100001 {3}inv-1 +Captured\n[\s\S]+EUR 49\.90[\s\S]+\n {2}Created → Captured\n$/,
    );
    expect(await person.pipe('pay', '100002', '--card', 'declined')).toMatch(
      /^payment\t100002\nreference\tinv-2\nstate\tDeclined\n/,
    );
    const payment = await person.json('pay', 'ref:inv-3', '--card', 'three-d-secure');
    expect(payment).toMatchObject({ referenceId: 'inv-3', paymentState: 'ActionRequired', amount: 49.9 });
    const challenged = await person.json('pay', 'id:100003', '--challenge', 'passed');
    expect(challenged).toMatchObject({ paymentState: 'Captured' });
  });

  test('a method, a provider profile, and a method that is stored', async () => {
    await createPayment(person.sandbox.ready, 'inv-1');
    const chosen = ['--method', 'Paypal', '--provider-profile', '4', '--save-method'];
    const payment = await person.json<{ payInfo: unknown }>('pay', 'inv-1', ...chosen);
    expect(payment.payInfo).toMatchObject({ paymentProfile: { paymentProfileId: 4 } });
    const [shop] = person.sandbox.ready.apps;
    const methods = await fetch(
      `${person.sandbox.ready.url}/api/apps/${shop!.appId}/customers/c_881/payment-methods`,
      {
        headers: { authorization: `Bearer ${shop!.apiKey}` },
      },
    );
    expect(await methods.json()).toMatchObject([{ paymentMethodType: 'Paypal', paymentProfileId: 4 }]);
  });

  test('the reference is looked for in the app of the profile, then in the others', async () => {
    const [shop, live] = person.sandbox.ready.apps;
    await createPayment(person.sandbox.ready, 'both', shop);
    await createPayment(person.sandbox.ready, 'both', live);
    await createPayment(person.sandbox.ready, 'live-only', live);
    const pay = ['sandbox', 'pay'];
    expect(await person.home.json([...pay, 'both'])).toMatchObject({ appId: shop!.appId });
    expect(await person.home.json([...pay, 'both', '--profile', 'local-live'])).toMatchObject({
      appId: live!.appId,
    });
    expect(await person.home.json([...pay, 'live-only'])).toMatchObject({ appId: live!.appId });
    expect(await person.failure(1, 'pay', 'live-only', '--profile', 'local')).toMatchObject({
      code: 'not-found',
    });
  });

  test('nobody can pay an app that is blocked', async () => {
    await createPayment(person.sandbox.ready, 'inv-1');
    const { appId } = person.sandbox.ready.apps[0]!;
    await person.json('apps', 'set', appId, '--blocked');
    expect(await person.failure(1, 'pay', 'inv-1')).toMatchObject({
      code: 'app-blocked',
      message: 'The app Sandbox shop is blocked.',
      next: ['paydesk sandbox apps list'],
    });
  });

  test('a payment that waits for somebody else says for whom', async () => {
    const nextOf = async (reference: string, card: string) => {
      await createPayment(person.sandbox.ready, reference);
      const { paymentId } = await person.json<{ paymentId: number }>('pay', reference, '--card', card);
      return { paymentId, next: (await person.failure(1, 'pay', reference, '--card', 'approved')).next };
    };
    const challenged = await nextOf('inv-1', 'three-d-secure');
    expect(challenged.next).toEqual([`paydesk sandbox pay ${challenged.paymentId} --challenge passed`]);
    const slow = await nextOf('inv-2', 'unknown-charged');
    expect(slow.next).toEqual([`paydesk sandbox provider ${slow.paymentId} confirm`]);
  });

  test('what cannot be: an unknown payment, card or profile, a payment that is paid', async () => {
    expect(await person.failure(1, 'pay', 'nothing')).toMatchObject({
      code: 'not-found',
      message: 'The sandbox has no payment nothing.',
    });
    const { details } = await person.failure(2, 'pay', 'inv-1', '--card', 'aproved');
    expect(details).toEqual([
      {
        input: '--card',
        value: 'aproved',
        problem: `one of ${cardNames.join(', ')}; did you mean approved?`,
      },
    ]);
    await createPayment(person.sandbox.ready, 'inv-1');
    expect((await person.failure(2, 'pay', 'inv-1', '--method', 'Cash')).details).toMatchObject([
      { input: '--method' },
    ]);
    expect((await person.failure(2, 'pay', 'inv-1', '--provider-profile', '99')).details).toMatchObject([
      { input: '--provider-profile' },
    ]);
    await person.json('pay', 'inv-1');
    const { paymentId } = await person.json<{ paymentId: number }>('books', 'inv-1');
    expect(await person.failure(1, 'pay', 'inv-1')).toMatchObject({
      code: 'operation-not-allowed',
      message: `Payment ${paymentId} is Captured, so it cannot be paid again.`,
      next: ['paydesk payments create'],
    });
    expect((await person.failure(4, 'pay', 'inv-1', '--profile', 'nobody')).code).toBe('profile-unknown');
  });
});
