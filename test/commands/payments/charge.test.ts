import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { httpServer } from '../../helpers/servers.js';
import { eventually, newReference } from '../../helpers/sandbox.js';
import { openTestDesk, payments, type TestDesk } from '../../helpers/desk.js';

let desk: TestDesk;
beforeAll(async () => {
  desk = await openTestDesk();
});
afterEach(() => desk.sandbox.control('DELETE', '/faults'));
afterAll(() => desk.sandbox.close());

const charge = (customer: string, reference: string, ...more: string[]) =>
  ['--customer', customer, '--amount', '5.50', '--reference', reference, '--json'].concat(more);

describe('the state decides, not the answer', () => {
  it('captured, or authorised where that was asked for: 0', async () => {
    const customer = await desk.stored();
    const captured = await desk.run('charge', charge(customer, newReference()));
    expect(captured).toMatchObject({ code: 0 });
    expect(captured.json).toMatchObject({
      created: true,
      payment: { paymentState: 'Captured', amount: 5.5 },
    });
    const authorised = await desk.run('charge', charge(customer, newReference(), '--no-auto-capture'));
    expect(authorised).toMatchObject({ code: 0 });
    expect(authorised.json.payment?.paymentState).toBe('Authorised');
  });

  it('refused because nothing is stored: 1, with the command that shows what is', async () => {
    const { body } = await desk.sandbox.call('POST', '/customers', { customerId: newReference() });
    const { customerId: customer } = body as { customerId: string };
    const { code, json } = await desk.run('charge', charge(customer, newReference()));
    expect(code).toBe(1);
    expect(json.error?.next).toEqual([`paydesk customers methods ${customer}`]);
  });

  it('a failure with HTTP 200: 3, with the reason and the advice, also when it is run again', async () => {
    const customer = await desk.stored();
    await desk.fault({ kind: 'provider-fails', route: 'authorize', next: 1 });
    const reference = newReference();
    const failed = await desk.run('charge', charge(customer, reference));
    expect(failed.code).toBe(3);
    expect(failed.json.created).toBe(true);
    expect(['Declined', 'Failed']).toContain(failed.json.payment?.paymentState);
    expect(failed.json.error?.details?.reason).toBe(failed.json.payment?.failureReason);
    expect(failed.json.error?.message).toContain('To try again, use a new --reference');
    desk.requests();
    const again = await desk.run('charge', charge(customer, reference));
    expect(again).toMatchObject({ code: 3 });
    expect(again.json.created).toBe(false);
    expect(desk.requests().filter((line) => line.startsWith('POST /api'))).toEqual([]);
  });

  it('on its way: 0 as accepted, 8 when the wait is over, and to the end with --wait', async () => {
    const customer = await desk.stored();
    await desk.fault({ kind: 'provider-silent', route: 'authorize', next: 2 });
    const args = charge(customer, newReference()).filter((word) => word !== '--json');
    const accepted = await desk.run('charge', args, { terminal: true });
    expect(accepted.code).toBe(0);
    expect(accepted.stderr).toMatch(/The charge is accepted and not final: it is Processing\. To follow it:/);
    const late = await desk.run('charge', charge(customer, newReference(), '--wait', '--timeout', '3s'));
    expect(late.code).toBe(8);
    expect(late.json).toMatchObject({ payment: { paymentState: 'Processing' }, error: { exit: 8 } });

    await desk.fault({ kind: 'provider-silent', route: 'authorize', next: 1 });
    const reference = newReference();
    const running = desk.run('charge', charge(customer, reference, '--wait'));
    await eventually(async () => {
      const found = await desk.sandbox.call<{ paymentId: number }>(
        'GET',
        `/payments/referenceId:${reference}`,
      );
      const { status } = await desk.sandbox.call('POST', `/payments/${found.body.paymentId}/recheck`);
      if (status !== 200) throw new Error('not there yet');
    });
    expect((await running).code).toBe(0);
  });

  it('held: 0 as accepted, with the command that releases it', async () => {
    const customer = await desk.stored();
    const args = charge(customer, newReference(), '--fraud-policy', '3').filter((word) => word !== '--json');
    const { code, stderr } = await desk.run('charge', args, { terminal: true });
    expect(code).toBe(0);
    expect(stderr).toMatch(/not final: a fraud rule holds it\. To approve it:\s+paydesk payments unhold \d+/);
  });

  it('a state that nobody knows: 6', async () => {
    const other = await openTestDesk({ answers: { states: 'other' } });
    try {
      const customer = await other.stored();
      const { code, json } = await other.run('charge', charge(customer, newReference(), '--no-auto-capture'));
      expect(code).toBe(6);
      expect(json).toMatchObject({
        payment: { paymentState: 'Authorized' },
        error: { code: 'unknown-state' },
      });
    } finally {
      await other.sandbox.close();
    }
  });
});

describe('what is sent', () => {
  it('never has a currency, and the reference is always asked for', async () => {
    const server = await httpServer((request, response) => {
      if (request.method === 'GET') return response.writeHead(404).end();
      const { referenceId, amount } = JSON.parse(request.body) as Record<string, unknown>;
      const payment = { paymentId: 1, referenceId, amount, currency: 'JPY', paymentState: 'Captured' };
      return response.writeHead(200).end(JSON.stringify(payment));
    });
    const env = {
      PAYDESK_BASE_URL: server.url,
      PAYDESK_APP_ID: 'a',
      PAYDESK_API_KEY: 'key-1234',
      PAYDESK_KIND: 'sandbox',
    };
    const more = ['--method-id', '3', '--provider-profile', '2', '--webhook-url', 'https://shop.example/h'];
    expect((await payments(env, 'charge', charge('c', 'r-1', ...more))).code).toBe(0);
    const sent = server.requests.find(({ method }) => method === 'POST');
    expect(JSON.parse(sent?.body ?? '')).toEqual({
      referenceId: 'r-1',
      amount: 5.5,
      autoCapture: true,
      customerOrder: { customer: { customerId: 'c' } },
      paymentMethodId: 3,
      paymentMethodProviderProfileId: 2,
      webhookUrl: 'https://shop.example/h',
    });
    expect(sent?.body).toContain('5.50');

    const missing = await payments(env, 'charge', ['--no-input']);
    expect(missing.code).toBe(2);
    for (const flag of ['--reference', '--amount', '--customer']) expect(missing.stderr).toContain(flag);
    expect((await payments(env, 'charge', [...charge('c', 'r'), '--currency', 'EUR'])).code).toBe(2);
  });

  it('is compared with what the reference made before: another amount or customer is 1', async () => {
    const customer = await desk.stored();
    const reference = newReference();
    await desk.run('charge', charge(customer, reference));
    const other = charge('c_other', reference).map((word) => (word === '5.50' ? '6' : word));
    const { code, json } = await desk.run('charge', other);
    expect(code).toBe(1);
    expect(json.error?.details).toEqual([
      { field: 'amount', asked: '6', found: '5.50' },
      { field: 'customer', asked: 'c_other', found: customer },
    ]);
  });

  it('is compared with how the reference was captured before: another way is 1, and sends nothing', async () => {
    const customer = await desk.stored();
    const [captured, authorised] = [newReference(), newReference()];
    await desk.run('charge', charge(customer, captured));
    await desk.run('charge', charge(customer, authorised, '--no-auto-capture'));
    desk.requests();
    for (const [args, asked, found] of [
      [charge(customer, captured, '--no-auto-capture'), 'false', 'true'],
      [charge(customer, authorised), 'true', 'false'],
    ] as const) {
      const { code, json } = await desk.run('charge', args);
      expect([code, json.error?.code]).toEqual([1, 'reference-in-use']);
      expect(json.error?.details).toEqual([{ field: 'auto-capture', asked, found }]);
    }
    expect(desk.requests().filter((line) => line.startsWith('POST /api'))).toEqual([]);
  });

  it('is refused where there is no method: 1', async () => {
    const { code, json } = await desk.run('charge', charge('nobody', newReference()));
    expect(code).toBe(1);
    expect(json.error).toMatchObject({ code: 'method-not-chargeable', httpStatus: 422 });
  });

  it('is only shown with --dry-run', async () => {
    desk.requests();
    const { json } = await desk.run('charge', charge('c', newReference(), '--dry-run'));
    expect(json).toMatchObject({ created: false, dryRun: true, request: { method: 'POST' } });
    expect(desk.requests().filter((line) => line.startsWith('POST /api'))).toEqual([]);
  });
});
