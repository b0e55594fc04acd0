import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  createFlags,
  type DeskOptions,
  type Env,
  envOf,
  openTestDesk,
  payments,
  type TestDesk,
} from '../../helpers/desk.js';
import { eventually, newReference } from '../../helpers/sandbox.js';

let desk: TestDesk;
const folder = mkdtempSync(join(tmpdir(), 'paydesk-create-'));
beforeAll(async () => {
  desk = await openTestDesk();
});
afterAll(async () => {
  await desk.sandbox.close();
  rmSync(folder, { recursive: true, force: true });
});

const file = (name: string, content: unknown): string => {
  const path = join(folder, name);
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  return path;
};
const posts = () => desk.requests().filter((line) => line.startsWith('POST /api'));

/** The body that would be sent. */
async function bodyOf(args: string[]): Promise<Record<string, unknown>> {
  const { code, json, stderr } = await desk.run('create', [...args, '--dry-run', '--json']);
  expect(stderr.replace(/^Reference .*\n/, '')).toBe('');
  expect(code).toBe(0);
  return json.request?.body as never;
}

describe('what is sent', () => {
  it('has every field that a flag gives, amounts as they were typed', async () => {
    const reference = newReference();
    const body = await bodyOf([
      ...createFlags(reference, {
        'webhook-url': 'https://shop.example/hook',
        expires: '2027-01-01T00:00:00Z',
        'fraud-policy': '2',
        'order-id': 'A-1',
        description: 'Two shirts',
        'first-name': 'Ada',
        'last-name': 'Byron',
        email: 'ada@example.org',
        phone: '+49 30 1234',
      }),
      '--no-auto-capture',
      '--show-recurring',
      '--register-auto-payment',
      '--offer-profile=1',
      '--offer-profile=2',
      '--method=CreditCard',
      '--method=Paypal',
    ]);
    expect(body).toEqual({
      referenceId: reference,
      amount: 10.1,
      currency: 'EUR',
      returnUrl: 'https://shop.example/done',
      autoCapture: false,
      showPayRecurringInCheckout: true,
      registerAutoPayment: true,
      webhookUrl: 'https://shop.example/hook',
      expirationTime: '2027-01-01T00:00:00.000Z',
      paymentProfiles: [1, 2],
      checkoutMethods: ['CreditCard', 'Paypal'],
      fraudPolicyId: 2,
      customerOrder: {
        orderId: 'A-1',
        description: 'Two shirts',
        customer: {
          customerId: 'c_881',
          firstName: 'Ada',
          lastName: 'Byron',
          email: 'ada@example.org',
          phoneNumber: '+49 30 1234',
        },
      },
    });
    const { stdout } = await desk.run('create', [...createFlags(reference), '--dry-run']);
    expect(stdout).toContain('"amount": 10.10,');
    expect(stdout).toContain('payments/hosted-page\n');
  });

  it('takes the whole body from a file or stdin, and the order from a file; flags add to them', async () => {
    const body = {
      amount: 7,
      currency: 'GBP',
      returnUrl: 'https://shop.example/done',
      autoCapture: false,
      customerOrder: { customer: { customerId: 'c_1' } },
    };
    const merged = await bodyOf(['--body', file('body.json', body), '--email', 'a@example.org']);
    expect(merged).toMatchObject({
      amount: 7,
      autoCapture: false,
      showPayRecurringInCheckout: false,
      customerOrder: { customer: { customerId: 'c_1', email: 'a@example.org' } },
    });
    const piped = await desk.run('create', ['--body', '-', '--json'], { input: JSON.stringify(body) });
    expect(piped.code).toBe(0);
    expect(piped.json.payment).toMatchObject({ amount: 7, currency: 'GBP' });

    const order = { customer: { customerId: 'c_2' }, amount: { total: 10.1 } };
    const flags = createFlags(newReference()).filter((word) => word !== '--customer' && word !== 'c_881');
    expect(await bodyOf([...flags, '--order', file('order.json', order)])).toMatchObject({
      customerOrder: order,
    });
  });

  it('may be any amount: the service alone knows its limit', async () => {
    const flags = createFlags(newReference(), { amount: '1500000000', currency: 'IDR' });
    expect(await bodyOf(flags)).toMatchObject({ amount: 1_500_000_000 });
    const { code, stderr } = await desk.run('create', flags);
    expect([code, stderr]).toEqual([1, expect.stringContaining('must be at most 999999999.99')]);
  });

  it('differs by flow', async () => {
    const plain = ['--amount', '1', '--currency', 'EUR', '--customer', 'c', '--flow', 'plain'];
    expect(await bodyOf(plain)).not.toHaveProperty('showPayRecurringInCheckout');
    const made = await desk.run('create', [...plain, '--json']);
    expect(made.json.payment?.paymentFlow).toBe('Direct');
    const provider = [
      ...createFlags(newReference()),
      '--flow',
      'provider-hosted-page',
      '--provider-profile',
      '1',
    ];
    expect(await bodyOf(provider)).toMatchObject({ paymentProfileId: 1 });
    expect((await desk.run('create', [...provider, '--json'])).json.created).toBe(true);
  });
});

describe('bad input is told all at once, before anything is sent', () => {
  it.each<[string, string[], string[]]>([
    ['nothing given', [], ['--amount', '--currency', '--customer', '--return-url']],
    [
      'bad and missing',
      ['--amount', '10.234', '--currency', 'eur'],
      ['at most two decimals', 'did you mean EUR?', '--customer  ', '--return-url '],
    ],
    ['a comma', createFlags('r', { amount: '10,23' }), ['10.23']],
    ['an exponent', createFlags('r', { amount: '1e3' }), ['must be written out']],
    ['nought', createFlags('r', { amount: '0' }), ['more than zero']],
    ['less than nought', createFlags('r', { amount: '-5' }), ['--amount']],
    ['a bad address', createFlags('r', { 'return-url': 'shop.example' }), ['https://shop.example']],
    ['a value given twice', [...createFlags('r'), '--amount', '3'], ['used twice']],
    ['a time that is over', createFlags('r', { expires: '2020-01-01' }), ['must be in the future']],
    ['no such file', ['--body', '/nowhere.json'], ['--body /nowhere.json', 'there is no such file']],
    [
      'the wrong flow',
      [...createFlags('r'), '--flow', 'plain', '--show-recurring'],
      ['does not apply to --flow plain'],
    ],
    [
      'a profile on a hosted page',
      createFlags('r', { 'provider-profile': '1' }),
      ['does not apply to --flow hosted-page'],
    ],
    [
      'a state without a wait',
      [...createFlags('r'), '--until', 'Captured'],
      ['can only be used together with --wait'],
    ],
  ])('%s', async (_name, args, expected) => {
    desk.requests();
    const { code, stderr, stdout } = await desk.run('create', args);
    expect(code).toBe(2);
    for (const text of expected) expect(stderr).toContain(text);
    expect(stdout).toBe('');
    expect(posts()).toEqual([]);
  });

  it('files that are broken, wrong or contradicted', async () => {
    const wrong = { amount: '7', currency: 'EUR', customerOrder: { customer: { customerId: 'c', age: 3 } } };
    for (const [args, ...expected] of [
      [['--body', file('broken.json', '{"amount":')], 'not JSON'],
      [['--body', file('list.json', [])], 'must contain a JSON object'],
      [['--body', folder], 'a folder'],
      [
        ['--body', file('wrong.json', wrong)],
        'amount must be a number, not a string',
        'customerOrder.customer.age is not a field',
        '--return-url',
      ],
      [['--body', file('other.json', { amount: 7 }), '--amount', '8'], '--body says amount is 7'],
      [['--order', file('o.json', { customer: { customerId: 'a' } }), '--customer', 'b'], '--order says'],
    ] as const) {
      const { code, stderr } = await desk.run('create', [...args]);
      expect(code).toBe(2);
      for (const text of expected) expect(stderr.replaceAll(/\s+/g, ' ')).toContain(text);
    }
    const same = createFlags(newReference(), { amount: '7.00' });
    expect((await desk.run('create', [...same, '--body', file('same.json', { amount: 7 })])).code).toBe(0);
  });

  it('what may be in a file that cannot be read is not called missing', async () => {
    for (const text of ['{"amount":', '[]', '']) {
      const { code, stderr } = await desk.run('create', ['--body', '-'], { input: text });
      expect([code, stderr]).toEqual([
        2,
        expect.stringMatching(/^Error: Invalid value.\n {2}Nothing was sent.\n {2}--body - /),
      ]);
    }
    const { stderr } = await desk.run('create', ['--order', join(folder, 'none.json')]);
    expect(stderr).toContain('--amount');
    expect(stderr).not.toContain('--customer');
  });

  it('a choice that there is not, once', async () => {
    const { code, json } = await desk.run('create', [...createFlags('r'), '--method', 'Card', '--json']);
    expect(code).toBe(2);
    expect(json.error?.details).toHaveLength(1);
  });

  it('a currency that no list has is sent, with the one that may have been meant', async () => {
    posts();
    const { code, stderr } = await desk.run('create', createFlags(newReference(), { currency: 'EUT' }));
    expect(stderr).toContain('EUT is not a known currency. Did you mean EUR?');
    expect([code, stderr]).toEqual([1, expect.stringContaining('currency is not a supported currency')]);
    expect(posts()).toHaveLength(1);
  });

  it('a state that there is not, with the one that was meant', async () => {
    desk.requests();
    const { code, stderr } = await desk.run('create', [...createFlags('r'), '--wait', '--until', 'Captred']);
    expect(code).toBe(2);
    expect(stderr).toContain('Did you mean Captured?');
    expect(posts()).toEqual([]);
  });
});

describe('the reference', () => {
  it('is generated, and shown before the request leaves', async () => {
    const args = createFlags('').slice(0, -2);
    const { stderr, json } = await desk.run('create', [...args, '--json']);
    const [, reference] = /^Reference (pd-20261116-\w{10}) /.exec(stderr) ?? [];
    expect(json).toMatchObject({ created: true, payment: { referenceId: reference } });
  });

  it.each(['existing', 'conflict', 'created'] as const)(
    'that was used before is compared when the service answers with %s',
    async (variant) => {
      const other = await openTestDesk({ answers: { 'repeated-reference': variant } });
      try {
        const reference = newReference();
        const first = await other.run('create', [...createFlags(reference), '--json']);
        expect(first.json.created).toBe(true);
        const again = await other.run('create', [...createFlags(reference, { amount: '10.1' }), '--json']);
        expect(again.code).toBe(0);
        expect(again.json).toMatchObject({
          created: false,
          payment: { paymentId: first.json.payment?.paymentId },
        });

        const changes = { amount: '11', currency: 'USD', customer: 'c_2' };
        const differs = await other.run('create', [...createFlags(reference, changes), '--json']);
        expect(differs.code).toBe(1);
        expect(differs.json.error?.details).toEqual([
          { field: 'amount', asked: '11', found: '10.10' },
          { field: 'currency', asked: 'USD', found: 'EUR' },
          { field: 'customer', asked: 'c_2', found: 'c_881' },
        ]);
        const returning = createFlags(reference, { 'return-url': 'https://other.example/done' });
        const elsewhere = await other.run('create', [...returning, '--no-auto-capture', '--json']);
        expect(elsewhere.code).toBe(1);
        expect(elsewhere.json.error?.details).toMatchObject([
          { field: 'auto-capture', asked: 'false', found: 'true' },
          { field: 'return-url', asked: 'https://other.example/done' },
        ]);
        const flow = await other.run('create', [...createFlags(reference), '--flow', 'plain']);
        expect(flow.code).toBe(1);
        expect(flow.stderr).toMatch(/field +asked +found\n +flow +Direct +HostedPage\n/);
      } finally {
        await other.sandbox.close();
      }
    },
  );
});

describe('several at once with one reference', () => {
  it.each(['existing', 'conflict'] as const)('make one payment (%s)', async (variant) => {
    const other = await openTestDesk({ answers: { 'repeated-reference': variant } });
    try {
      // Nobody finds it when looking first: the answers to the creates themselves have to be understood.
      await other.fault({ kind: 'latency', route: 'create', next: 5, delayMs: 300 });
      const args = [...createFlags(newReference()), '--json'];
      const runs = await Promise.all(Array.from({ length: 5 }, () => other.run('create', args)));
      expect(runs.map(({ code }) => code)).toEqual([0, 0, 0, 0, 0]);
      expect(runs.filter(({ json }) => JSON.stringify(json.created) === 'true')).toHaveLength(1);
      expect(new Set(runs.map(({ json }) => json.payment?.paymentId)).size).toBe(1);
    } finally {
      await other.sandbox.close();
    }
  });
});

describe('afterwards', () => {
  it('shows the payment with its link on a terminal', async () => {
    const { code, stdout } = await desk.run('create', createFlags(newReference()), { terminal: true });
    expect(code).toBe(0);
    expect(stdout).toMatch(/^Payment \d+ .* Created\n/);
    expect(stdout.replaceAll(/\s+/g, '')).toMatch(/Checkouthttp:\/\/127\.0\.0\.1:\d+\/checkout\//);
  });

  it('prints a row where one is asked for', async () => {
    const [csv, columns] = [newReference(), newReference()];
    const asCsv = await desk.run('create', [...createFlags(csv), '--csv']);
    expect(asCsv.stdout).toMatch(
      new RegExp(
        `^payment,reference,state,amount,currency,customer,created\\n\\d+,${csv},Created,10.10,EUR,c_881,.*Z\\n$`,
      ),
    );
    const chosen = await desk.run('create', [...createFlags(columns), '--columns', 'reference,amount']);
    expect(chosen.stdout).toBe(`${columns}\tEUR 10.10\n`);
    const charge = ['--customer', await desk.stored(), '--amount', '3', '--reference', newReference()];
    expect((await desk.run('charge', [...charge, '--columns', 'state,amount'])).stdout).toBe(
      'Captured\tEUR 3.00\n',
    );
  });

  it('shows the link as a code on stderr', async () => {
    const { stdout, stderr } = await desk.run('create', [...createFlags(newReference()), '--qr', '--json']);
    expect(stderr).toMatch(/[█▀▄]{10}/);
    expect(JSON.parse(stdout)).toHaveProperty('payment.redirectUrl');
  });

  const waitWith = async (card: string | undefined, more: string[], options: DeskOptions = {}) => {
    const reference = newReference();
    const running = desk.run('create', [...createFlags(reference), '--wait', ...more], options);
    if (card !== undefined) {
      await eventually(async () => {
        const found = await desk.sandbox.control('POST', `/payments/${reference}/pay`, { card });
        if (found.status >= 300) throw new Error(found.text);
      });
    }
    return running;
  };

  it.each([
    [['--columns', 'state,amount'], /^Captured\tEUR 10\.10\n$/],
    [['--csv', '--columns', 'state'], /^state\nCaptured\n$/],
    [[], /^payment\t\d+\nreference\t\S+\nstate\tCaptured\n/],
  ])('prints to a pipe what it waited for: %j', async (args, expected) => {
    const { code, stdout, stderr } = await waitWith('approved', args);
    expect([code, stdout]).toEqual([0, expect.stringMatching(expected)]);
    expect(stderr).toMatch(
      /Payment (\d+) is created\. Get its link with: paydesk payments get id:\1 --jq .redirectUrl\n/,
    );
    expect(stderr).not.toContain('/checkout/');
  });

  it('shows the link on stderr to a person alone: not with --json, and not in the log of a job', async () => {
    const stderrOf = async (more: string[], env: Env = {}) =>
      (await waitWith('approved', more, { terminal: true, env })).stderr;
    expect(await stderrOf(['--csv'])).toMatch(/Pay it at:\nhttp:.*\/checkout\//);
    expect(await stderrOf(['--json'])).not.toContain('/checkout/');
    expect(await stderrOf(['--csv'], { CI: 'true' })).not.toContain('/checkout/');
  });

  it('shows a person the link at once, and then what happens', async () => {
    const { stdout, stderr } = await waitWith('approved', [], { terminal: true });
    expect(stdout).toMatch(/^Payment \d+ .* Created\n/);
    expect(stdout).not.toContain('Captured');
    expect(stderr).toContain('→ Captured');
  });

  it('waits until it is paid, cannot be any more, or the time is up', async () => {
    const wait = (card: string | undefined, more: string[]) => waitWith(card, ['--json', ...more]);
    const paid = await wait('approved', []);
    expect(paid).toMatchObject({ code: 0 });
    expect(paid.json).toMatchObject({ created: true, payment: { paymentState: 'Captured' } });
    const held = await wait('held', ['--until', 'Held']);
    expect(held.json.payment?.paymentState).toBe('Held');
    const late = await wait(undefined, ['--timeout', '3s']);
    expect(late.code).toBe(8);
    expect(late.json).toMatchObject({ payment: { paymentState: 'Created' }, error: { exit: 8 } });
    const never = await wait(undefined, ['--until', 'Created', '--no-auto-capture']);
    expect(never.code).toBe(0);
  });

  it('ends with 1 when the service refuses, 4 on a wrong key, 5 when nobody is there', async () => {
    const refused = await desk.run('create', [...createFlags(newReference(), { currency: 'XXZ' }), '--json']);
    expect(refused.code).toBe(1);
    expect(JSON.stringify(refused.json.error?.details)).toContain('currency');
    const env = envOf(desk.sandbox);
    const args = createFlags(newReference());
    expect((await payments({ ...env, PAYDESK_API_KEY: 'sk_wrong' }, 'create', args)).code).toBe(4);
    expect((await payments({ ...env, PAYDESK_BASE_URL: 'http://127.0.0.1:9' }, 'create', args)).code).toBe(5);
  });

  it('tells nothing of the link with --debug', async () => {
    const { stderr, json } = await desk.run('create', [...createFlags(newReference()), '--debug', '--json']);
    expect(stderr).toContain('debug: POST /api/apps/');
    expect(stderr).not.toContain(String(json.payment?.redirectUrl));
    expect(stderr).not.toContain(desk.sandbox.app.apiKey);
  });
});
