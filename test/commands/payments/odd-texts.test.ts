import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { httpServer, type TestServer } from '../../helpers/servers.js';
import { deskDatabases } from '../../helpers/desk-database.js';
import { describeWithPostgres } from '../../helpers/postgres.js';
import { type Env, type Ran, runTyped, temporaryHome } from '../../helpers/desk.js';

type Fields = Record<string, unknown>;
const long = randomBytes(2_400).toString('base64url');
const NUL = 'a\u0000b';
const HALF = 'a\uD800b';

/** Whatever a field of an answer can hold. A number is written as it is here. */
const oddFields: Array<[name: string, fields: Fields]> = [
  ['a long provider reference', { payInfo: { providerReferenceId: long } }],
  ['a long capture and authorisation', { payInfo: { captureId: long, authorizeId: long } }],
  ['a long payer', { payInfo: { payer: { email: `${long}@x.example`, fullName: long } } }],
  ['a long customer', { customerId: long }],
  ['a long currency', { currency: long }],
  ['a NUL in the provider’s words', { payInfo: { providerReferenceId: NUL, payer: { fullName: NUL } } }],
  ['half a character', { payInfo: { captureId: HALF, payer: { email: HALF, card: { cardBrand: HALF } } } }],
  ['an amount beyond every number', { amount: '1e400' }],
];

const paymentText = (fields: Fields): string => {
  const text = JSON.stringify({
    paymentId: 1001,
    paymentState: 'Captured',
    amount: 10.1,
    currency: 'EUR',
    customerId: 'c_1',
    referenceId: 'inv-1',
    createdTime: '2026-01-01T00:00:00Z',
    ...fields,
  });
  return text.replace('"1e400"', '1e400');
};

/** One payment, that a charge makes and a refund refunds; from `from` on it shows these fields. */
function oddService(fields: Fields, from: 'before' | 'after'): Promise<TestServer> {
  let state: string | undefined = 'Captured';
  let sent = false;
  return httpServer(({ method, url, body }, response) => {
    if (url.includes('/customers/')) return response.writeHead(404).end();
    if (method === 'POST' && url.endsWith('/refund')) state = fields['paymentState'] ? state : 'Refunded';
    if (method === 'POST' && body !== '') state = 'Captured';
    if (method === 'POST' && !url.endsWith('/recheck')) sent = true;
    if (!sent && url.includes('referenceId:new')) return response.writeHead(404).end();
    const referenceId = /new-\d/.exec(url + body)?.[0] ?? 'inv-1';
    const shown = sent || from === 'before' ? fields : {};
    return response.end(paymentText({ paymentState: state, referenceId, ...shown }));
  });
}

const posts = ({ requests }: TestServer, end: string): number =>
  requests.filter(({ method, url }) => method === 'POST' && url.endsWith(end)).length;

function oddTests(database: () => Promise<Env>): void {
  let env: Env;
  let home: string;
  beforeEach(async () => {
    home = temporaryHome();
    env = await database();
  });
  const run = (server: TestServer, ...args: string[]): Promise<Ran> =>
    runTyped(args, {
      home,
      env: {
        PAYDESK_BASE_URL: server.url,
        PAYDESK_APP_ID: 'a',
        PAYDESK_API_KEY: 'key-1234',
        PAYDESK_KIND: 'sandbox',
        ...env,
      },
    });

  it.each(oddFields)(
    'a payment with %s is refunded once, and the history has it as done',
    async (_, fields) => {
      const server = await oddService(fields, 'before');
      const refunded = await run(server, 'payments', 'refund', '1001');
      expect([refunded.code, refunded.stderr]).toEqual([0, expect.not.stringContaining('bug')]);
      const { json } = await run(server, 'history', '--json');
      expect(json).toMatchObject([{ paymentId: 1001, outcome: 'done', after: 'Refunded' }]);
      expect(posts(server, '/refund')).toBe(1);
    },
  );

  it.each(oddFields)('a read that shows %s leaves every other command usable', async (_, fields) => {
    const server = await oddService(fields, 'before');
    for (const args of [
      ['payments', 'get', '1001'],
      ['history'],
      ['payments', 'list'],
      ['payments', 'explain', '1001'],
    ]) {
      const { code, stderr } = await run(server, ...args);
      expect([args.join(' '), code, stderr]).toEqual([args.join(' '), 0, expect.not.stringContaining('bug')]);
    }
  });

  it('a charge whose answer has a long provider reference with a NUL is done, and found again', async () => {
    const server = await oddService({ payInfo: { providerReferenceId: long + NUL } }, 'after');
    const charge = ['payments', 'charge', '--customer', 'c_1', '--amount', '10.10', '--reference', 'new-1'];
    expect((await run(server, ...charge)).code).toBe(0);
    expect((await run(server, ...charge)).code).toBe(0);
    expect((await run(server, 'history', '--json')).json).toMatchObject([{ outcome: 'done' }]);
    expect(posts(server, '/auto-payment')).toBe(1);
  });

  it('a state of any length is recorded, and is not taken for one that begins like it', async () => {
    const server = await oddService({ paymentState: `Refunded${long}\u0000` }, 'after');
    const refunded = await run(server, 'payments', 'refund', '1001', '--json');
    expect([refunded.code, refunded.json['outcome']]).toEqual([6, 'unknown']);
    const { json } = await run(server, 'payments', 'list', '--json');
    expect(json).toMatchObject([{ state: expect.stringMatching(/^Refunded.{192}…$/) as string }]);
    expect((await run(server, 'history', '--json')).json).toMatchObject([{ outcome: 'unknown' }]);
    expect(posts(server, '/refund')).toBe(1);
  });

  it('a name that cannot be kept whole is left out: neither its beginning nor a likeness finds the payment', async () => {
    const server = await oddService({ payInfo: { providerReferenceId: long, captureId: NUL } }, 'before');
    await run(server, 'payments', 'get', '1001');
    for (const typed of [long.slice(0, 200), 'a\uFFFDb']) {
      expect((await run(server, 'payments', 'find', '--json', '--', typed)).json).toEqual([]);
    }
  });

  it('an id that cannot be kept is refused before anything is sent', async () => {
    const server = await httpServer((_, response) =>
      response.end(paymentText({}).replace('1001', '9'.repeat(3_000))),
    );
    const refused = await run(server, 'payments', 'refund', 'ref:inv-1');
    expect([refused.code, refused.stderr]).toEqual([
      1,
      expect.stringContaining('without a usable paymentId'),
    ]);
    expect(refused.stderr).toContain('Nothing was sent.');
    expect(posts(server, '/refund')).toBe(0);
  });

  it('an import is not stopped by one row whose amount is beyond every number', async () => {
    const server = await oddService({ amount: '1e400' }, 'before');
    const file = join(home, 'orders.csv');
    writeFileSync(file, 'referenceId,order\ninv-1,W-1\n');
    const { code, stderr } = await run(server, 'payments', 'import', file);
    expect([code, stderr]).toEqual([0, expect.not.stringContaining('bug')]);
  });

  it.each([['none'], ['"x"'], ['1.5'], ['9'.repeat(41)]])(
    'an import goes on after a row whose paymentId is %s, and counts it as unreadable',
    async (id) => {
      const server = await httpServer(({ url }, response) => {
        const referenceId = url.split('referenceId:')[1];
        const shown = paymentText({ referenceId, paymentId: Number(referenceId?.slice(4)) });
        const odd = id === 'none' ? '' : `"paymentId":${id},`;
        return response.end(referenceId === 'inv-2' ? shown.replace(/"paymentId":\d+,/, odd) : shown);
      });
      const file = join(home, 'orders.csv');
      writeFileSync(file, 'referenceId,order\ninv-1,W-1\ninv-2,W-2\ninv-3,W-3\n');
      const { code, json } = await run(server, 'payments', 'import', file, '--json');
      expect([code, json]).toMatchObject([7, { rows: 3, new: 2, unknown: 0, unreadable: 1 }]);
      expect(json['problems']).toEqual([
        { line: 3, payment: 'ref:inv-2', problem: expect.stringMatching(/./) as string },
      ]);
      expect((await run(server, 'payments', 'find', 'W-3', '--json')).json).toHaveLength(1);
    },
  );
}

describe('odd texts of a service, on SQLite', () => oddTests(async () => ({})));
describeWithPostgres('odd texts of a service, on PostgreSQL', (postgres) => {
  const createDatabase = deskDatabases(postgres);
  oddTests(async () => ({ PAYDESK_DATABASE: await createDatabase() }));
});
