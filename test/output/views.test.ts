import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ExactNumber, parseJson } from '../../src/contract/json.js';
import { type Line, type View, renderLines } from '../../src/output/lines.js';
import { type ListView, renderStream } from '../../src/output/rows.js';
import { displayWidth } from '../../src/output/text.js';
import { loadTheme, plainTheme } from '../../src/output/theme.js';
import { textAt } from '../../src/output/values.js';
import { customerCard, customerListView } from '../../src/output/views/customer.js';
import { methodList } from '../../src/output/views/method.js';
import { operationLine, operationList, type OperationResult } from '../../src/output/views/operation.js';
import { paymentCard, paymentList } from '../../src/output/views/payment.js';
import { anyCharacter, unprintable } from '../helpers/printable.js';

const now = new Date('2026-11-16T09:12:40Z');
const onTerminal = { terminal: true, width: 80, now };
const inPipe = { terminal: false, width: 80, now };

const payment = parseJson(`{
  "appId": "7f31", "paymentId": 100231, "paymentState": "Captured", "paymentStateId": 7, "amount": 49.9,
  "capturedAmount": 49.90, "referenceId": "inv-2041", "currency": "EUR", "autoCapture": true,
  "paymentFlow": "HostedPage", "autoPayment": "None", "fraudStatus": "Verified",
  "redirectUrl": "https://pay.example/c/secret", "returnUrl": "https://shop.example",
  "webhookUrl": "https://shop.example/hooks/pay", "customerId": "c_881", "createdTime": "2026-11-14T09:12:40Z",
  "payInfo": { "paymentProfile": { "paymentProfileId": 3, "paymentProfileName": "Northbank", "paymentMethodTypeString": "CreditCard" },
    "payer": { "email": "buyer@example.org", "card": { "cardBrand": "Visa", "cardType": "Credit", "cardExpiryMonth": 4, "cardExpiryYear": 2029 } } },
  "loyaltyTier": "gold" }`);

const text = <T>(view: View<T>, value: T, context = onTerminal) =>
  renderLines(view(value, context), plainTheme);

async function list<T>(view: ListView<T>, items: T[], context = onTerminal) {
  let out = '';
  const write = (part: string) => void (out += part);
  await renderStream(items, view, { context, theme: plainTheme, options: {}, write, note: () => {} });
  return out;
}

describe('a payment', () => {
  it('is a card on a terminal', () => {
    const date = new Date('2026-11-14T09:12:40Z');
    const local = `2026-11-14 ${String(date.getHours()).padStart(2, '0')}:12:40`;
    expect(text(paymentCard, payment)).toBe(
      [
        'Payment 100231   inv-2041                                     Captured',
        '  Amount       EUR 49.90   captured EUR 49.90',
        '  Customer     c_881  <buyer@example.org>',
        '  Paid with    Visa credit, expires 04/2029, via Northbank (profile 3)',
        '  Flow         HostedPage, captured automatically',
        '  Fraud        Verified',
        `  Created      ${local}  (2 days ago)`,
        '  Webhook      https://shop.example/hooks/pay',
        '  loyaltyTier  gold',
        '',
      ].join('\n'),
    );
  });

  it('that was declined is not called paid, and says why in words', () => {
    const declined = { ...(payment as object), paymentState: 'Declined', failureReason: 'InsufficientFunds' };
    const shown = text(paymentCard, declined);
    expect(shown).not.toContain('Paid with');
    expect(shown).toMatch(/^ {2}Method +Visa credit/m);
    expect(shown).toMatch(/^ {2}Reason +InsufficientFunds$/m);
    expect(text(paymentCard, declined, inPipe)).toContain('\nfailureReason\tInsufficientFunds\n');
  });

  it('keeps a link whole, so that it can be clicked and copied', () => {
    const link = `https://pay.example/checkout/${'0123456789'.repeat(6)}`;
    const open = { paymentId: 1, paymentState: 'Created', redirectUrl: link, customerId: 'c' };
    for (const width of [80, 40]) {
      const lines = text(paymentCard, open, { ...onTerminal, width }).split('\n');
      expect(lines.slice(-3)).toEqual(['  Checkout', `  ${link}`, '']);
    }
  });

  it('is tab-separated in a pipe', () => {
    // A field that we know nothing of keeps its own name.
    expect(text(paymentCard, payment, inPipe)).toContain('\nloyaltyTier\tgold\n');
    expect(text(paymentCard, payment, inPipe).split('\n').slice(0, 5)).toEqual([
      'payment\t100231',
      'reference\tinv-2041',
      'state\tCaptured',
      'amount\tEUR 49.90',
      'captured\tEUR 49.90',
    ]);
    expect(text(paymentCard, payment, inPipe)).toContain('created\t2026-11-14T09:12:40.000Z\n');
  });

  it('keeps within 40 columns', () => {
    const lines = text(paymentCard, payment, { ...onTerminal, width: 40 }).split('\n');
    for (const line of lines) expect(displayWidth(line)).toBeLessThanOrEqual(40);
  });

  it.each([
    ['Captured', '\u001B[32m'],
    ['Held', '\u001B[33m'],
    ['Declined', '\u001B[31m'],
    ['Cancelled', '\u001B[2m'],
  ])('%s has the colour of its meaning', async (paymentState, code) => {
    const out = renderLines(paymentCard({ paymentState }, onTerminal), await loadTheme(true));
    expect(out).toContain(`${code}${paymentState}`);
  });

  it('shows a state nobody knows as it is, without colour', async () => {
    const out = renderLines(paymentCard({ paymentState: 'OnHold' }, onTerminal), await loadTheme(true));
    expect(out).toMatch(/ OnHold\n$/);
  });

  it('offers the checkout link only while it can be paid', () => {
    expect(text(paymentCard, payment)).not.toContain('secret');
    expect(text(paymentCard, { ...(payment as object), paymentState: 'Created' })).toContain(
      'https://pay.example/c/secret',
    );
  });

  it('stands in lists', async () => {
    expect(await list(paymentList, [payment])).toContain('  100231   inv-2041   Captured  EUR 49.90  c_881');
    expect(await list(paymentList, [payment], inPipe)).toBe(
      '100231\tinv-2041\tCaptured\t49.90\tEUR\tc_881\t2026-11-14T09:12:40Z\n',
    );
  });
});

describe('customers, methods and operations', () => {
  it('show what there is', async () => {
    const customer = {
      customerId: 'c_881',
      firstName: 'Ana',
      email: 'a@b.example',
      app: { appId: 'a1', isSandbox: false, isBlocked: true },
    };
    expect(text(customerCard, customer)).toBe(
      'Customer c_881\n  Name         Ana\n  Email        a@b.example\n  App          a1  live  blocked\n',
    );
    expect(await list(customerListView, [customer, 'c_2'], inPipe)).toBe(
      'c_881\tAna\ta@b.example\t\nc_2\t\t\t\n',
    );
    const method = { paymentMethodId: 5, card: { cardBrand: 'Visa' }, isActive: true };
    expect(await list(methodList, [method, 7], inPipe)).toBe('5\tVisa\t\t\tyes\t\n7\t\t\t\t\t\n');
  });

  it('show what became of an operation', () => {
    const result = {
      payment,
      operation: 'refund',
      before: 'Captured',
      after: 'Refunding',
      outcome: 'accepted',
      tookMs: 400,
    };
    expect(text(operationLine, result)).toBe(
      '  100231  inv-2041   EUR 49.90   Captured → Refunding   accepted   0.4 s\n',
    );
    expect(text(operationLine, result, { ...onTerminal, width: 70 })).toBe(
      '  100231  inv-2041   EUR 49.90   Captured → Refunding   accepted\n',
    );
    const { tookMs: _, ...untimed } = result;
    expect(text(operationLine, { ...untimed, outcome: 'unknown' })).toBe(
      '  100231  inv-2041   EUR 49.90   Captured → ?   outcome unknown\n',
    );
  });
});

describe('whatever the service sends', () => {
  const hostile = fc.oneof(
    fc.string({ unit: anyCharacter }),
    fc.constantFrom('\u001B]8;;http://evil\u0007x', '\u009B2J', '\u202Egnp.exe', 'a\r\nb', '\u{E0041}'),
  );
  const anything = fc.oneof(hostile, fc.jsonValue({ stringUnit: anyCharacter }));
  const keys = [
    'paymentId',
    'paymentState',
    'amount',
    'currency',
    'referenceId',
    'customerId',
    'createdTime',
    'payInfo',
    'redirectUrl',
    'app',
    'card',
    'firstName',
    'email',
    'isActive',
    '__proto__',
    'constructor',
  ];
  const answer = fc.oneof(
    anything,
    fc.dictionary(fc.oneof(fc.constantFrom(...keys), hostile), anything),
    fc.record({
      payInfo: fc.record({ payer: fc.record({ card: anything, email: hostile }), paymentProfile: anything }),
    }),
  );
  const check = (out: string) => expect(unprintable(out, '\n\t')).toEqual([]);

  it('what objects inherit is no answer', () => {
    expect(textAt({}, 'toString')).toBe('');
    expect(textAt({ a: [] }, 'a', 'length')).toBe('');
    expect(textAt({ a: new ExactNumber('1.00') }, 'a', 'source')).toBe('');
    expect(textAt({ a: new ExactNumber('1.00') }, 'a')).toBe('1.00');
  });

  it('no card falls over it or lets a control character through', () => {
    const cards: Array<View<unknown>> = [
      paymentCard,
      customerCard,
      (value, context): Line[] => operationLine({ payment: value, operation: 'x', outcome: 'done' }, context),
    ];
    fc.assert(
      fc.property(
        answer,
        fc.constantFrom(onTerminal, inPipe, { ...onTerminal, width: 40 }),
        (value, context) => {
          for (const card of cards) {
            const lines = card(value, context);
            const out = renderLines(lines, plainTheme);
            check(out);
            expect(out.split('\n')).toHaveLength(lines.length + 1);
          }
        },
      ),
      { numRuns: 500 },
    );
  });

  it('no list falls over it or lets a control character through', async () => {
    await fc.assert(
      fc.asyncProperty(answer, fc.constantFrom(onTerminal, inPipe), async (value, context) => {
        for (const view of [paymentList, customerListView, methodList])
          check(await list(view, [value], context));
        const result: OperationResult = { payment: value, operation: 'x', outcome: 'done' };
        check(await list(operationList, [result], context));
      }),
      { numRuns: 300 },
    );
  });
});
