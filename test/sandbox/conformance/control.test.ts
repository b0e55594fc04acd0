import { request as httpRequest } from 'node:http';
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { scenes } from '../../../src/sandbox/seed.js';
import { hostedBody, type ShownPayment, type TestSandbox } from '../../helpers/sandbox.js';
import { inMemory, onEveryStore } from './stores.js';

const DAY = 86_400_000;
const moment = Date.UTC(2026, 10, 1, 12);

/** A request with any Host header. */
function asHost(sandbox: TestSandbox, path: string, headers: Record<string, string>): Promise<number> {
  const { hostname, port } = new URL(sandbox.url);
  return new Promise((resolve, reject) => {
    const sent = httpRequest({ hostname, port, path, headers }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    sent.on('error', reject);
    sent.end();
  });
}

async function exported(sandbox: TestSandbox): Promise<string> {
  const { status, text } = await sandbox.control('GET', '/export');
  expect(status).toBe(200);
  return text;
}

const importing = (sandbox: TestSandbox, text: string) =>
  sandbox.control('POST', '/import', undefined, { raw: text });

/** One payment that was paid. */
async function payOne(sandbox: TestSandbox): Promise<void> {
  await sandbox.control('POST', '/clock', { action: 'stop' });
  await sandbox.pay((await sandbox.create()).paymentId);
}

/** A little of everything, the same each time. */
async function play(sandbox: TestSandbox): Promise<string[]> {
  const seen: string[] = [];
  await sandbox.control('POST', '/clock', { action: 'stop' });
  await sandbox.control('POST', '/seed');
  await sandbox.control('POST', '/faults', { kind: 'provider-fails', route: 'authorize', probability: 0.5 });
  for (let n = 0; n < 8; n++) {
    const { paymentId } = await sandbox.create({
      referenceId: `play-${n}`,
      registerAutoPayment: n % 3 === 0,
    });
    seen.push((await sandbox.pay(paymentId)).paymentState);
  }
  await sandbox.advance(DAY);
  return seen;
}

inMemory((bench) => {
  describe('the control API', () => {
    const sandbox = bench.shared();
    const authorization = () => `Bearer ${sandbox().controlToken}`;

    test('needs its own token', async () => {
      for (const key of [null, 'nonsense', sandbox().app.apiKey, sandbox().controlToken.slice(1)]) {
        const { status } = await sandbox().control('GET', '/status', undefined, { key });
        expect(status).toBe(401);
      }
      expect((await sandbox().control('GET', '/status')).status).toBe(200);
    });

    test('the token is not a key of the service', async () => {
      const { status } = await sandbox().call('GET', '/customers', undefined, {
        key: sandbox().controlToken,
      });
      expect(status).toBe(401);
    });

    test.each([
      'evil.example',
      'evil.example:4010',
      '127.0.0.1.evil.example',
      '192.168.1.7:4010',
      'localhost.evil',
    ])('does not answer to the name %s', async (host) => {
      const headers = { host, authorization: authorization() };
      expect(await asHost(sandbox(), '/_sandbox/status', headers)).toBe(403);
      const token = sandbox().controlToken;
      expect(await asHost(sandbox(), `/console?token=${token}`, { host })).toBe(403);
    });

    test.each(['localhost', '127.0.0.1:9', '[::1]:4010'])('answers to the name %s', async (host) => {
      expect(await asHost(sandbox(), '/_sandbox/status', { host, authorization: authorization() })).toBe(200);
    });

    test.each(['http://evil.example', 'null', 'https://127.0.0.1'])(
      'is closed to pages of %s',
      async (origin) => {
        const { status } = await sandbox().control('POST', '/reset', {}, { headers: { origin } });
        expect(status).toBe(403);
      },
    );

    test('is open to its own pages', async () => {
      const { status } = await sandbox().control('GET', '/status', undefined, {
        headers: { origin: sandbox().url },
      });
      expect(status).toBe(200);
    });

    test('says where it stands', async () => {
      const { body } = await sandbox().control('GET', '/status');
      expect(body).toMatchObject({
        url: sandbox().url,
        pid: process.pid,
        database: ':memory:',
        payments: expect.any(Number),
        customers: expect.any(Number),
        webhooksWaiting: 0,
        webhookHosts: [],
        faults: 0,
        answers: {},
      });
    });

    test.each([
      ['GET', '/nowhere', 404],
      ['GET', '/payments/nobody/story', 404],
      ['GET', '/payments/999/books', 404],
      ['POST', '/payments/999/pay', 404],
      ['PATCH', '/apps/nobody', 404],
      ['DELETE', '/faults/abc', 404],
    ])('%s %s is answered with %d', async (method, path, expected) => {
      const body = method === 'GET' || method === 'DELETE' ? undefined : {};
      const { status } = await sandbox().control(method, path, body);
      expect(status).toBe(expected);
    });

    test('refuses broken JSON and unknown fields', async () => {
      const broken = await sandbox().control('POST', '/clock', undefined, { raw: '{' });
      expect(broken).toMatchObject({ status: 400, body: { code: 'invalid-json' } });
      const unknown = await sandbox().control('POST', '/apps', { friendlyName: 'x', colour: 'red' });
      expect(unknown).toMatchObject({ status: 400, body: { errors: [{ path: 'colour' }] } });
    });

    test.each([
      ['/payments/1/pay', { crd: 'approved' }, 'crd is not a field of this request'],
      ['/payments/1/pay', { saveMethod: 'yes' }, 'saveMethod must be true or false'],
      ['/clock', { action: 'jump' }, 'action must be one of stop, set, advance, resume'],
      ['/clock', { action: 'set', value: 'noon' }, 'value must be a number'],
      ['/clock', {}, 'action is required'],
      ['/clock', [], 'the body must be an object'],
      ['/faults', { kind: 'rate-limit', retryAfterS: -1 }, 'retryAfterS must be at least 0'],
    ])('says in plain words what is wrong: %s %j', async (path, body, detail) => {
      const { status, headers, body: problem } = await sandbox().control('POST', path, body);
      expect({ status, problem }).toMatchObject({
        status: 400,
        problem: { code: 'invalid-request', detail },
      });
      expect(problem['requestId']).toMatch(/^[0-9a-f-]{36}$/);
      expect(headers['x-request-id']).toBe(problem['requestId']);
    });

    test('says in plain words why an export cannot be imported', async () => {
      const text = await exported(sandbox());
      const imported = async (change: (apps: Array<Record<string, unknown>>) => void) => {
        const document = JSON.parse(text) as { tables: { apps: Array<Record<string, unknown>> } };
        change(document.tables.apps);
        return (await sandbox().control('POST', '/import', undefined, { raw: JSON.stringify(document) }))
          .body;
      };
      const why = (problem: string) => ({ detail: `This is not an export of a sandbox: ${problem}.` });
      expect(await imported((apps) => apps.push(apps[0]!))).toMatchObject(
        why('tables.apps has a row that is there twice, or that this version does not know'),
      );
      expect(await imported((apps) => (apps[0]!['nope'] = 1))).toMatchObject(
        why('tables.apps has a row that is there twice, or that this version does not know'),
      );
      const { body } = await sandbox().control('POST', '/import', undefined, { raw: 'hello' });
      expect(body).toMatchObject({ code: 'invalid-json', detail: 'The document is not valid JSON.' });
      const none = await sandbox().control('POST', '/import', undefined, { raw: '{}' });
      expect(none.body['detail']).not.toMatch(/Invalid input|Unrecognized/);
      expect(await exported(sandbox())).toBe(text);
    });

    test('says what is wrong with a policy, a time and a missing token', async () => {
      const policy = { name: 'Large', rule: 'hold-above' };
      const patched = await sandbox().control('PATCH', `/apps/${sandbox().app.appId}`, { policy });
      expect(patched).toMatchObject({
        status: 400,
        body: { errors: [{ path: 'policy.threshold', message: 'is required for hold-above' }] },
      });
      const clock = await sandbox().control('POST', '/clock', { action: 'advance', value: 1.5 });
      expect(clock.body).toMatchObject({
        errors: [{ path: 'value', message: 'must be a whole number of milliseconds' }],
      });
      const closed = await fetch(`${sandbox().url}/_sandbox/status`);
      expect([closed.status, await closed.json()]).toMatchObject([401, { code: 'missing-authorization' }]);
    });

    test('finds a payment by its id, its reference, and either when forced', async () => {
      const { paymentId } = await sandbox().create({ referenceId: '4711' });
      for (const key of [String(paymentId), `id:${paymentId}`, 'ref:4711']) {
        const { body } = await sandbox().control('GET', `/payments/${key}/books`);
        expect(body).toMatchObject({ paymentId });
      }
      const { live } = sandbox();
      await sandbox().create({ referenceId: 'both' });
      await sandbox().create({ referenceId: 'both' }, { appId: live.appId, key: live.apiKey });
      expect((await sandbox().control('GET', '/payments/ref:both/books')).status).toBe(400);
      const one = await sandbox().control('GET', `/payments/ref:both/books?appId=${live.appId}`);
      expect(one.status).toBe(200);
    });
  });

  test('another seed gives other keys and outcomes', async () => {
    const [one, other] = [await bench.start({ seed: 7 }), await bench.start({ seed: 8 })];
    expect(await play(other)).not.toEqual(await play(one));
    expect(other.app.apiKey).not.toBe(one.app.apiKey);
  });

  test('/openapi.json is what the repository has in docs', async () => {
    const sandbox = await bench.start();
    const { body } = await sandbox.call('GET', '//openapi.json', undefined, { key: null });
    const committed = readFileSync(new URL('../../../docs/openapi.json', import.meta.url), 'utf8');
    expect(body).toEqual(JSON.parse(committed));
  });
});

onEveryStore((bench) => {
  describe('apps', () => {
    test('can be added, and have keys, profiles and policies of their own', async () => {
      const sandbox = await bench.start();
      const { status, body: app } = await sandbox.control<TestSandbox['app']>('POST', '/apps', {
        friendlyName: 'Third shop',
        isSandbox: false,
      });
      expect(status).toBe(201);
      expect(app).toMatchObject({ friendlyName: 'Third shop', isSandbox: false, isBlocked: false });
      expect(app.profiles.map((profile) => profile.name)).toEqual(
        sandbox.app.profiles.map((profile) => profile.name),
      );
      const own = { appId: app.appId, key: app.apiKey };
      expect((await sandbox.call('POST', '/payments/hosted-page', hostedBody(), own)).status).toBe(201);
      // Profiles and policies of another app are not known in this one.
      const theirs = { paymentProfiles: [sandbox.app.profiles[0]?.paymentProfileId] };
      const { status: refused } = await sandbox.call(
        'POST',
        '/payments/hosted-page',
        hostedBody(theirs),
        own,
      );
      expect(refused).toBe(400);
      const { body: apps } = await sandbox.control<unknown[]>('GET', '/apps');
      expect(apps).toHaveLength(3);
      const policy = await sandbox.control('PATCH', `/apps/${app.appId}`, { fraudPolicyId: 1 });
      expect(policy).toMatchObject({ status: 400, body: { errors: [{ path: 'fraudPolicyId' }] } });
    });
  });

  describe('seeding', () => {
    test('fills the sandbox app, and a second time adds nothing', async () => {
      const sandbox = await bench.start();
      type Seeded = Array<{ referenceId: string; state: string; about: string; added: boolean }>;
      const { body: first } = await sandbox.control<Seeded>('POST', '/seed');
      expect(first.map(({ referenceId }) => referenceId)).toEqual([...Object.keys(scenes), 'seed-charged']);
      for (const { added, about } of first)
        expect([added, about]).toEqual([true, expect.stringMatching(/\.$/)]);
      for (const [reference, scene] of Object.entries(scenes)) {
        const { body } = await sandbox.call('GET', `/payments/referenceId:${reference}`);
        expect({ reference, state: body.paymentState }).toEqual({ reference, state: scene.ends });
      }
      const { body: again } = await sandbox.control<Seeded>('POST', '/seed');
      expect(again).toEqual(
        first.map((payment) => ({ ...payment, state: expect.any(String), added: false })),
      );
    });

    test('makes stuck payments that recheck brings out', async () => {
      const sandbox = await bench.start();
      await sandbox.control('POST', '/seed');
      const after = async (reference: string) => {
        const { body } = await sandbox.call<ShownPayment>('GET', `/payments/referenceId:${reference}`);
        return (await sandbox.call('POST', `/payments/${body.paymentId}/recheck`)).body;
      };
      expect(await after('stuck-charged')).toMatchObject({ paymentState: 'Captured', changed: true });
      expect(await after('stuck-not-charged')).toMatchObject({ paymentState: 'Failed', changed: true });
      expect(await after('stuck-capture-failed')).toMatchObject({
        paymentState: 'Authorised',
        changed: true,
      });
      expect(await after('stuck-refund-failed')).toMatchObject({ paymentState: 'Captured', changed: true });
    });

    test('that something stands in the way of is refused with the reason, and leaves nothing behind', async () => {
      const sandbox = await bench.start();
      const block = sandbox.app.fraudPolicies.find((policy) => policy.rule === 'block')?.fraudPolicyId;
      await sandbox.control('PATCH', `/apps/${sandbox.app.appId}`, { fraudPolicyId: block });
      const before = await exported(sandbox);
      const { status, body } = await sandbox.control('POST', '/seed');
      expect({ status, body }).toMatchObject({
        status: 422,
        body: { detail: expect.stringContaining('seed-action-required') },
      });
      expect(await exported(sandbox)).toBe(before);
    });
  });

  describe('the same seed', () => {
    test('gives the same apps, keys, ids and outcomes', async () => {
      const run = async () => {
        const sandbox = await bench.start({ seed: 7, realNow: () => moment });
        const outcomes = await play(sandbox);
        const { tables } = JSON.parse(await exported(sandbox)) as { tables: Record<string, unknown> };
        return { outcomes, tables, apps: [sandbox.app, sandbox.live] };
      };
      const [first, again] = [await run(), await run()];
      expect(again).toEqual(first);
      expect(first.outcomes).toContain('Declined');
      expect(first.outcomes).toContain('Captured');
    });

    test('gives the same again after a reset, except for what names one payment alone', async () => {
      const sandbox = await bench.start({ seed: 7, realNow: () => moment });
      // Provider references: three letters and sixteen digits.
      const contents = async () =>
        (await exported(sandbox)).replaceAll(/\b([a-z]{3})_[0-9a-f]{16}\b/g, '$1_');
      const first = await play(sandbox);
      const document = await contents();
      expect((await sandbox.control('POST', '/reset')).status).toBe(200);
      expect((await sandbox.control('GET', '/status')).body).toMatchObject({
        payments: 0,
        customers: 0,
        faults: 0,
        clock: { now: new Date(moment).toISOString(), stopped: false },
      });
      // The same keys: whoever uses the sandbox can go on.
      expect((await sandbox.call('GET', '/customers')).status).toBe(200);
      expect(await play(sandbox)).toEqual(first);
      expect(await contents()).toBe(document);
    });

    test('is not needed for keys that nobody can guess', async () => {
      const [one, two] = [await bench.start(), await bench.start()];
      expect(one.app.apiKey).not.toBe(two.app.apiKey);
      expect(one.app.appId).not.toBe(two.app.appId);
    });
  });

  describe('a generation', () => {
    const generationOf = async (sandbox: TestSandbox) => {
      const { headers } = await sandbox.call('GET', '/customers');
      return headers['x-paydesk-generation'];
    };

    test('is named on every answer, a refusal too, and by the status', async () => {
      const sandbox = await bench.start();
      const generation = await generationOf(sandbox);
      expect(generation).toMatch(/^[0-9a-f]{24}$/);
      const refusals = await Promise.all([
        sandbox.call('GET', '/payments/1'),
        sandbox.call('GET', '/customers', undefined, { key: 'sk_wrong' }),
        sandbox.call('GET', '/nowhere'),
        sandbox.call('POST', '/payments/hosted-page', {}),
      ]);
      expect(refusals.map(({ status }) => status)).toEqual([404, 401, 404, 400]);
      for (const { headers } of refusals) expect(headers['x-paydesk-generation']).toBe(generation);
      expect((await sandbox.control('GET', '/status')).body).toMatchObject({ generation });
    });

    test('stays while the sandbox is used, and ends with a reset or an import', async () => {
      const sandbox = await bench.start();
      const first = await generationOf(sandbox);
      await payOne(sandbox);
      expect(await generationOf(sandbox)).toBe(first);
      const document = await exported(sandbox);
      await sandbox.control('POST', '/reset');
      const second = await generationOf(sandbox);
      expect((await importing(sandbox, document)).status).toBe(200);
      const third = await generationOf(sandbox);
      expect((await importing(sandbox, '{}')).status).toBe(400);
      expect(await generationOf(sandbox)).toBe(third);
      expect(new Set([first, second, third]).size).toBe(3);
    });

    test('is another one in every sandbox, also with the same seed', async () => {
      const [one, two] = [await bench.start({ seed: 7 }), await bench.start({ seed: 7 })];
      expect(one.app.apiKey).toBe(two.app.apiKey);
      expect(await generationOf(one)).not.toBe(await generationOf(two));
    });

    if (bench.store === 'file') {
      test('outlives the process', async () => {
        const location = await bench.location();
        const first = await bench.start({ location });
        const generation = await generationOf(first);
        await first.close();
        expect(await generationOf(await bench.start({ location }))).toBe(generation);
      });
    }
  });

  describe('export and import', () => {
    test('bring everything to another sandbox, and the export of that is the same', async () => {
      const source = await bench.start({ realNow: () => moment });
      await play(source);
      const document = await exported(source);
      const target = await bench.start({ realNow: () => moment });
      await target.create();
      expect((await importing(target, document)).status).toBe(200);
      expect(await exported(target)).toBe(document);
      // Keys, ids, clock and what is due came along.
      const asSource = { appId: source.app.appId, key: source.app.apiKey };
      const { body } = await target.call<ShownPayment>(
        'GET',
        '/payments/referenceId:seed-created',
        undefined,
        asSource,
      );
      expect(body.paymentState).toBe('Created');
      expect(body.redirectUrl.startsWith(target.url)).toBe(true);
      expect((await fetch(body.redirectUrl)).status).toBe(200);
      expect((await target.control('GET', '/clock')).body).toEqual(
        (await source.control('GET', '/clock')).body,
      );
      const next = await target.create({}, asSource);
      expect(next.paymentId).toBeGreaterThan(body.paymentId);
      expect((await source.create()).paymentId).toBe(next.paymentId);
      expect((await target.call('GET', '/customers')).status).toBe(401);
    });

    test('a document that cannot be used changes nothing, and says why', async () => {
      const sandbox = await bench.start({ realNow: () => moment });
      await payOne(sandbox);
      const document = await exported(sandbox);
      type Rows = Array<Record<string, unknown>>;
      const changed = (edit: (tables: Record<string, Rows>) => void) => {
        const parsed = JSON.parse(document) as { tables: Record<string, Rows> };
        edit(parsed.tables);
        return JSON.stringify(parsed);
      };
      const broken: Record<string, string> = {
        'no JSON': document.slice(0, -10),
        nothing: '',
        'another format': document.replace('paydesk-sandbox-1', 'paydesk-sandbox-2'),
        'no tables': '{"format":"paydesk-sandbox-1"}',
        'a table less': changed((tables) => delete tables.jobs),
        'a table more': changed((tables) => (tables.extra = [])),
        'a column that does not exist': changed((tables) => ((tables.payments?.[0] ?? {}).colour = 'red')),
        'a column less': changed((tables) => delete (tables.payments?.[0] ?? {}).amount),
        'a payment twice': changed((tables) => tables.payments?.push({ ...tables.payments[0] })),
        'no secret': changed((tables) => (tables.settings = [])),
        'no clock': changed((tables) => (tables.clock = [])),
        'a value of a wrong kind': changed((tables) => ((tables.payments?.[0] ?? {}).amount = ['1'])),
      };
      for (const [what, text] of Object.entries(broken)) {
        const { status, body } = await importing(sandbox, text);
        expect({ what, status, detail: body.detail }).toEqual({
          what,
          status: 400,
          detail: expect.stringMatching(/./),
        });
        expect(await exported(sandbox)).toBe(document);
      }
      expect((await sandbox.create()).paymentState).toBe('Created');
      expect(sandbox.errors).toEqual([]);
    });

    test('an export taken under load is of one moment', async () => {
      const sandbox = await bench.start();
      let busy = true;
      const load = Array.from({ length: 6 }, async () => {
        while (busy) await sandbox.pay((await sandbox.create()).paymentId);
      });
      for (let n = 0; n < 4; n++) {
        const { tables } = JSON.parse(await exported(sandbox)) as {
          tables: {
            payments: Array<{ payment_id: number; version: number; state: string }>;
            events: Array<{ payment_id: number; version: number; to_state: string }>;
          };
        };
        const last = new Map(tables.events.map((event) => [event.payment_id, event]));
        expect(new Set(last.keys())).toEqual(new Set(tables.payments.map((payment) => payment.payment_id)));
        for (const { payment_id, version, state } of tables.payments) {
          expect(last.get(payment_id)).toMatchObject({ version, to_state: state });
        }
      }
      busy = false;
      await Promise.all(load);
    });

    if (bench.store === 'postgres') {
      test('go from one kind of database to another', async () => {
        const source = await bench.start({ realNow: () => moment });
        await play(source);
        const document = await exported(source);
        const { startTestSandbox } = await import('../../helpers/sandbox.js');
        const inMemoryTarget = await startTestSandbox({ realNow: () => moment });
        try {
          expect((await importing(inMemoryTarget, document)).status).toBe(200);
          expect(await exported(inMemoryTarget)).toBe(document);
          expect((await importing(source, await exported(inMemoryTarget))).status).toBe(200);
          expect(await exported(source)).toBe(document);
        } finally {
          await inMemoryTarget.close();
        }
      });
    }
  });
});
