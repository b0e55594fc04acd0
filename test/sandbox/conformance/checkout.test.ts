import { describe, expect, test } from 'vitest';
import {
  accountNumber,
  cardNames,
  LATE_ANSWER_MS,
  outcomeNames,
  testCards,
  type CardName,
} from '../../../src/sandbox/domain/cards.js';
import { newReference, type ShownPayment, type TestSandbox } from '../../helpers/sandbox.js';
import { fillIn, formToken, pageOf, sendForm } from '../../pages/forms.js';
import { onEveryStore } from './stores.js';

const profileOf = (sandbox: TestSandbox, name: string) =>
  String(sandbox.app.profiles.find((profile) => profile.name === name)?.paymentProfileId);

const cardFields = (sandbox: TestSandbox, number: string, more: Record<string, string> = {}) => ({
  profile: profileOf(sandbox, 'Northbank'),
  cardNumber: number,
  expiry: '12/99',
  cvc: '123',
  cardName: 'Ada Byron',
  ...more,
});

const accountFields = (sandbox: TestSandbox, number: string) => ({
  profile: profileOf(sandbox, 'Checkline'),
  accountHolder: 'Ada Byron',
  routingNumber: '110000000',
  accountNumber: number,
});

/** Where a payment went, and what the provider was told and did. */
async function course(sandbox: TestSandbox, paymentId: number) {
  return { states: await sandbox.states(paymentId), books: await sandbox.books(paymentId) };
}

/** The same payment made without a page. */
async function expected(sandbox: TestSandbox, card: CardName, method: string) {
  const { paymentId } = await sandbox.create();
  await sandbox.pay(paymentId, card, { method });
  return course(sandbox, paymentId);
}

onEveryStore((bench) => {
  describe('the checkout page', () => {
    const sandbox = bench.shared();

    test.each(bench.sample(cardNames))('takes the number of the card %s as its name', async (card) => {
      const { paymentId, redirectUrl } = await sandbox().create();
      const spaced = testCards[card].number.replaceAll(/(.{4})/g, '$1 ');
      const { status } = await fillIn(redirectUrl, cardFields(sandbox(), spaced));
      expect(status).toBe(303);
      expect(await course(sandbox(), paymentId)).toEqual(await expected(sandbox(), card, 'CreditCard'));
    });

    test.each(bench.sample(outcomeNames))('an account ends as the card %s does', async (outcome) => {
      const { paymentId, redirectUrl } = await sandbox().create();
      const { status } = await fillIn(redirectUrl, accountFields(sandbox(), accountNumber(outcome)));
      expect(status).toBe(303);
      expect(await course(sandbox(), paymentId)).toEqual(
        await expected(sandbox(), outcome, 'ElectronicCheck'),
      );
    });

    test.each(bench.sample(outcomeNames))(
      'a wallet asks on its own page first, and then ends as %s',
      async (outcome) => {
        const { paymentId, redirectUrl } = await sandbox().create();
        await fillIn(redirectUrl, { profile: profileOf(sandbox(), 'Paypal') });
        expect(await course(sandbox(), paymentId)).toEqual({
          states: ['Created', 'ActionRequired'],
          books: {},
        });
        const provider = redirectUrl.replace('/checkout/', '/provider/');
        expect((await pageOf(redirectUrl)).location).toBe(new URL(provider).pathname);
        await fillIn(provider, { outcome });
        const { states, books } = await expected(sandbox(), outcome, 'Paypal');
        expect(await course(sandbox(), paymentId)).toEqual({
          states: ['Created', 'ActionRequired', ...states.slice(1)],
          books,
        });
      },
    );

    test.each(
      bench.sample(['4242424242424242', '4242 4242 4242 4242', 'Ada 4242-4242 4242x4242', '٤٢٤٢٤٢٤٢٤٢٤٢']),
    )(
      'a card number in the field of the name is refused, and neither kept nor shown again: %s',
      async (cardName) => {
        const { paymentId, redirectUrl } = await sandbox().create();
        const number = testCards.approved.number;
        const { status, text } = await fillIn(redirectUrl, cardFields(sandbox(), number, { cardName }));
        expect(status).toBe(422);
        expect(text).toContain('Enter a name, not a card number.');
        expect(text).toContain('name="cardName" value=""');
        const holder = { ...accountFields(sandbox(), accountNumber('approved')), accountHolder: cardName };
        expect((await fillIn(redirectUrl, holder)).status).toBe(422);
        expect(await sandbox().books(paymentId)).toEqual({});
        const named = cardFields(sandbox(), number, { cardName: 'Elizabeth 2 Windsor 19260421' });
        expect((await fillIn(redirectUrl, named)).status).toBe(303);
      },
    );

    test('a customer who refuses at the provider may pay in another way', async () => {
      const { paymentId, redirectUrl } = await sandbox().create();
      await fillIn(redirectUrl, { profile: profileOf(sandbox(), 'Coinbridge') });
      const provider = redirectUrl.replace('/checkout/', '/provider/');
      await fillIn(provider, { step: 'refuse' });
      expect((await pageOf(redirectUrl)).text).toContain('you did not confirm it');
      await fillIn(redirectUrl, cardFields(sandbox(), testCards.approved.number));
      expect(await course(sandbox(), paymentId)).toEqual({
        states: ['Created', 'ActionRequired', 'Declined', 'Authorised', 'Capturing', 'Captured'],
        books: { authorize: '1/1', capture: '1/1' },
      });
    });

    test('a late form of the checkout does not confirm the step at the provider', async () => {
      const { paymentId, redirectUrl } = await sandbox().create();
      const late = formToken((await pageOf(redirectUrl)).text);
      await fillIn(redirectUrl, { profile: profileOf(sandbox(), 'Northbank'), outcome: 'three-d-secure' });
      await sendForm(redirectUrl, {
        formToken: late,
        profile: profileOf(sandbox(), 'Northbank'),
        outcome: 'approved',
      });
      expect((await sandbox().read(paymentId)).paymentState).toBe('ActionRequired');
    });

    test('what the customer typed is in the answer, of the last attempt alone', async () => {
      const { paymentId, redirectUrl } = await sandbox().create();
      const payer = async () => (await sandbox().read(paymentId)).payInfo?.payer;
      const typed = { expiry: '04/61', cardName: 'Ada Byron' };
      await fillIn(redirectUrl, cardFields(sandbox(), testCards['capture-fails'].number, typed));
      expect(await payer()).toMatchObject({
        fullName: 'Ada Byron',
        card: { cardBrand: 'Visa', cardExpiryMonth: 4, cardExpiryYear: 2061 },
      });

      const again = await sandbox().create();
      await fillIn(again.redirectUrl, cardFields(sandbox(), testCards.declined.number, typed));
      await fillIn(again.redirectUrl, { profile: profileOf(sandbox(), 'Northbank'), outcome: 'approved' });
      const shown = (await sandbox().read(again.paymentId)).payInfo?.payer;
      expect(shown).toMatchObject({ card: { cardBrand: 'Visa' } });
      expect(JSON.stringify(shown)).not.toMatch(/2061|Ada Byron/);

      const account = await sandbox().create();
      await fillIn(account.redirectUrl, accountFields(sandbox(), accountNumber('approved')));
      expect((await sandbox().read(account.paymentId)).payInfo?.payer).toMatchObject({
        fullName: 'Ada Byron',
      });
    });

    test('goes through the provider that the customer chose', async () => {
      const { paymentId, redirectUrl } = await sandbox().create();
      await fillIn(redirectUrl, { profile: profileOf(sandbox(), 'Slowbank'), outcome: 'approved' });
      expect((await sandbox().read(paymentId)).paymentState).toBe('Processing');
      const waiting = await pageOf(redirectUrl);
      expect(waiting.text).toContain('Slowbank</bdi> has not confirmed');
    });

    test.each([
      [
        'nothing',
        {},
        ['Enter the card number', 'Enter the month', 'Enter the security code', 'Enter the name'],
      ],
      ['a word', { cardNumber: 'four' }, ['digits only']],
      ['too few digits', { cardNumber: '42424242424' }, ['12 to 19 digits']],
      ['a real card', { cardNumber: '4111 1111 1111 1111' }, ['Only the test cards below work here']],
      ['a month that there is not', { expiry: '13/30' }, ['for example 04/29']],
      ['a date that has passed', { expiry: '01/20' }, ['This card has expired']],
      ['a code with a letter', { cvc: '12a' }, ['Three or four digits']],
      ['a name that never ends', { cardName: 'x'.repeat(101) }, ['At most 100 characters']],
    ])('says what is wrong with a card: %s', async (_, wrong: Record<string, string>, messages) => {
      const { paymentId, redirectUrl } = await sandbox().create();
      const usual = messages.length > 1 ? {} : cardFields(sandbox(), testCards.approved.number);
      const { status, text } = await fillIn(redirectUrl, {
        profile: profileOf(sandbox(), 'Northbank'),
        ...usual,
        ...wrong,
      });
      expect(status).toBe(422);
      for (const message of messages) expect(text).toContain(message);
      expect(text.match(/aria-invalid="true"/g)).toHaveLength(messages.length);
      expect(text).toContain('4000 0000 0000 9995');
      expect(text).not.toMatch(/4111 ?1111|value="12a"/);
      expect(await course(sandbox(), paymentId)).toEqual({ states: ['Created'], books: {} });
    });

    test('says what is wrong with an account', async () => {
      const { paymentId, redirectUrl } = await sandbox().create();
      const { status, text } = await fillIn(redirectUrl, {
        ...accountFields(sandbox(), '998877665544'),
        routingNumber: '021000021',
      });
      expect(status).toBe(422);
      expect(text).toContain('Only the test bank 110000000 works here');
      expect(text).toContain('Only the test accounts below work here');
      expect(text).not.toMatch(/998877665544|021000021/);
      expect(await course(sandbox(), paymentId)).toEqual({ states: ['Created'], books: {} });
    });

    test('refuses a provider that the payment does not offer', async () => {
      const paymentProfiles = [Number(profileOf(sandbox(), 'Paypal'))];
      const { paymentId, redirectUrl } = await sandbox().create({ paymentProfiles });
      const page = await pageOf(redirectUrl);
      expect(page.text).toContain('PayPal');
      expect(page.text).not.toMatch(/Northbank|Card number|Checkline/);
      for (const name of ['Northbank', 'Oldbank', 'nobody']) {
        const { status, text } = await fillIn(redirectUrl, {
          profile: profileOf(sandbox(), name),
          outcome: 'approved',
        });
        expect(status).toBe(422);
        expect(text).toContain('This way of paying is not offered');
      }
      expect((await sandbox().read(paymentId)).paymentState).toBe('Created');
    });

    test('declines a card whose typed month passes before the customer confirms', async () => {
      const own = await bench.start();
      const { paymentId, redirectUrl } = await own.create();
      const now = new Date();
      const expiry = `${now.getUTCMonth() + 1}/${now.getUTCFullYear()}`;
      await fillIn(redirectUrl, cardFields(own, testCards['three-d-secure'].number, { expiry }));
      await own.advance(40 * 86_400_000);
      await own.control('POST', `/payments/${paymentId}/pay`, { challenge: 'passed' });
      expect(await own.read(paymentId)).toMatchObject({
        paymentState: 'Declined',
        failureReason: 'expired card',
      });
    });

    test('stores a card with the expiry that was typed', async () => {
      const customerId = newReference();
      const { redirectUrl } = await sandbox().create({
        registerAutoPayment: true,
        customerOrder: { customer: { customerId } },
      });
      await fillIn(redirectUrl, cardFields(sandbox(), testCards.approved.number, { expiry: '4-2061' }));
      const { body } = await sandbox().call('GET', `/customers/${customerId}/payment-methods`);
      expect(body).toMatchObject([{ card: { cardExpiryMonth: 4, cardExpiryYear: 2061 } }]);
    });

    test('stores the method only where that is offered and ticked, or asked for by the shop', async () => {
      const cases: Array<[object, Record<string, string>, string]> = [
        [{ showPayRecurringInCheckout: true }, {}, 'None'],
        [{ showPayRecurringInCheckout: true }, { save: 'yes' }, 'Registered'],
        [{ registerAutoPayment: true }, {}, 'Registered'],
        [{}, {}, 'None'],
      ];
      for (const [fields, ticked, status] of cases) {
        const { paymentId, redirectUrl } = await sandbox().create({ ...fields });
        await fillIn(redirectUrl, {
          profile: profileOf(sandbox(), 'Northbank'),
          outcome: 'approved',
          ...ticked,
        });
        expect(await sandbox().read(paymentId)).toMatchObject({
          paymentState: 'Captured',
          autoPayment: status,
        });
      }
      const { paymentId, redirectUrl } = await sandbox().create();
      await fillIn(redirectUrl, {
        profile: profileOf(sandbox(), 'Northbank'),
        outcome: 'approved',
        save: 'yes',
      });
      expect((await sandbox().read(paymentId)).paymentState).toBe('Created');
    });

    test('nobody can pay an app that is blocked', async () => {
      const own = await bench.start();
      const { paymentId, redirectUrl } = await own.create();
      const token = formToken((await pageOf(redirectUrl)).text);
      await own.control('PATCH', `/apps/${own.app.appId}`, { isBlocked: true });
      expect((await pageOf(redirectUrl)).text).toContain('You cannot pay at the moment');
      const form = { formToken: token, profile: profileOf(own, 'Northbank'), outcome: 'approved' };
      expect((await sendForm(redirectUrl, form)).status).not.toBe(303);
      expect(await own.control('POST', `/payments/${paymentId}/pay`, { card: 'approved' })).toMatchObject({
        status: 403,
        body: { code: 'app-blocked' },
      });
      await own.control('PATCH', `/apps/${own.app.appId}`, { isBlocked: false });
      expect((await own.read(paymentId)).paymentState).toBe('Created');
    });

    test('a wallet that is saved can be charged later', async () => {
      const customerId = newReference();
      const { redirectUrl } = await sandbox().create({
        showPayRecurringInCheckout: true,
        customerOrder: { customer: { customerId } },
      });
      await fillIn(redirectUrl, { profile: profileOf(sandbox(), 'Paypal'), save: 'yes' });
      await fillIn(redirectUrl.replace('/checkout/', '/provider/'), { step: 'confirm' });
      const { body } = await sandbox().call<ShownPayment>('POST', '/payments/auto-payment', {
        referenceId: newReference(),
        amount: 3,
        autoCapture: true,
        customerOrder: { customer: { customerId } },
      });
      expect(body).toMatchObject({
        paymentState: 'Captured',
        payInfo: { paymentProfile: { paymentMethodTypeString: 'Paypal' } },
      });
    });

    test('paying in many tabs at once charges once', async () => {
      const { paymentId, redirectUrl } = await sandbox().create();
      const token = formToken((await pageOf(redirectUrl)).text);
      const tabs = Array.from({ length: 8 }, () =>
        sendForm(redirectUrl, {
          formToken: token,
          profile: profileOf(sandbox(), 'Northbank'),
          outcome: 'approved',
        }),
      );
      const answers = await Promise.all(tabs);
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([303]));
      expect(answers.filter(({ location }) => location?.endsWith('/done'))).toHaveLength(1);
      expect(await sandbox().books(paymentId)).toEqual({ authorize: '1/1', capture: '1/1' });
    });

    test('a form that was answered tells the provider nothing again, declined as it may be', async () => {
      const { paymentId, redirectUrl } = await sandbox().create();
      const fields = { profile: profileOf(sandbox(), 'Northbank'), outcome: 'declined' };
      for (const told of [1, 2]) {
        const token = formToken((await pageOf(redirectUrl)).text);
        const send = () => sendForm(redirectUrl, { formToken: token, ...fields });
        await Promise.all(Array.from({ length: 5 }, send));
        const late = await send();
        expect(late.status).toBe(303);
        expect(await sandbox().books(paymentId)).toEqual({ authorize: `${told}/0` });
      }
      expect((await pageOf(redirectUrl)).text).toContain('Your payment was declined');
    });

    test('a form does not choose the version that it was made for', async () => {
      const { paymentId, redirectUrl } = await sandbox().create();
      const token = formToken((await pageOf(redirectUrl)).text);
      const fields = { profile: profileOf(sandbox(), 'Northbank'), outcome: 'declined' };
      await sendForm(redirectUrl, { formToken: token, ...fields });
      const current = formToken((await pageOf(redirectUrl)).text);
      const altered = token.slice(0, 64) + current.slice(64);
      expect((await sendForm(redirectUrl, { formToken: altered, ...fields })).status).toBe(403);
      expect(await sandbox().books(paymentId)).toEqual({ authorize: '1/0' });
    });

    test('confirming at the provider in many tabs at once charges once', async () => {
      const { paymentId, redirectUrl } = await sandbox().create();
      await fillIn(redirectUrl, { profile: profileOf(sandbox(), 'Northbank'), outcome: 'three-d-secure' });
      const provider = redirectUrl.replace('/checkout/', '/provider/');
      const token = formToken((await pageOf(provider)).text);
      await Promise.all(
        Array.from({ length: 8 }, () => sendForm(provider, { formToken: token, step: 'confirm' })),
      );
      expect(await sandbox().books(paymentId)).toEqual({ authorize: '1/1', capture: '1/1' });
    });

    test('a form that comes after the shop cancelled, or after the link ran out, pays nothing', async () => {
      const own = await bench.start();
      await own.control('POST', '/clock', { action: 'stop' });
      const { body } = await own.control<{ now: string }>('GET', '/clock');
      const cancelled = await own.create();
      const expiring = await own.create({
        expirationTime: new Date(Date.parse(body.now) + 1000).toISOString(),
      });
      const fields = { profile: profileOf(own, 'Northbank'), outcome: 'approved' };
      const tokens = [];
      for (const { redirectUrl } of [cancelled, expiring])
        tokens.push(formToken((await pageOf(redirectUrl)).text));
      await own.call('POST', `/payments/${cancelled.paymentId}/cancel`);
      await own.advance(LATE_ANSWER_MS);
      for (const [index, { paymentId, redirectUrl }] of [cancelled, expiring].entries()) {
        await sendForm(redirectUrl, { formToken: tokens[index] as string, ...fields });
        expect(await own.books(paymentId)).toEqual({});
      }
      expect((await pageOf(cancelled.redirectUrl)).text).toContain('This payment was cancelled');
      expect((await pageOf(expiring.redirectUrl)).text).toContain('This link has expired');
    });

    test('a provider-hosted payment is made on the page of its provider, and nowhere else', async () => {
      const { body } = await sandbox().call<ShownPayment>('POST', '/payments/provider-hosted-page', {
        referenceId: newReference(),
        amount: 7,
        currency: 'EUR',
        returnUrl: 'http://127.0.0.1:9/back',
        autoCapture: true,
        customerOrder: { customer: { customerId: 'c1' } },
        paymentProfileId: Number(profileOf(sandbox(), 'Checkline')),
      });
      expect((await pageOf(body.redirectUrl.replace('/provider/', '/checkout/'))).status).toBe(404);
      const page = await pageOf(body.redirectUrl);
      expect(page.text).toContain('Checkline');
      expect(page.text).toContain('Account number');
      const foreign = { profile: profileOf(sandbox(), 'Northbank'), outcome: 'approved' };
      expect((await fillIn(body.redirectUrl, foreign)).status).toBe(422);
      await fillIn(body.redirectUrl, accountFields(sandbox(), accountNumber('approved')));
      expect(await course(sandbox(), body.paymentId)).toEqual({
        states: ['Created', 'Authorised', 'Capturing', 'Captured'],
        books: { authorize: '1/1', capture: '1/1' },
      });
    });
  });
});
