import { connect } from 'node:net';
import { once } from 'node:events';
import { describe, expect, test } from 'vitest';
import { startSandbox } from '../../../src/sandbox/sandbox.js';
import { hostedBody, newReference, startTestSandbox, type TestSandbox } from '../../helpers/sandbox.js';
import { onEveryStore } from './stores.js';

// What comes in from outside and must not: names of other hosts, links that are spelled differently, texts that deceive,
// and documents that the API would not have let in.

/** A request as it is, byte by byte: no library puts its path or its Host in order. */
async function raw(url: string, lines: string[], body = ''): Promise<string> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  const head = [...lines, 'connection: close', `content-length: ${Buffer.byteLength(body)}`];
  socket.write(`${head.join('\r\n')}\r\n\r\n${body}`);
  let text = '';
  socket.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
  await once(socket, 'close');
  return text;
}

const statusOf = (answer: string) => Number(answer.slice(9, 12));

onEveryStore((bench) => {
  describe('the Host header', () => {
    const sandbox = bench.shared();
    const paths = (): string[] => [
      '/openapi.json',
      '/healthz',
      `/api/apps/${sandbox().app.appId}/customers`,
      '/_sandbox/status',
      '/console',
      '/checkout/100001-abc',
      '/nothing',
    ];

    test.each([
      'evil.example',
      'evil.example:4010',
      '127.0.0.1.evil.example',
      'user@127.0.0.1',
      '0x7f.1',
      '192.168.1.7:4010',
      '',
    ])('%j is refused before anything is looked at', async (host) => {
      for (const path of paths()) {
        const answer = await raw(sandbox().url, [
          `GET ${path} HTTP/1.1`,
          `host: ${host}`,
          `authorization: Bearer ${sandbox().app.apiKey}`,
        ]);
        expect({ path, status: statusOf(answer) }).toEqual({ path, status: 403 });
        expect(answer).not.toContain(sandbox().app.appId);
      }
    });

    test.each([
      ['another name in the request line', 'GET http://evil.example/openapi.json HTTP/1.1', ['127.0.0.1']],
      ['two Host headers', 'GET /openapi.json HTTP/1.1', ['127.0.0.1', 'evil.example']],
    ])('%s is refused', async (_, line, hosts) => {
      const answer = await raw(sandbox().url, [line, ...hosts.map((host) => `host: ${host}`)]);
      expect(statusOf(answer)).toBe(403);
    });

    test('a name that is not its own creates nothing either', async () => {
      const body = JSON.stringify(hostedBody());
      const lines = (host: string) => [
        `POST /api/apps/${sandbox().app.appId}/payments/hosted-page HTTP/1.1`,
        `host: ${host}`,
        `authorization: Bearer ${sandbox().app.apiKey}`,
        'content-type: application/json',
      ];
      expect(statusOf(await raw(sandbox().url, lines('evil.example'), body))).toBe(403);
      expect(statusOf(await raw(sandbox().url, lines('LOCALHOST:1'), body))).toBe(201);
    });
  });

  describe('a checkout link', () => {
    const sandbox = bench.shared();

    test('has one spelling, and no spelling of it is in the log', async () => {
      const own = await bench.start();
      const { redirectUrl } = await own.create();
      const link = new URL(redirectUrl).pathname;
      const proof = link.split('-').at(-1) as string;
      const encoded = (text: string) =>
        Array.from(text, (character) => `%${character.charCodeAt(0).toString(16)}`).join('');
      const spellings = [
        link.replace(proof, encoded(proof)),
        link.replace(proof, encoded(encoded(proof))),
        link.replace('-', '%2d'),
        link.replace('/checkout/', '/checkout/0'),
        link.replace('/checkout/', '//checkout//'),
        link.replace('/checkout/', '/checkout/./'),
        link.replace('/checkout/', '/x/../checkout/'),
        link.replace('/checkout/', '/%63heckout/'),
        link.replace('/checkout/', '/CHECKOUT/'),
        link.replace(proof, proof.toUpperCase()),
        `/api/apps/..%2f..${link}`,
        `/nothing?next=${link}`,
        `${link}/`,
        `${link}#${proof}`,
      ];
      for (const path of spellings) {
        const answer = await raw(own.url, [`GET ${path} HTTP/1.1`, 'host: 127.0.0.1']);
        expect({ path, status: statusOf(answer) }).toEqual({
          path,
          status: path.startsWith('/api') ? 401 : 404,
        });
      }
      expect(statusOf(await raw(own.url, [`GET ${link} HTTP/1.1`, 'host: 127.0.0.1']))).toBe(200);
      const log = JSON.stringify(own.lines).toLowerCase();
      expect(log).not.toContain(proof);
      expect(decodeURIComponent(decodeURIComponent(log))).not.toContain(proof);
      expect(log).toContain('/checkout/100001-…');
    });

    test('and a panel link and the console’s token are not in the log either', async () => {
      const own = await bench.start();
      await own.create();
      const { body } = await own.call<{ url: string }>('GET', '/customers/c1/panel-link');
      const secret = body.url.split('.').at(-1) as string;
      for (const path of [new URL(body.url).pathname, `/%70anel/${new URL(body.url).pathname.slice(7)}`])
        await raw(own.url, [`GET ${path} HTTP/1.1`, 'host: 127.0.0.1']);
      await raw(own.url, [`GET /console?%74oken=${own.controlToken} HTTP/1.1`, 'host: 127.0.0.1']);
      const log = JSON.stringify(own.lines);
      expect(log).not.toContain(secret);
      expect(log).not.toContain(own.controlToken);
      expect(sandbox().url).not.toBe(own.url);
    });
  });

  describe('a reference', () => {
    const sandbox = bench.shared();
    const createWith = (fields: Record<string, unknown>) =>
      sandbox().call('POST', '/payments/hosted-page', hostedBody(fields));

    test.each([
      ['a control character', 'a\u0007b'],
      ['a zero-width space', 'a\u200Bb'],
      ['a zero-width joiner', 'a\u200Db'],
      ['a byte order mark', 'a\uFEFFb'],
      ['a soft hyphen', 'a\u00ADb'],
      ['a right-to-left override', 'a\u202Eb'],
      ['an isolate', 'a\u2066b'],
      ['a line separator', 'a\u2028b'],
      ['a letter that is blank', 'a\u3164b'],
      ['a variation selector', 'a\uFE0Fb'],
    ])('with %s is refused', async (_, text) => {
      for (const fields of [{ referenceId: text }, { customerOrder: { customer: { customerId: text } } }]) {
        const { status, body } = await createWith(fields);
        expect(status).toBe(400);
        expect(JSON.stringify(body)).toContain('must not contain control or invisible characters');
      }
    });

    test('is one, however its accents are typed', async () => {
      const [composed, taken] = ['caf\u00e9', 'cafe\u0301'].map((text) => `${text}-${newReference()}`) as [
        string,
        string,
      ];
      const own = taken.replace(/-.*/, composed.slice(4));
      const fields = { customerOrder: { customer: { customerId: `${own}-customer` } } };
      const first = await createWith({ referenceId: own, ...fields });
      expect(first.body).toMatchObject({ referenceId: composed, customerId: `${composed}-customer` });
      const again = await createWith({ referenceId: composed, ...fields });
      expect([again.status, again.body.paymentId]).toEqual([200, first.body.paymentId]);
      for (const text of [own, composed]) {
        const { body } = await sandbox().call('GET', `/payments/referenceId:${encodeURIComponent(text)}`);
        expect(body.paymentId).toBe(first.body.paymentId);
        const customer = await sandbox().call('GET', `/customers/${encodeURIComponent(`${text}-customer`)}`);
        expect(customer.status).toBe(200);
      }
    });

    test('is not given twice in one body', async () => {
      for (const [key, again] of [
        ['referenceId', '"referenceId"'],
        ['amount', '"\\u0061mount"'],
      ] as const) {
        const body = JSON.stringify(hostedBody());
        const { status, text } = await sandbox().call('POST', '/payments/hosted-page', undefined, {
          raw: `${body.slice(0, -1)},${again}:1}`,
        });
        expect(status).toBe(400);
        expect(text).toContain(`The body has the key \\"${key}\\" twice.`);
      }
      const nested = JSON.stringify(hostedBody()).replace('"customerId"', '"customerId":"x","customerId"');
      const answer = await sandbox().call('POST', '/payments/hosted-page', undefined, { raw: nested });
      expect(answer.status).toBe(400);
    });

    test('may be the same text in two objects of one body', async () => {
      const referenceId = newReference();
      const item = { name: '{"a":1,"a":2}', amount: 1, quantity: 1, category: 'DigitalGoods' };
      const { status } = await createWith({
        referenceId,
        customerOrder: { customer: { customerId: referenceId }, amount: { items: [item, item] } },
      });
      expect(status).toBe(201);
    });

    test.each([
      'http:thanks',
      'http:/thanks',
      'http:///thanks',
      'https:\\\\shop.example',
      'http://a\\@b/',
      '//x/y',
    ])('an address %j is not absolute', async (returnUrl) => {
      const { status, body } = await createWith({ returnUrl });
      expect(status).toBe(400);
      expect(JSON.stringify(body)).toContain('must be an absolute http or https address');
    });

    test.each(['http://user@127.0.0.1:9/', 'https://:secret@shop.example/'])(
      'an address %j has a user or a password, which nobody would send',
      async (webhookUrl) => {
        const { status, body } = await createWith({ webhookUrl });
        expect(status).toBe(400);
        expect(JSON.stringify(body)).toContain('must not have a user name or a password in it');
      },
    );

    test('a part of an order is zero or more', async () => {
      const order = (shipping: number) => ({
        customerOrder: { customer: { customerId: 'c1' }, amount: { total: 10.5, shipping } },
      });
      expect((await createWith(order(0))).status).toBe(201);
      expect(JSON.stringify((await createWith(order(-1))).body)).toContain('must not be negative');
    });
  });

  describe('an import', () => {
    interface Document {
      tables: Record<string, Array<Record<string, unknown>>>;
    }

    async function seeded(): Promise<{ own: TestSandbox; text: string }> {
      const own = await bench.start();
      await own.control('POST', '/seed');
      await own.control('POST', '/faults', { kind: 'latency', next: 2, delayMs: 5 });
      await own.create({ webhookUrl: 'http://127.0.0.1:9/hook' });
      await own.settle();
      // Nothing becomes due any more, such as the webhook that did not arrive.
      await own.control('POST', '/clock', { action: 'stop' });
      return { own, text: (await own.control('GET', '/export')).text };
    }

    test('takes every document that an export wrote', async () => {
      const { own, text } = await seeded();
      expect((await own.control('POST', '/import', undefined, { raw: text })).status).toBe(200);
      expect((await own.control('GET', '/export')).text).toBe(text);
    });

    test('takes a document of a sandbox that kept nothing for stale reads', async () => {
      const { own, text } = await seeded();
      const document = JSON.parse(text) as Document;
      for (const row of document.tables['payments'] ?? []) delete row['before_change'];
      const raw = JSON.stringify(document);
      expect((await own.control('POST', '/import', undefined, { raw })).status).toBe(200);
    });

    test('refuses what the API would not take, and changes nothing', async () => {
      const { own, text } = await seeded();
      const wrong: Array<[table: string, column: string, value: unknown]> = [
        ['payments', 'return_url', 'javascript:alert(1)'],
        ['payments', 'webhook_url', 'file:///etc/passwd'],
        ['payments', 'reference_id', 'a\u202Eb'],
        ['payments', 'customer_id', 'cafe\u0301'],
        ['payments', 'amount', '-1'],
        ['payments', 'captured_amount', '1e9'],
        ['payments', 'captured_amount', '99999.00'],
        ['payments', 'payment_id', 2 ** 53 - 1],
        ['payments', 'payment_id', -5],
        ['payments', 'app_id', 'zz'],
        ['customers', 'app_id', 'zz'],
        ['events', 'payment_id', 7],
        ['payments', 'currency', 'XXY'],
        ['payments', 'state', 'Paid'],
        ['payments', 'flow', 'constructor'],
        ['payments', 'card', '4242424242424242'],
        ['payments', 'request', '{"customerOrder":{}}'],
        ['payments', 'payer', '{"name":"4242 4242 4242 4242"}'],
        ['payments', 'before_change', '{"state":"Paid"}'],
        ['payments', 'before_change', '{"amount":"1"}'],
        ['payments', 'before_change', '{"pay_info":"{"}'],
        ['customers', 'email', 'nobody'],
        ['customers', 'customer_id', ''],
        ['customers', 'mobile_number', '0'.repeat(1001)],
        ['apps', 'webhook_url', 'javascript:alert(1)'],
        ['apps', 'is_blocked', 7],
        ['methods', 'card', 'gold'],
        ['provider_profiles', 'method_type', 'Cash'],
        ['provider_profiles', 'delay_ms', -1],
        ['fraud_policies', 'rule', 'never'],
        ['events', 'url', 'http:thanks'],
        ['events', 'to_state', 'Paid'],
        ['faults', 'kind', 'fire'],
        ['faults', 'route', 'nowhere'],
        ['faults', 'options', '{"status":200}'],
      ];
      for (const [table, column, value] of wrong) {
        const document = JSON.parse(text) as Document;
        const row = document.tables[table]?.[0];
        if (!row) throw new Error(`no row in ${table}`);
        row[column] = value;
        const answer = await own.control('POST', '/import', undefined, { raw: JSON.stringify(document) });
        expect({ table, column, status: answer.status }).toEqual({ table, column, status: 400 });
        expect(answer.text).toContain(`tables.${table}.0.`);
      }
      const withoutApps = { ...(JSON.parse(text) as Document) };
      withoutApps.tables['apps'] = [];
      const raw = JSON.stringify(withoutApps);
      expect((await own.control('POST', '/import', undefined, { raw })).status).toBe(400);
      const doubled = text.replace('"tables":{', '"tables":{"jobs":[],');
      expect((await own.control('POST', '/import', undefined, { raw: doubled })).status).toBe(400);
      expect((await own.control('GET', '/export')).text).toBe(text);
    });
  });
});

test('with a seed, a sandbox that others could reach does not start', async () => {
  await expect(
    startSandbox({ location: ':memory:', seed: 7, host: '0.0.0.0', allowRemote: true }),
  ).rejects.toThrow('this machine alone');
  const own = await startTestSandbox({ seed: 7, host: '127.0.0.1' });
  await own.close();
});
