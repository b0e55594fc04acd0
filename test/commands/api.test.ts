import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import Api from '../../src/commands/api.js';
import History from '../../src/commands/history.js';
import { fieldsBody, fieldValue } from '../../src/payments/api-fields.js';
import { answerVariants } from '../../src/sandbox/answers.js';
import { closedPort, httpServer, json } from '../helpers/servers.js';
import { unprintable } from '../helpers/printable.js';
import { paydesk, paydeskTty } from '../helpers/run.js';
import { hostedBody } from '../helpers/sandbox.js';
import { temporaryFolder } from '../profiles/temporary-home.js';
import { errorOf, openCustomersDesk, parsed, storedMethod } from './customers/customers-desk.js';

function fileOf(value: unknown): string {
  const file = join(temporaryFolder(), 'body.json');
  writeFileSync(file, typeof value === 'string' ? value : JSON.stringify(value));
  return file;
}

describe('api', async () => {
  const desk = await openCustomersDesk();
  const { sandbox } = desk;
  const { appId } = sandbox.app;

  it('reads any path below the app, with or without its slash or its root', async () => {
    await sandbox.call('POST', '/customers', { customerId: 'c1', firstName: 'Ada' });
    for (const path of ['/customers/c1', 'customers/c1', `/api/apps/${appId}/customers/c1`]) {
      const got = await desk.run(Api, ['get', path]);
      expect(got).toMatchObject({ code: 0, stderr: '' });
      expect(parsed(got)).toMatchObject({ customerId: 'c1' });
      expect((await desk.run(Api, ['GET', path, '--json'])).stdout).toBe(got.stdout);
    }
    expect((await desk.run(Api, ['GET', '/customers/c1', '--jq', '.firstName'])).stdout).toBe('Ada\n');
  });

  it('does not say of a read that the service refused that nothing was sent', async () => {
    const read = await desk.run(Api, ['GET', '/nope']);
    expect(read.code).toBe(1);
    expect(read.stderr).toContain('Error:');
    expect(read.stderr).not.toContain('Nothing was sent');
    const refused = await desk.run(Api, ['POST', '/customers', '--confirm', 'other']);
    expect(refused.stderr).toContain('Nothing was sent');
  });

  it('puts fields into the query of a GET and into the body of anything else', async () => {
    const server = await httpServer((_seen, response) => json(response, 200, {}));
    const env = { PAYDESK_BASE_URL: server.url };
    await desk.run(Api, ['GET', '/reports?a=1', '--field', 'limit=5', '--field', 'x=a b&c'], { env });
    await desk.run(
      Api,
      [
        'PUT',
        '/reports/1',
        ...['a=10.10', 'b=true', 'c=null', 'd="5"', 'e=x=y', 'f='].flatMap((f) => ['--field', f]),
      ],
      { env },
    );
    expect(server.requests.map(({ method, url, body }) => [method, url, body])).toEqual([
      ['GET', `/api/apps/${appId}/reports?a=1&limit=5&x=a+b%26c`, ''],
      ['PUT', `/api/apps/${appId}/reports/1`, '{"a":10.10,"b":true,"c":null,"d":"5","e":"x=y","f":""}'],
    ]);
  });

  it.each([
    ['10.10', '10.10'],
    ['9007199254740993', '9007199254740993'],
    ['-0.5', '-0.5'],
    ['1e3', '1e3'],
    ['007', '"007"'],
    ['1.', '"1."'],
    ['+5', '"+5"'],
    ['True', '"True"'],
    ['"true"', '"true"'],
    ['', '""'],
  ])('takes the field value %s for %s', (text, value) => {
    expect(JSON.stringify(fieldValue(text))).toBe(value);
  });

  it('nests fields by their dots and adds to lists', async () => {
    const fields = (...pairs: string[]) => pairs.flatMap((pair) => ['--field', pair]);
    const nested = [
      'customerOrder.customer.customerId=c1',
      'customerOrder.orderId=7',
      'tags[]=a',
      'tags[]=2',
    ];
    const { json: planned } = await run(['PUT', '/reports/1', ...fields(...nested, 'none[]='), '--dry-run']);
    expect(planned).toMatchObject({
      request: {
        body: { customerOrder: { customer: { customerId: 'c1' }, orderId: 7 }, tags: ['a', 2], none: [] },
      },
    });
    for (const wrong of [['a=1', 'a.b=2'], ['a.b=2', 'a=1'], ['a=1', 'a[]=2'], ['a..b=1'], ['a[].b=1']]) {
      const { code, error } = await run(['PUT', '/reports/1', ...fields(...wrong), '--dry-run']);
      expect([wrong, code, error?.code]).toEqual([wrong, 2, 'bad-request']);
    }
    expect(JSON.stringify(fieldsBody([{ key: '__proto__.x', value: '1' }]))).toBe('{"__proto__":{"x":1}}');
  });

  async function run(argv: string[]) {
    const ran = await desk.run(Api, [...argv, '--json']);
    const document = parsed(ran) as { error?: { code: string } };
    return { code: ran.code, json: document, error: document.error };
  }

  const saved = 'works only with a create, charge, capture, cancel, refund or unhold';
  const waits = 'works only with a charge, capture, cancel, refund or unhold';
  it.each([
    ['--reason', ['PATCH', '/customers/c1', '--field', 'firstName=X', '--reason', 'typo'], saved],
    ['--ticket', ['DELETE', '/customers/c1', '--ticket', 'T-1'], saved],
    ['--ticket', ['GET', '/customers', '--paginate', '--ticket', 'T-1'], saved],
    ['--wait', ['POST', '/payments/1/recheck', '--wait', '--dry-run'], waits],
    ['--wait', ['GET', '/payments/1', '--wait'], waits],
    ['--wait', ['POST', '/payments', '--field', 'referenceId=api-wait', '--wait'], waits],
  ])('refuses %s where it would have no effect, before it sends %j', async (input, argv, problem) => {
    const server = await httpServer((_seen, response) => json(response, 200, {}));
    const refused = await desk.run(Api, [...argv, '--json'], { env: { PAYDESK_BASE_URL: server.url } });
    expect([refused.code, parsed(refused)]).toMatchObject([
      2,
      { error: { message: 'Invalid request. Nothing was sent.', details: [{ input, problem }] } },
    ]);
    expect(server.requests).toEqual([]);
  });

  it('reads all pages of a list as one', async () => {
    for (const number of [1, 2, 3])
      await sandbox.call('POST', '/customers', { customerId: `page-${number}` });
    const { code, json: list } = await run(['GET', '/customers?limit=1', '--paginate']);
    expect(code).toBe(0);
    const ids = (list as unknown as Array<{ customerId: string }>).map(({ customerId }) => customerId);
    expect(ids).toEqual(expect.arrayContaining(['page-1', 'page-2', 'page-3']));
    expect(new Set(ids).size).toBe(ids.length);
    expect(await run(['GET', '/customers/page-1', '--paginate'])).toMatchObject({ code: 2 });
  });

  it('sends a body from a file or stdin, exactly', async () => {
    const server = await httpServer((_seen, response) =>
      json(response, 200, '{"n":10.10,"big":9007199254740993}'),
    );
    const env = { ...desk.env, PAYDESK_BASE_URL: server.url };
    const file = fileOf('{"amount": 10.10, "id": 9007199254740993}');
    const sent = await desk.run(Api, ['POST', '/reports', '--body', file], { env });
    expect(sent.stdout).toBe('{\n  "n": 10.10,\n  "big": 9007199254740993\n}\n');
    const piped = await paydesk(['api', 'POST', '/reports', '--body', '-', '--json'], {
      env,
      input: '[1.50]',
    });
    expect(piped.code).toBe(0);
    expect(server.requests.map(({ body }) => body)).toEqual([
      '{"amount":10.10,"id":9007199254740993}',
      '[1.50]',
    ]);
  });

  it('prints text made safe, and nothing for an empty answer', async () => {
    const server = await httpServer((seen, response) => {
      if (seen.url.includes('empty')) return response.writeHead(204).end();
      return response.writeHead(200, { 'content-type': 'text/plain' }).end('a\u001B[2J\nb\u202E\tc\n');
    });
    const env = { PAYDESK_BASE_URL: server.url };
    const text = await desk.run(Api, ['POST', '/text'], { env });
    expect(text.code).toBe(0);
    expect(unprintable(text.stdout, '\n')).toEqual([]);
    expect(text.stdout).toMatch(/^a\\u\{1b\}\[2J\nb/);
    expect(parsed(await desk.run(Api, ['POST', '/text', '--json'], { env }))).toBe(
      'a\u001B[2J\nb\u202E\tc\n',
    );
    expect(await desk.run(Api, ['DELETE', '/empty'], { env })).toMatchObject({
      code: 0,
      stdout: '',
      stderr: '',
    });
  });

  it('creates with the key that makes it safe to send again', async () => {
    const body = hostedBody({ referenceId: 'api-1' });
    await desk.fault('drop-after-commit', 'createHostedPayment');
    const created = await desk.run(Api, ['POST', '/payments/hosted-page', '--body', fileOf(body), '--json']);
    expect(created.code).toBe(0);
    expect(parsed(created)).toMatchObject({ referenceId: 'api-1', paymentState: 'Created' });
    for (const without of [{ amount: 1 }, { referenceId: 5 }, { referenceId: '' }, [1], 'text']) {
      const file = fileOf(JSON.stringify(without));
      for (const path of [
        '/payments',
        '/payments/hosted-page',
        '/payments/provider-hosted-page',
        '/payments/auto-payment',
      ]) {
        expect((await desk.run(Api, ['POST', path, '--body', file])).code).toBe(2);
      }
    }
    expect((await desk.run(Api, ['POST', '/customers', '--field', 'firstName=Ada'])).code).toBe(2);
    expect((await desk.run(Api, ['POST', '/payments'])).code).toBe(2);
  });

  it.each([
    [['FETCH', '/x'], 'METHOD'],
    [['GET'], 'PATH'],
    [['GET', '/x', '--body', '/nowhere.json'], '--body'],
    [['GET', '/x', '--field', 'novalue'], '--field'],
    [['POST', '/x', '--field', 'a=1', '--body', '-'], '--field'],
    [['POST', '/x', '--field', 'a=1', '--field', 'a=2'], '--field a'],
  ])('refuses %j', async (argv, input) => {
    desk.asked();
    const refused = await desk.run(Api, [...argv, '--json']);
    expect(refused.code).toBe(2);
    expect(JSON.stringify(errorOf(refused))).toContain(input);
    expect(desk.asked()).toEqual([]);
  });

  it('refuses a body on a GET, and a body that is not JSON', async () => {
    for (const [method, text] of [
      ['GET', '{}'],
      ['POST', '{"a":'],
      ['POST', ''],
    ] as const) {
      expect((await desk.run(Api, [method, '/customers', '--body', fileOf(text)])).code).toBe(2);
    }
  });

  it('says what a lost answer means', async () => {
    const server = await httpServer((_seen, response) => response.destroy());
    const env = { PAYDESK_BASE_URL: server.url };
    const lost = await desk.run(Api, ['POST', '/reports', '--json'], { env });
    expect(errorOf(lost)).toMatchObject({ exit: 6 });
    expect(errorOf(lost).message).toContain('paydesk did not send it again');
    expect(server.requests).toHaveLength(1);
    const down = { PAYDESK_BASE_URL: `http://127.0.0.1:${await closedPort()}` };
    expect((await desk.run(Api, ['POST', '/reports'], { env: down })).code).toBe(5);
    expect((await desk.run(Api, ['GET', '/reports'], { env: down })).code).toBe(5);
  });

  it.each([302, 303, 307])(
    'does not take a redirect (%s) for proof that nothing was done',
    async (status) => {
      const server = await httpServer((_seen, response) =>
        response.writeHead(status, { location: '/login' }).end(),
      );
      const env = { PAYDESK_BASE_URL: server.url };
      for (const argv of [
        ['POST', '/reports'],
        ['POST', '/customers', '--field', 'customerId=c9'],
        ['DELETE', '/reports/1'],
      ]) {
        const redirected = await desk.run(Api, [...argv, '--json'], { env });
        expect(errorOf(redirected)).toMatchObject({ exit: 6, code: 'redirected', httpStatus: status });
      }
      expect(server.requests.filter(({ method }) => method !== 'GET')).toHaveLength(3);
      const read = await desk.run(Api, ['GET', '/reports', '--json'], { env });
      expect(errorOf(read)).toMatchObject({ exit: 1, code: 'redirected' });
    },
  );

  it('stops when the service is of the other kind, before anything is changed', async () => {
    await sandbox.call('POST', '/customers', { customerId: 'k1' });
    desk.asked();
    const argv = ['PATCH', '/customers/k1', '--field', 'firstName=X', '--confirm', appId];
    expect((await desk.run(Api, argv, { env: { PAYDESK_KIND: 'live' } })).code).toBe(4);
    expect(desk.asked()).toEqual(['GET /customers/k1']);
  });

  it('shows what it would send', async () => {
    desk.asked();
    const shown = await desk.run(Api, ['PATCH', '/customers/c1', '--field', 'firstName=X', '--dry-run']);
    expect(parsed(shown)).toEqual({
      dryRun: true,
      request: { method: 'PATCH', path: '/customers/c1', body: { firstName: 'X' } },
    });
    expect(desk.asked()).toEqual([]);
  });
});

describe.each(answerVariants.errors)('api with errors in the shape: %s', async (errors) => {
  const desk = await openCustomersDesk({ errors });

  it('ends with the usual codes', async () => {
    expect((await desk.run(Api, ['GET', '/customers/nobody'])).code).toBe(1);
    expect((await desk.run(Api, ['GET', '/nothing/here'])).code).toBe(1);
    expect((await desk.run(Api, ['PUT', '/customers/nobody'])).code).toBe(1);
    expect(
      (await desk.run(Api, ['GET', '/customers'], { env: { PAYDESK_API_KEY: 'sk_wrong_key' } })).code,
    ).toBe(4);
  });
});

describe('api and money', async () => {
  const desk = await openCustomersDesk();
  const { sandbox } = desk;
  const { appId } = sandbox.app;
  const live = { live: true };

  async function captured(of = sandbox.app): Promise<number> {
    const { paymentId } = await sandbox.create({}, { appId: of.appId, key: of.apiKey });
    await sandbox.pay(paymentId);
    return paymentId;
  }

  it('a body is refused with the flag that gave it, and with a description only where there is one', async () => {
    const file = join(temporaryFolder(), 'body.json');
    writeFileSync(file, '{"description":"x"}');
    const capture = await desk.run(Api, ['POST', '/payments/1/capture', '--body', file, '--json']);
    expect(errorOf(capture)).toMatchObject({
      exit: 2,
      details: [{ input: '--body', problem: 'capture has no body' }],
    });
    const refund = await desk.run(Api, ['POST', '/payments/1/refund', '--field', 'description=x', '--json']);
    expect(errorOf(refund).details).toEqual([
      {
        input: '--field',
        problem: 'refund has no body; put a description into the path: ?description=TEXT',
      },
    ]);
  });

  it('moves money as the payments commands do, and prints the same', async () => {
    const id = await captured();
    const refunded = await desk.run(Api, ['POST', `/payments/${id}/refund?description=parcel%20lost`]);
    expect(refunded.code).toBe(0);
    expect(parsed(refunded)).toMatchObject({
      payment: { paymentId: id },
      operation: 'refund',
      before: 'Captured',
      outcome: expect.stringMatching(/^(done|accepted)$/) as unknown,
    });
    expect(await sandbox.books(id)).toMatchObject({ refund: '1/1' });
  });

  it('charges as the payments command does: once, and a decline is no success', async () => {
    await storedMethod(desk, 'api-charged');
    await desk.fault('provider-fails', 'authorize');
    const body = {
      referenceId: 'api-charge',
      amount: 7,
      autoCapture: true,
      customerOrder: { customer: { customerId: 'api-charged' } },
    };
    const argv = ['POST', '/payments/auto-payment', '--body', fileOf(body), '--json'];
    desk.asked();
    const declined = await desk.run(Api, [...argv, '--ticket', 'T-7']);
    const shown = { referenceId: 'api-charge', paymentState: 'Declined' };
    expect(declined).toMatchObject({ code: 3, stderr: expect.stringContaining('failed') as unknown });
    expect(parsed(declined)).toMatchObject(shown);
    const again = await desk.run(Api, argv);
    expect(again.code).toBe(3);
    expect(parsed(again)).toMatchObject(shown);
    expect(desk.asked().filter((line) => line.startsWith('POST'))).toEqual(['POST /payments/auto-payment']);
    const history = parsed(await desk.run(History, ['--json']));
    expect(history).toContainEqual(
      expect.objectContaining({ operation: 'charge', outcome: 'failed', ticket: 'T-7' }),
    );
  });

  it('takes a reference as the commands do, however it is spelled', async () => {
    await storedMethod(desk, 'api-spelled');
    const customerOrder = { customer: { customerId: 'api-spelled' } };
    const body = { referenceId: 'cafe\u0301-1', amount: 7, autoCapture: true, customerOrder };
    desk.asked();
    expect((await desk.run(Api, ['POST', '/payments/auto-payment', '--body', fileOf(body)])).code).toBe(0);
    const sent = desk.asked().filter((line) => line.includes('referenceId'));
    expect(sent).toEqual([`GET /payments/referenceId:${encodeURIComponent('caf\u00E9-1')}`]);
    for (const referenceId of [' x1', '\u200Bx1']) {
      const file = fileOf({ ...body, referenceId });
      const refused = await desk.run(Api, ['POST', '/payments/auto-payment', '--body', file]);
      expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('referenceId') as unknown });
    }
  });

  it('refuses a body that says one thing twice', async () => {
    const file = fileOf('{"referenceId":"twice-1","amount":10,"amount":99}');
    const refused = await desk.run(Api, ['POST', '/payments/auto-payment', '--body', file]);
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('"amount" twice') as unknown });
  });

  it('knows what it has created', async () => {
    const file = fileOf(hostedBody({ referenceId: 'api-known', amount: 8 }));
    const argv = ['POST', '/payments/hosted-page', '--body', file, '--json'];
    expect((await desk.run(Api, argv)).code).toBe(0);
    expect(parsed(await desk.run(History, ['--json']))).toContainEqual(
      expect.objectContaining({ operation: 'create', outcome: 'done', referenceId: 'api-known' }),
    );
    const other = fileOf(hostedBody({ referenceId: 'api-known', amount: 9 }));
    const refused = await desk.run(Api, ['POST', '/payments/hosted-page', '--body', other, '--json']);
    expect(errorOf(refused)).toMatchObject({ exit: 1, code: 'reference-in-use' });
  });

  it('refuses what the state forbids, before it is sent', async () => {
    const id = await captured();
    desk.asked();
    const refused = await desk.run(Api, ['POST', `/payments/${id}/cancel`, '--json']);
    expect(errorOf(refused)).toMatchObject({ exit: 9, next: [`paydesk payments refund ${id}`] });
    expect(desk.asked().filter((line) => line.startsWith('POST'))).toEqual([]);
  });

  it('never sends a lost instruction again', async () => {
    const id = await captured();
    await desk.fault('drop-after-commit', 'refundPayment');
    desk.asked();
    const refunded = await desk.run(Api, ['POST', `payments/${id}/refund`, '--json']);
    expect(refunded.code).toBe(0);
    expect(desk.asked().filter((line) => line.startsWith('POST'))).toHaveLength(1);
    expect(await sandbox.books(id)).toMatchObject({ refund: '1/1' });
  });

  it('shows what it would send', async () => {
    const id = await captured();
    const shown = await desk.run(Api, ['POST', `/payments/${id}/refund`, '--dry-run']);
    expect(parsed(shown)).toMatchObject({ dryRun: true, outcome: 'unsent' });
    expect(await sandbox.books(id)).not.toHaveProperty('refund');
  });

  it('needs --confirm for everything but a GET on a live app', async () => {
    const id = await captured(sandbox.live);
    const body = fileOf(hostedBody({ referenceId: 'live-1' }));
    const requests = [
      ['POST', `/payments/${id}/refund`],
      ['POST', '/payments/hosted-page', '--body', body],
      ['POST', '/customers', '--field', 'customerId="1"'],
      ['PATCH', '/customers/c1', '--field', 'firstName=X'],
      ['DELETE', '/customers/c1/payment-methods/5'],
      ['PUT', '/anything'],
    ];
    for (const argv of requests) {
      for (const confirm of [[], ['--confirm', appId], ['--confirm', '']]) {
        desk.asked();
        expect((await desk.run(Api, [...argv, ...confirm, '--json'], live)).code).toBe(9);
        expect(desk.asked()).toEqual([]);
      }
    }
    expect((await desk.run(Api, ['GET', `/payments/${id}`], live)).code).toBe(0);
    const confirmed = ['--confirm', sandbox.live.appId];
    expect((await desk.run(Api, [...requests[1]!, ...confirmed], live)).code).toBe(0);
    const refunded = await desk.run(Api, [...requests[0]!, ...confirmed], live);
    expect(refunded.code).toBe(0);
    expect(refunded.stderr).toContain(`LIVE  environment (app ${sandbox.live.appId})`);
  });

  it('can be confirmed by a person', async () => {
    const tty = await paydeskTty(['api', 'POST', '/customers', '--field', 'customerId=t1'], {
      env: desk.liveEnv,
    });
    await tty.waitFor('LIVE');
    await tty.waitFor('Type the App ID to confirm:');
    tty.type(sandbox.live.appId);
    tty.press('enter');
    await tty.waitFor('"customerId": "t1"');
    expect(await tty.ended()).toBe(0);
  });

  // Every way to spell a refund so that a guard might overlook it. None may reach the service as typed.
  const disguises = [
    '/payments/ID/%72efund',
    '/payments/ID/REFUND',
    '/Payments/ID/refund',
    '/payments/ID/refund/',
    '/payments/ID/refund/x',
    '/payments/ID/refund?',
    '/payments/ID/refund?force=1',
    '/payments/ID/refund#x',
    '/payments/ID/refund%23',
    '/payments/ID/refund%3F',
    '/payments/ID/refund%20',
    '/payments/ID/refund%00',
    '/payments/ID/refund.json',
    '/payments/ID/refund;v=1',
    '/payments;x/ID/refund',
    '/payments/ID%2Frefund',
    '/payments%2FID%2Frefund',
    '/payments/ID%5Crefund',
    '/payments\\ID\\refund',
    '/payments//ID/refund',
    '//payments/ID/refund',
    '/./payments/ID/refund',
    '/x/../payments/ID/refund',
    '/x/%2e%2e/payments/ID/refund',
    '/x/%252e%252e/payments/ID/refund',
    '/payments/ID/%2572efund',
    '/payments/ID/%25252572efund',
    '/payments/ID/re%C2%ADfund',
    '/payments/ID/%EF%BD%92efund',
    '/payments/0ID/refund',
    '/payments/+ID/refund',
    '/payments/ID.0/refund',
    '/payments/%20ID/refund',
    '/api/apps/OTHER/payments/ID/refund',
    '/API/apps/APP/payments/ID/refund',
    'api/apps/OTHER/payments/ID/refund',
    '/%61pi/apps/OTHER/payments/ID/refund',
    'https://evil.example/payments/ID/refund',
    '//evil.example/payments/ID/refund',
    'URL/api/apps/APP/payments/ID/refund',
    '/payments/ID/refund\n',
    ' /payments/ID/refund',
    '/%20/payments/ID/refund',
    '/payments/ID/%20refund',
  ];

  it.each(disguises)('is not fooled by %j', async (disguise) => {
    const id = await captured(sandbox.live);
    const path = disguise
      .replace('ID', String(id))
      .replace('APP', sandbox.live.appId)
      .replace('OTHER', appId)
      .replace('URL', sandbox.url);
    for (const method of ['POST', 'post', 'PUT', 'PATCH', 'DELETE']) {
      desk.asked();
      const plain = await desk.run(Api, [method, path, '--json'], live);
      expect([2, 9]).toContain(plain.code);
      expect(desk.asked()).toEqual([]);
    }
    // Confirmed, it is either refused as typed or done with all the care of a refund.
    const server = await httpServer((seen, response) => {
      const payment = {
        paymentId: id,
        paymentState: 'Cancelled',
        amount: 1,
        currency: 'EUR',
        appId: sandbox.live.appId,
      };
      return seen.method === 'GET' ? json(response, 200, payment) : json(response, 200, {});
    });
    const argv = ['POST', path, '--confirm', sandbox.live.appId, '--json'];
    const confirmed = await desk.run(Api, argv, { ...live, env: { PAYDESK_BASE_URL: server.url } });
    expect([2, 9]).toContain(confirmed.code);
    expect(server.requests.filter(({ method }) => method !== 'GET')).toEqual([]);
  });

  it.each(['GET', 'PUT', 'PATCH', 'DELETE'])(
    'does not send %s to the path of a money verb',
    async (method) => {
      for (const verb of ['capture', 'cancel', 'refund', 'unhold', 'Refund', 'refund.json']) {
        desk.asked();
        expect((await desk.run(Api, [method, `/payments/5/${verb}`])).code).toBe(2);
        expect(desk.asked()).toEqual([]);
      }
      const paths = [
        '/payments',
        '/payments/hosted-page',
        '/PAYMENTS/auto-payment',
        '/payments/provider-hosted-page.json',
      ];
      if (method === 'GET') return;
      for (const path of paths) expect((await desk.run(Api, [method, path])).code).toBe(2);
    },
  );

  it('takes no body where a verb has none', async () => {
    const id = await captured();
    for (const more of [
      ['--field', 'amount=1'],
      ['--body', fileOf({ amount: 1 })],
    ]) {
      expect((await desk.run(Api, ['POST', `/payments/${id}/refund`, ...more])).code).toBe(2);
    }
    expect((await desk.run(Api, ['POST', `/payments/${id}/capture?description=x`])).code).toBe(2);
  });
});
