import { describe, expect, it } from 'vitest';
import CustomersMethods from '../../../src/commands/customers/methods.js';
import CustomersPanelLink from '../../../src/commands/customers/panel-link.js';
import CustomersRemoveMethod from '../../../src/commands/customers/remove-method.js';
import CustomersStopAutoPayment from '../../../src/commands/customers/stop-auto-payment.js';
import History from '../../../src/commands/history.js';
import { answerVariants } from '../../../src/sandbox/answers.js';
import { httpServer, json } from '../../helpers/servers.js';
import {
  errorOf,
  parsed,
  openCustomersDesk,
  storedMethod,
  type CustomersDesk,
  type Method,
} from './customers-desk.js';

async function methodOf(desk: CustomersDesk, customerId: string): Promise<Method> {
  const { body } = await desk.sandbox.call<Method[]>('GET', `/customers/${customerId}/payment-methods`);
  return body[0] as Method;
}

describe.each(answerVariants['payment-methods'])('methods in the shape: %s', async (variant) => {
  const desk = await openCustomersDesk({ 'payment-methods': variant });

  it('are listed, removed and stopped', async () => {
    await storedMethod(desk, 'm1');
    const listed = await desk.run(CustomersMethods, ['m1', '--json']);
    expect(listed).toMatchObject({ code: 0, stderr: '' });
    const [method] = parsed(listed) as Method[];
    const id = String(method!.paymentMethodId);
    expect(method!.paymentMethodId).toBeGreaterThan(0);
    const rows = await desk.run(CustomersMethods, ['m1']);
    expect(rows.stdout.split('\t')[0]).toBe(id);
    if (variant !== 'ids') {
      const table = await desk.run(CustomersMethods, ['m1'], { terminal: true, columns: 100 });
      expect(table.stdout).toMatch(/Visa credit, expires \d\d\/\d{4}/);
      const registration = String(method!.customerAutomaticProfileId);
      const stopped = await desk.run(CustomersStopAutoPayment, ['m1', registration, '--json']);
      expect(parsed(stopped)).toEqual({
        stopped: true,
        customerId: 'm1',
        customerAutomaticProfileId: registration,
      });
    }

    const removed = await desk.run(CustomersRemoveMethod, ['m1', id, '--json']);
    expect(removed).toMatchObject({ code: 0, stderr: '' });
    expect(parsed(removed)).toEqual({
      removed: true,
      customerId: 'm1',
      paymentMethodId: method!.paymentMethodId,
    });
    const empty = await desk.run(CustomersMethods, ['m1']);
    expect(empty).toMatchObject({ code: 0, stdout: '', stderr: 'No stored payment methods.\n' });

    const again = await desk.run(CustomersRemoveMethod, ['m1', id, '--json']);
    expect(errorOf(again)).toMatchObject({ exit: 1, code: 'not-found' });
  });
});

describe.each(answerVariants.deleted)('a DELETE that is answered with: %s', async (variant) => {
  const desk = await openCustomersDesk({ deleted: variant });

  it('is success, also when it had to be sent again', async () => {
    await storedMethod(desk, 'd1');
    const { paymentMethodId, customerAutomaticProfileId } = await methodOf(desk, 'd1');
    await desk.fault('drop-after-commit', 'stopAutoPayment');
    desk.asked();
    const stopped = await desk.run(CustomersStopAutoPayment, ['d1', String(customerAutomaticProfileId)]);
    expect(stopped).toMatchObject({ code: 0, stderr: '' });
    expect(stopped.stdout).toMatch(
      /^Stopped auto-payment registration \d+ of method \d+ \(Visa .*\) for customer d1\.\n$/,
    );
    expect(desk.asked().filter((line) => line.startsWith('DELETE'))).toHaveLength(2);

    await desk.fault('error-after-commit', 'removePaymentMethod');
    const removed = await desk.run(CustomersRemoveMethod, ['d1', String(paymentMethodId)]);
    expect(removed.code).toBe(0);
    expect(removed.stdout).toContain('Removed method');
  });
});

describe('what cannot be brought back', async () => {
  const desk = await openCustomersDesk();

  it('is settled by reading when every answer was lost', async () => {
    await storedMethod(desk, 's1');
    const { paymentMethodId, customerAutomaticProfileId } = await methodOf(desk, 's1');
    const registration = String(customerAutomaticProfileId);
    await desk.fault('drop-before-commit', 'stopAutoPayment', { probability: 1 });
    const open = await desk.run(CustomersStopAutoPayment, ['s1', registration, '--json']);
    expect(errorOf(open)).toMatchObject({ exit: 6, next: ['paydesk customers methods s1'] });
    await desk.noFaults();

    await desk.fault('drop-after-commit', 'stopAutoPayment', { probability: 1 });
    expect((await desk.run(CustomersStopAutoPayment, ['s1', registration])).code).toBe(0);
    await desk.noFaults();
    await desk.fault('drop-after-commit', 'removePaymentMethod', { probability: 1 });
    expect((await desk.run(CustomersRemoveMethod, ['s1', String(paymentMethodId)])).code).toBe(0);
    await desk.noFaults();
  });

  it('is not sent for a name that the customer does not have', async () => {
    await storedMethod(desk, 'n1');
    const { paymentMethodId, customerAutomaticProfileId } = await methodOf(desk, 'n1');
    await desk.fault('drop-before-commit', 'stopAutoPayment', { probability: 1 });
    await desk.fault('drop-before-commit', 'removePaymentMethod', { probability: 1 });
    for (const [Class, typed, what] of [
      [CustomersStopAutoPayment, `${customerAutomaticProfileId}4`, 'auto-payment registration'],
      [CustomersRemoveMethod, `${paymentMethodId}4`, 'method'],
    ] as const) {
      desk.asked();
      const refused = await desk.run(Class, ['n1', typed, '--json']);
      expect(errorOf(refused)).toMatchObject({
        exit: 1,
        code: 'not-found',
        message: `Customer n1 has no ${what} ${typed}. Nothing was changed.`,
        next: ['paydesk customers methods n1'],
      });
      expect(desk.asked()).toEqual(['GET /customers/n1', 'GET /customers/n1/payment-methods']);
    }
    await desk.noFaults();
    expect(await methodOf(desk, 'n1')).toMatchObject({ isActive: true });
  });

  it('needs the App ID on a live app, before anything is sent', async () => {
    await storedMethod(desk, 'l1', desk.sandbox.live);
    const { live } = desk.sandbox;
    const { body } = await desk.sandbox.call<Method[]>('GET', '/customers/l1/payment-methods', undefined, {
      appId: live.appId,
      key: live.apiKey,
    });
    const id = String(body[0]!.paymentMethodId);
    for (const confirm of [[], ['--confirm', desk.sandbox.app.appId]]) {
      for (const [Class, word] of [
        [CustomersRemoveMethod, id],
        [CustomersStopAutoPayment, String(body[0]!.customerAutomaticProfileId)],
      ] as const) {
        desk.asked();
        const refused = await desk.run(Class, ['l1', word, ...confirm, '--json'], { live: true });
        expect(refused.code).toBe(9);
        expect(refused.stderr).toContain(`LIVE  environment (app ${live.appId})`);
        expect(desk.asked()).toEqual([]);
      }
    }
    const removed = await desk.run(CustomersRemoveMethod, ['l1', id, '--confirm', live.appId], {
      live: true,
    });
    expect(removed.code).toBe(0);
  });

  it('is not sent to an app of the other kind', async () => {
    await storedMethod(desk, 'k1');
    const { paymentMethodId } = await methodOf(desk, 'k1');
    desk.asked();
    const argv = ['k1', String(paymentMethodId), '--confirm', desk.sandbox.app.appId, '--json'];
    const refused = await desk.run(CustomersRemoveMethod, argv, { env: { PAYDESK_KIND: 'live' } });
    expect(refused.code).toBe(4);
    expect(desk.asked()).toEqual(['GET /customers/k1']);
  });

  it.each([['x'], ['0'], ['-5'], ['1.5']])('is no method: %s', async (word) => {
    expect((await desk.run(CustomersRemoveMethod, ['k1', '--', word])).code).toBe(2);
  });
});

describe('a list that does not show registrations', async () => {
  const desk = await openCustomersDesk({ 'payment-methods': 'ids' });

  it('leaves it unknown whether one that is not found was stopped', async () => {
    await storedMethod(desk, 'i1');
    await desk.fault('drop-before-commit', 'stopAutoPayment');
    const unknown = await desk.run(CustomersStopAutoPayment, ['i1', '999999', '--json']);
    expect(errorOf(unknown)).toMatchObject({ exit: 6, next: ['paydesk customers methods i1'] });
    const refused = await desk.run(CustomersStopAutoPayment, ['i1', '999999', '--json']);
    expect(errorOf(refused)).toMatchObject({ exit: 1, code: 'not-found', httpStatus: 404 });
  });
});

describe('a DELETE whose answer proves nothing', async () => {
  const desk = await openCustomersDesk();
  const method = { paymentMethodId: 12, customerAutomaticProfileId: 4, isActive: true };

  /** A service that answers every DELETE like this, and lists these methods before the first and after it. */
  async function run(status: number, body: string, after: unknown) {
    let isAfter = false;
    const server = await httpServer((seen, response) => {
      if (seen.method === 'DELETE') {
        isAfter = true;
        return json(response, status, body);
      }
      const listed = isAfter ? after : [method];
      return json(response, 200, seen.url.endsWith('/payment-methods') ? listed : { customerId: 'c_1' });
    });
    const env = { PAYDESK_BASE_URL: server.url };
    const removed = await desk.run(CustomersRemoveMethod, ['c_1', '12', '--json'], { env });
    isAfter = false;
    const stopped = await desk.run(CustomersStopAutoPayment, ['c_1', '4', '--json'], { env });
    expect(server.requests.filter((seen) => seen.method === 'DELETE')).toHaveLength(2);
    const history = await desk.run(History, ['--json'], { env });
    return { codes: [removed.code, stopped.code], removed, stopped, done: parsed(history) as unknown[] };
  }

  const failure = '{"success":false,"error":{"message":"not allowed"}}';
  const page = '<html>Please log in</html>';

  it.each([
    ['a failure', 200, failure, 1],
    ['a page', 200, page, 1],
    ['202', 202, '{"status":"queued"}', 6],
    ['a redirect', 302, '', 6],
  ])('is not done when the method is still listed: %s', async (_name, status, body, exit) => {
    const { codes, removed, stopped, done } = await run(status, body, [method]);
    expect(codes).toEqual([exit, exit]);
    if (exit === 1) {
      expect(errorOf(removed)).toMatchObject({ code: 'odd-answer', httpStatus: status });
      expect(errorOf(removed).message).toContain('The customer still has method 12.');
      expect(errorOf(stopped).message).toContain('The customer still has auto-payment registration 4.');
    }
    expect(errorOf(removed).next).toEqual(['paydesk customers methods c_1']);
    expect(done).toEqual([]);
  });

  it.each([
    ['a failure', 200, failure],
    ['202', 202, ''],
    ['a redirect', 302, ''],
  ])('is unknown when the methods cannot be read: %s', async (_name, status, body) => {
    expect((await run(status, body, page)).codes).toEqual([6, 6]);
    expect((await run(status, body, { items: [], nextCursor: 'more' })).codes).toEqual([6, 6]);
  });

  it.each([
    ['a page', 200, page],
    ['the methods that are left', 200, '[]'],
    ['202', 202, ''],
  ])('is done when the method is no longer listed: %s', async (_name, status, body) => {
    expect((await run(status, body, [])).codes).toEqual([0, 0]);
  });
});

describe.each(answerVariants['panel-link'])('a panel link in the shape: %s', async (variant) => {
  const desk = await openCustomersDesk({ 'panel-link': variant });

  it('is printed, and is a secret everywhere else', async () => {
    await desk.sandbox.call('POST', '/customers', { customerId: 'p1' });
    const now = new Date();
    const piped = await desk.run(CustomersPanelLink, ['p1', '--debug'], { now });
    expect(piped.code).toBe(0);
    const url = piped.stdout.trimEnd();
    expect(url).toMatch(new RegExp(`^${desk.sandbox.url}/panel/\\S+$`));
    expect(piped.stderr).toContain('GET /api/apps/');
    expect(piped.stderr).not.toContain('/panel/');
    if (variant === 'object')
      expect(piped.stderr).toMatch(/The link works until \S+ \S+ \(in (59 minutes|1 hour)\)/);

    const json = await desk.run(CustomersPanelLink, ['p1', '--json']);
    expect(parsed(json)).toMatchObject({ url: expect.stringContaining('/panel/') as unknown });
    const code = await desk.run(CustomersPanelLink, ['p1', '--qr'], { terminal: true });
    expect(code.stderr).toMatch(/[▀▄█]{10}/);
    expect(code.stdout.trimEnd().split('\n')).toHaveLength(1);
  });
});
