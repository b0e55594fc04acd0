import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { hostedBody, newReference, type TestSandbox } from '../../helpers/sandbox.js';
import { onEveryStore } from './stores.js';

const HOSTED = '/payments/hosted-page';
const MEBIBYTE = 1024 * 1024;

/** A valid body that has exactly this many bytes. */
function bodyOfSize(size: number): string {
  const body = JSON.stringify(hostedBody());
  return `${body.slice(0, -1)}${' '.repeat(size - body.length)}}`;
}

async function* inChunks(text: string): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(text);
  for (let start = 0; start < bytes.length; start += 65_536) yield bytes.subarray(start, start + 65_536);
}

/** Speaks HTTP by hand and returns all that comes back before the connection ends. */
function bySocket({ url }: TestSandbox, text: string): Promise<string> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => socket.write(text));
    let answer = '';
    socket.on('data', (chunk) => (answer += chunk.toString('latin1')));
    socket.on('close', () => resolve(answer));
    socket.on('error', reject);
  });
}

onEveryStore((bench) => {
  const sandbox = bench.shared();
  const hosted = (body: unknown) => sandbox().call('POST', HOSTED, body);
  const raw = (text: string | Uint8Array, headers = {}) =>
    sandbox().call('POST', HOSTED, undefined, { raw: text, headers });

  describe('authentication', () => {
    test.each([
      ['Basic abc'],
      ['Bearer'],
      ['Bearer '],
      ['bearer KEY'],
      ['Bearer  KEY'],
      ['BearerKEY'],
      ['Bearer KEY extra'],
      ['KEY'],
      [''],
    ])('a header "%s" is malformed', async (text) => {
      const authorization = text.replace('KEY', sandbox().app.apiKey);
      const { status, body } = await sandbox().call('GET', '/customers', undefined, {
        key: null,
        headers: { authorization },
      });
      expect({ status, code: body.code }).toEqual({ status: 401, code: 'malformed-authorization' });
    });

    test('every 401 names the scheme, and nothing else does', async () => {
      for (const key of [null, 'wrong', 'two words']) {
        for (const answer of [
          await sandbox().call('GET', '/customers', undefined, { key }),
          await sandbox().control('GET', '/apps', undefined, { key }),
        ]) {
          expect(answer).toMatchObject({ status: 401, headers: { 'www-authenticate': 'Bearer' } });
        }
      }
      const { status, headers } = await sandbox().call('GET', '/customers', undefined, { appId: 'other' });
      expect({ status, scheme: headers['www-authenticate'] }).toEqual({ status: 403, scheme: undefined });
    });

    test('an unknown key is 401, a key of another app is 403, and neither says what is there', async () => {
      const { paymentId } = await sandbox().create();
      for (const path of ['/customers', `/payments/${paymentId}`, '/nowhere']) {
        const unknown = await sandbox().call('GET', path, undefined, { key: 'sk_nobody' });
        expect({ status: unknown.status, code: unknown.body.code }).toEqual({
          status: 401,
          code: 'unknown-key',
        });
        const other = await sandbox().call('GET', path, undefined, { key: sandbox().live.apiKey });
        expect({ status: other.status, code: other.body.code }).toEqual({ status: 403, code: 'wrong-app' });
      }
    });

    test('a key opens its own app alone: the payment of one is not found in the other', async () => {
      const { paymentId, referenceId } = await sandbox().create();
      const { live } = sandbox();
      for (const path of [`/payments/${paymentId}`, `/payments/referenceId:${referenceId}`]) {
        const { status } = await sandbox().call('GET', path, undefined, {
          appId: live.appId,
          key: live.apiKey,
        });
        expect(status).toBe(404);
      }
      const capture = await sandbox().call('POST', `/payments/${paymentId}/capture`, undefined, {
        appId: live.appId,
        key: live.apiKey,
      });
      expect(capture.status).toBe(404);
    });

    test('an app that does not exist is refused like one that is not ours', async () => {
      const { status, body } = await sandbox().call('GET', '/customers', undefined, { appId: 'app_nowhere' });
      expect({ status, code: body.code }).toEqual({ status: 403, code: 'wrong-app' });
    });

    test('a blocked app is refused, and works again once it is not', async () => {
      const { live, control, call } = sandbox();
      const asLive = { appId: live.appId, key: live.apiKey };
      await control('PATCH', `/apps/${live.appId}`, { isBlocked: true });
      const { status, body } = await call('GET', '/customers', undefined, asLive);
      expect({ status, code: body.code }).toEqual({ status: 403, code: 'app-blocked' });
      await control('PATCH', `/apps/${live.appId}`, { isBlocked: false });
      expect((await call('GET', '/customers', undefined, asLive)).status).toBe(200);
    });

    test('comes before everything else: path, method, body', async () => {
      for (const [method, path] of [
        ['GET', '/nowhere'],
        ['PUT', '/payments'],
        ['POST', '/payments'],
        ['GET', ''],
        ['GET', '/payments/%ZZ'],
      ] as const) {
        const { status, body } = await sandbox().call(method, path, undefined, { key: null });
        expect({ path, status, code: body.code }).toEqual({
          path,
          status: 401,
          code: 'missing-authorization',
        });
      }
    });
  });

  describe('paths and methods', () => {
    test.each([
      ['PUT', '/payments', 'POST'],
      ['DELETE', '/payments/1', 'GET'],
      ['GET', '/payments/1/capture', 'POST'],
      ['POST', '/customers/x', 'GET, PATCH'],
      ['PATCH', '/customers', 'POST, GET'],
      ['GET', '/customers/x/payment-methods/1', 'DELETE'],
      ['GET', '/customers/x/auto-payments/1', 'DELETE'],
    ])('%s %s is not allowed, and Allow says what is', async (method, path, allow) => {
      const { status, body, headers } = await sandbox().call(method, path);
      expect({ status, code: body.code }).toEqual({ status: 405, code: 'method-not-allowed' });
      expect(headers.allow).toBe(allow);
    });

    test.each([
      '/nowhere',
      '',
      '/',
      '/payments/',
      '//payments',
      '/payments/1/void',
      '/payments/abc',
      '/payments/1.5',
      '/payments/-1',
      '/payments/0x10',
      '/payments/99999999999999999999',
      '/payments/%ZZ',
      '/payments/referenceId:',
      '/payments/referenceId:%E0%A4%A',
      '/payments/referenceId:nobody',
      '/payments/referenceId:%00',
      '/customers/%00',
      '/customers/%ff',
      '/customers/nobody',
      '/customers/nobody/payment-methods',
      '/customers/nobody/panel-link',
    ])('GET %s is not found', async (path) => {
      const whole = `//api/apps/${sandbox().app.appId}${path}`;
      const { status, body, headers } = await sandbox().call('GET', whole);
      expect({ status, code: body.code }).toEqual({ status: 404, code: 'not-found' });
      expect(headers['content-type']).toBe('application/problem+json');
    });

    test('a path outside the service is not found either', async () => {
      for (const path of ['/', '/api', '/api/apps', '/favicon.ico']) {
        const { status, body } = await sandbox().call('GET', `/${path}`, undefined, { key: null });
        expect({ path, status, code: body.code }).toEqual({ path, status: 404, code: 'not-found' });
      }
    });
  });

  describe('bodies', () => {
    test('of 1 MiB are taken, one byte more is not', async () => {
      expect((await raw(bodyOfSize(MEBIBYTE))).status).toBe(201);
      const { status, body } = await raw(bodyOfSize(MEBIBYTE + 1));
      expect({ status, code: body.code }).toEqual({ status: 413, code: 'body-too-large' });
    });

    /** The first lines of a create that a test writes to a socket itself. */
    const createHead = (...more: string[]) =>
      [
        `POST /api/apps/${sandbox().app.appId}${HOSTED} HTTP/1.1`,
        'host: 127.0.0.1',
        `authorization: Bearer ${sandbox().app.apiKey}`,
        'content-type: application/json',
        ...more,
      ].join('\r\n');

    test('the limit holds without a content-length too', async () => {
      const small = await sandbox().call('POST', HOSTED, undefined, { raw: inChunks(bodyOfSize(MEBIBYTE)) });
      expect(small.status).toBe(201);
      const large = bodyOfSize(MEBIBYTE + 1);
      const head = createHead('transfer-encoding: chunked', 'connection: close');
      const chunk = `${large.length.toString(16)}\r\n${large}\r\n0\r\n\r\n`;
      expect(await bySocket(sandbox(), `${head}\r\n\r\n${chunk}`)).toMatch(
        /^HTTP\/1\.1 413 [^]*body-too-large/,
      );
    });

    test('that are not there, without a length, are answered at once', async () => {
      const create = await bySocket(sandbox(), `${createHead('connection: close')}\r\n\r\n`);
      expect(create).toMatch(/^HTTP\/1\.1 400 [^]*invalid-json/);
      const { paymentId } = await sandbox().create();
      const cancel = createHead('connection: close').replace(HOSTED, `/payments/${paymentId}/cancel`);
      expect(await bySocket(sandbox(), `${cancel}\r\n\r\n`)).toMatch(/^HTTP\/1\.1 200 /);
      const control = [
        'POST /_sandbox/reset HTTP/1.1',
        'host: 127.0.0.1',
        `authorization: Bearer ${sandbox().controlToken}`,
        'connection: close',
      ].join('\r\n');
      expect(await bySocket(sandbox(), `${control}\r\n\r\n`)).toMatch(/^HTTP\/1\.1 200 /);
    });

    test('no connection is closed for being idle: a request on its way would be lost with it', async () => {
      const { headers } = await fetch(`${sandbox().url}/healthz`);
      expect(headers.get('connection')).toBe('keep-alive');
      // It would say after how many seconds.
      expect(headers.get('keep-alive')).toBeNull();
    });

    test.each([
      ['while it is read', 0],
      ['before it is read', 300],
    ])('whose connection ends %s end their request', async (_when, delayMs) => {
      await sandbox().control('POST', '/faults', {
        kind: 'latency',
        route: 'createHostedPayment',
        next: 1,
        delayMs,
      });
      const dropped = () => sandbox().lines.filter(({ status }) => status === 0).length;
      const before = dropped();
      const { hostname, port } = new URL(sandbox().url);
      const head = createHead('content-length: 100');
      const socket = connect(Number(port), hostname);
      socket.write(`${head}\r\n\r\n{`, () => socket.destroy());
      await expect.poll(dropped).toBe(before + 1);
    });

    test.each(['text/plain', 'application/x-www-form-urlencoded', 'application/jsonx', ''])(
      'of type "%s" are refused',
      async (type) => {
        const { status, body } = await raw(JSON.stringify(hostedBody()), { 'content-type': type });
        expect({ status, code: body.code }).toEqual({ status: 415, code: 'unsupported-media-type' });
      },
    );

    test('of application/json with a charset are taken', async () => {
      const headers = { 'content-type': 'Application/JSON; charset=UTF-8' };
      expect((await raw(JSON.stringify(hostedBody()), headers)).status).toBe(201);
    });

    const json = 'application/json';
    const readable = [
      { 'content-type': `${json};charset="Utf-8"` },
      { 'content-type': `${json}; profile="a; charset=b"; CharSet=utf-8 ; v=1` },
      { 'content-type': json, 'content-encoding': 'identity' },
      { 'content-type': json, 'content-encoding': 'Identity, identity' },
      { 'content-type': json, 'content-encoding': '' },
    ];
    const unreadable = [
      [
        { 'content-type': `${json}; charset=utf-16` },
        'Send the body in UTF-8: the sandbox does not take charset=utf-16.',
      ],
      [
        { 'content-type': `${json}; v=1;CHARSET="ISO-8859-1"` },
        'Send the body in UTF-8: the sandbox does not take charset=ISO-8859-1.',
      ],
      [
        { 'content-type': json, 'content-encoding': 'gzip' },
        'Send the body as it is: the sandbox does not take Content-Encoding gzip.',
      ],
      [
        { 'content-type': json, 'content-encoding': 'identity, br' },
        'Send the body as it is: the sandbox does not take Content-Encoding identity, br.',
      ],
    ] as const;

    test.each(readable)('with the headers %o are taken', async (headers) => {
      expect((await raw(JSON.stringify(hostedBody()), headers)).status).toBe(201);
    });

    test.each(unreadable)('with the headers %o are refused', async (headers, detail) => {
      const refused = { status: 415, body: { code: 'unsupported-media-type', detail } };
      const text = JSON.stringify(hostedBody());
      const accepted = 'content-encoding' in headers ? 'identity' : undefined;
      for (const body of [text, gzipSync(text)]) {
        const answer = await raw(body, headers);
        expect(answer).toMatchObject(refused);
        expect(answer.headers['accept-encoding']).toBe(accepted);
      }
      const { paymentId } = await sandbox().create();
      const cancel = `/payments/${paymentId}/cancel`;
      expect(await sandbox().call('POST', cancel, undefined, { raw: '{}', headers })).toMatchObject(refused);
      const app = { raw: '{"friendlyName":"Another shop"}', headers };
      expect(await sandbox().control('POST', '/apps', undefined, app)).toMatchObject(refused);
    });

    test('with these headers are not looked at where nothing is read of them', async () => {
      for (const [headers] of unreadable) {
        expect((await sandbox().call('GET', '/customers', undefined, { headers })).status).toBe(200);
        expect((await sandbox().control('GET', '/apps', undefined, { headers })).status).toBe(200);
      }
    });

    test.each([
      ['nothing', ''],
      ['half an object', '{"amount": 1'],
      ['two objects', '{}{}'],
      ['single quotes', "{'a': 1}"],
      ['NaN', '{"amount": NaN}'],
      ['a leading zero', '{"amount": 010}'],
      ['a raw line break in a string', '{"a": "b\nc"}'],
      ['100,000 open brackets', '['.repeat(100_000)],
    ])('that are not JSON are refused: %s', async (_name, text) => {
      const { status, body } = await raw(text);
      expect({ status, code: body.code }).toEqual({ status: 400, code: 'invalid-json' });
    });

    test('with bytes that are not UTF-8 are refused, not repaired', async () => {
      const [before, after] = JSON.stringify(hostedBody({ referenceId: 'CUT' })).split('CUT') as [
        string,
        string,
      ];
      const bytes = Buffer.concat([Buffer.from(before), Buffer.from([0x61, 0xff, 0xfe]), Buffer.from(after)]);
      const { status, body } = await raw(bytes);
      expect({ status, code: body.code }).toEqual({ status: 400, code: 'invalid-json' });
    });

    test.each([['null'], ['[]'], ['"text"'], ['12'], ['true']])(
      'that are JSON but no object are refused: %s',
      async (text) => {
        const { status, body } = await raw(text);
        expect({ status, body }).toMatchObject({
          status: 400,
          body: { code: 'invalid-request', errors: [{ path: '', message: 'must be an object' }] },
        });
      },
    );

    test('nested 10,000 deep are refused without harm', async () => {
      const deep = `${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`;
      const { status } = await raw(`${JSON.stringify(hostedBody()).slice(0, -1)},"extra":${deep}}`);
      expect(status).toBe(400);
      expect(sandbox().errors).toEqual([]);
    });

    test('with __proto__ and its kin have unknown fields, and change nothing', async () => {
      const text = `${JSON.stringify(hostedBody()).slice(0, -1)},"__proto__":{"amount":1},"constructor":{},"toString":1}`;
      const { status, body } = await raw(text);
      expect(status).toBe(400);
      const paths = (body.errors as Array<{ path: string }>).map((error) => error.path);
      expect(paths.toSorted()).toEqual(['__proto__', 'constructor', 'toString']);
      expect(({} as Record<string, unknown>).amount).toBeUndefined();
    });

    test('where a key comes twice are refused: nobody knows which one is meant', async () => {
      const text = JSON.stringify(hostedBody()).replace('"amount":10.5', '"amount":10.10,"amount":20.20');
      const { status, text: answer } = await raw(text);
      expect(status).toBe(400);
      expect(answer).toContain('The body has the key \\"amount\\" twice.');
    });

    test('are not asked for where the service takes none, and may be without fields', async () => {
      for (const [raw, type] of [
        ['', 'application/json'],
        [' ', 'text/plain'],
        ['{}', 'application/json'],
        ['{ }\n', 'application/x-www-form-urlencoded'],
      ] as const) {
        const { paymentId } = await sandbox().create();
        const { status } = await sandbox().call('POST', `/payments/${paymentId}/cancel`, undefined, {
          raw,
          headers: { 'content-type': type },
        });
        expect({ raw, status }).toEqual({ raw, status: 200 });
      }
    });

    test.each(['capture', 'cancel', 'refund', 'unhold', 'recheck'])(
      '%s refuses what it does not know, in the body and in the query, and changes nothing',
      async (operation) => {
        const { paymentId } = await sandbox().create({ autoCapture: operation === 'refund' });
        const before = await sandbox().pay(paymentId, operation === 'unhold' ? 'held' : 'approved');
        const operate = (query: string, body?: unknown, options = {}) =>
          sandbox().call('POST', `/payments/${paymentId}/${operation}${query}`, body, options);
        expect(await operate('?amount=1&foo=2&foo=3', { amount: 1, currency: 'EUR' })).toMatchObject({
          status: 400,
          body: {
            code: 'invalid-request',
            errors: [
              { path: 'amount', message: 'is not a parameter of this request' },
              { path: 'foo', message: 'is not a parameter of this request' },
              { path: 'amount', message: 'is not a field of this request' },
              { path: 'currency', message: 'is not a field of this request' },
            ],
          },
        });
        const named = await operate('', { description: 'broken' });
        expect(named).toMatchObject({
          status: 400,
          body: { detail: 'description is not a field of this request' },
        });
        for (const [raw, code] of [
          ['[]', 'invalid-request'],
          ['null', 'invalid-request'],
          ['{"amount":', 'invalid-json'],
        ] as const) {
          const headers = { 'content-type': 'application/json' };
          expect(await operate('', undefined, { raw, headers })).toMatchObject({
            status: 400,
            body: { code },
          });
        }
        const form = { raw: 'amount=1', headers: { 'content-type': 'application/x-www-form-urlencoded' } };
        expect((await operate('', undefined, form)).status).toBe(415);
        expect((await sandbox().read(paymentId)).paymentState).toBe(before.paymentState);
        expect((await operate('')).status).toBe(200);
      },
    );

    test('a refund takes a description in its query', async () => {
      const { paymentId } = await sandbox().create();
      await sandbox().pay(paymentId);
      const { status } = await sandbox().call('POST', `/payments/${paymentId}/refund?description=broken`, {});
      expect(status).toBe(200);
    });
  });

  describe('fields', () => {
    test('that are wrong are all named at once, by their paths', async () => {
      const { status, body } = await hosted({
        referenceId: '',
        amount: '10',
        currency: 'euro',
        returnUrl: 'ftp://x',
        autoCapture: 'yes',
        customerOrder: {
          customer: { email: 'nobody' },
          amount: { items: [{ name: 'a', amount: 1, quantity: 1, category: 'Food' }, {}] },
        },
        webhookUrl: 'not a url',
        registerAutoPayment: 1,
        expirationTime: 'tomorrow',
        paymentProfiles: ['1'],
        checkoutMethods: ['Cash'],
        fraudPolicyId: 1.5,
        surprise: true,
      });
      expect(status).toBe(400);
      expect(body).toMatchObject({ code: 'invalid-request', status: 400, requestId: expect.any(String) });
      const errors = body.errors as Array<{ path: string; message: string }>;
      expect(errors.map((error) => error.path).toSorted()).toEqual([
        'amount',
        'autoCapture',
        'checkoutMethods.0',
        'currency',
        'customerOrder.amount.items.0.category',
        'customerOrder.amount.items.1.amount',
        'customerOrder.amount.items.1.category',
        'customerOrder.amount.items.1.name',
        'customerOrder.amount.items.1.quantity',
        'customerOrder.customer.customerId',
        'customerOrder.customer.email',
        'expirationTime',
        'fraudPolicyId',
        'paymentProfiles.0',
        'referenceId',
        'registerAutoPayment',
        'returnUrl',
        'showPayRecurringInCheckout',
        'surprise',
        'webhookUrl',
      ]);
    });

    test('that name something the app does not have are all named at once, with the others', async () => {
      const wrong = {
        currency: 'XXX',
        fraudPolicyId: 987,
        paymentProfiles: [1, 988, 6],
        expirationTime: '2001-01-01T00:00:00Z',
      };
      const paths = async (fields: object) => {
        const { status, body } = await hosted(hostedBody({ ...wrong, ...fields }));
        expect(status).toBe(400);
        return (body.errors as Array<{ path: string }>).map((error) => error.path).toSorted();
      };
      const all = ['currency', 'expirationTime', 'fraudPolicyId', 'paymentProfiles.1', 'paymentProfiles.2'];
      expect(await paths({})).toEqual(all);
      expect(await paths({ amount: 0 })).toEqual(['amount', ...all]);
    });

    test.each([
      ['hosted-page', 'POST', HOSTED],
      ['plain', 'POST', '/payments'],
      ['provider-hosted-page', 'POST', '/payments/provider-hosted-page'],
      ['auto-payment', 'POST', '/payments/auto-payment'],
      ['customer', 'POST', '/customers'],
    ])('that %s needs are each asked for when nothing is given', async (name, method, path) => {
      const { body } = await sandbox().call(method, path, {});
      const required: Record<string, string[]> = {
        plain: ['amount', 'autoCapture', 'currency', 'customerOrder', 'referenceId'],
        'hosted-page': [
          'amount',
          'autoCapture',
          'currency',
          'customerOrder',
          'referenceId',
          'returnUrl',
          'showPayRecurringInCheckout',
        ],
        'provider-hosted-page': [
          'amount',
          'autoCapture',
          'currency',
          'customerOrder',
          'paymentProfileId',
          'referenceId',
        ],
        'auto-payment': ['amount', 'autoCapture', 'customerOrder', 'referenceId'],
        customer: ['customerId'],
      };
      const errors = body.errors as Array<{ path: string; message: string }>;
      expect(errors.map((error) => error.path).toSorted()).toEqual(required[name]);
      expect(new Set(errors.map((error) => error.message))).toEqual(new Set(['is required']));
    });

    test.each(['showPayRecurringInCheckout', 'paymentProfiles', 'checkoutMethods', 'expirationTime'])(
      '%s belongs to the checkout and not to a plain payment',
      async (field) => {
        const value = { showPayRecurringInCheckout: true, expirationTime: '2099-01-01T00:00:00Z' }[field] ?? [
          1,
        ];
        const { showPayRecurringInCheckout: _, ...plain } = hostedBody();
        const { status, body } = await sandbox().call('POST', '/payments', { ...plain, [field]: value });
        expect({ status, body }).toMatchObject({ status: 400, body: { errors: [{ path: field }] } });
      },
    );

    test.each([
      ['a control character', 'a\u0007b'],
      ['a NUL', 'a\u0000b'],
      ['a line break', 'a\nb'],
      ['a space at the end', 'a '],
      ['half a surrogate pair', 'a\ud800'],
      ['201 characters', 'a'.repeat(201)],
    ])('a referenceId with %s is refused', async (_name, referenceId) => {
      const { status, body } = await hosted(hostedBody({ referenceId }));
      expect({ status, body }).toMatchObject({ status: 400, body: { errors: [{ path: 'referenceId' }] } });
    });

    test.each([
      ['firstName', 'a\u0000b'],
      ['firstName', 'a\udfff'],
      ['email', 'a\u0000@b.example'],
      ['lastName', 'x'.repeat(1001)],
    ])('a customer whose %s cannot be stored is refused', async (field, value) => {
      const { status, body } = await sandbox().call('POST', '/customers', {
        customerId: newReference(),
        [field]: value,
      });
      expect({ status, body }).toMatchObject({ status: 400, body: { errors: [{ path: field }] } });
    });

    test.each(['.', '..'])('a customerId "%s" is refused: no path can name it', async (customerId) => {
      const { status, body } = await sandbox().call('POST', '/customers', { customerId });
      expect({ status, body }).toMatchObject({ status: 400, body: { errors: [{ path: 'customerId' }] } });
    });

    test.each([
      ' http://127.0.0.1/hook',
      'http://127.0.0.1/\u0000',
      'http://127.0.0.1/a\nb',
      'javascript:alert(1)',
      '/hook',
      'http://',
    ])('a webhookUrl %j is refused', async (webhookUrl) => {
      const { status, body } = await hosted(hostedBody({ webhookUrl }));
      expect({ status, body }).toMatchObject({ status: 400, body: { errors: [{ path: 'webhookUrl' }] } });
    });

    test('text of any language comes back as it was', async () => {
      const customer = { customerId: `Zoë 日本 🧾 ${newReference()}`, firstName: '‮Ünï\tcøde' };
      const created = await sandbox().call('POST', '/customers', customer);
      expect(created.body).toMatchObject(customer);
      const read = await sandbox().call('GET', `/customers/${encodeURIComponent(customer.customerId)}`);
      expect(read.body).toMatchObject(customer);
    });

    test('a refund whose description cannot be stored is refused', async () => {
      const { paymentId } = await sandbox().create();
      await sandbox().pay(paymentId);
      for (const description of ['%00', 'x'.repeat(1001)]) {
        const { status, body } = await sandbox().call(
          'POST',
          `/payments/${paymentId}/refund?description=${description}`,
        );
        expect({ status, body }).toMatchObject({ status: 400, body: { errors: [{ path: 'description' }] } });
      }
      expect((await sandbox().read(paymentId)).paymentState).toBe('Captured');
    });
  });

  describe('amounts', () => {
    test.each([
      ['10.234', /two decimals/],
      ['0.001', /two decimals/],
      ['10.000', /two decimals/],
      ['0', /more than zero/],
      ['0.00', /more than zero/],
      ['-0', /more than zero/],
      ['-5', /more than zero/],
      ['"10.10"', /must be a number/],
      ['null', /must be a number/],
      ['true', /must be a number/],
      ['[10]', /must be a number/],
      ['{}', /must be a number/],
      ['1e3', /must be written out/],
      ['1E-2', /must be written out/],
      ['1e400', /must be written out/],
      ['999999999999', /at most 999999999.99/],
      ['1000000000', /at most 999999999.99/],
      ['9'.repeat(400), /at most 999999999.99/],
    ])('%s is refused', async (amount, message) => {
      const text = JSON.stringify(hostedBody()).replace('"amount":10.5', `"amount":${amount}`);
      const { status, body } = await raw(text);
      expect({ status, body }).toMatchObject({
        status: 400,
        body: { errors: [{ path: 'amount', message: expect.stringMatching(message) }] },
      });
    });

    test.each(['10.10', '20.00', '1', '10.1', '0.01', '0.10', '999999999.99', '123456789.10'])(
      '%s stays as it was written, in every answer and in an export',
      async (amount) => {
        const referenceId = newReference();
        const text = JSON.stringify(hostedBody({ referenceId, autoCapture: false })).replace(
          '"amount":10.5',
          `"amount":${amount}`,
        );
        const created = await raw(text);
        expect(created.text).toContain(`"amount":${amount},`);
        const { paymentId } = created.body as { paymentId: number };
        await sandbox().pay(paymentId);
        const shown = [
          await sandbox().call('POST', `/payments/${paymentId}/capture`),
          await sandbox().call('POST', `/payments/${paymentId}/recheck`),
          await sandbox().call('GET', `/payments/referenceId:${referenceId}`),
        ];
        await sandbox().settle();
        const captured = await sandbox().call('GET', `/payments/${paymentId}`);
        const refunding = await sandbox().call('POST', `/payments/${paymentId}/refund`);
        for (const answer of [...shown, captured, refunding]) {
          expect(answer.status).toBe(200);
          expect(answer.text).toContain(`"amount":${amount},`);
        }
        for (const answer of [captured, refunding]) {
          expect(answer.text).toContain(`"capturedAmount":${amount},`);
        }
        const { text: exported } = await sandbox().control('GET', '/export');
        expect(exported).toContain(`\\"amount\\":${amount},`);
        expect(exported).toContain(`"captured_amount":"${amount}"`);
      },
    );
  });

  test('no request of this file made the sandbox fail', () => {
    expect(sandbox().errors).toEqual([]);
  });
});
