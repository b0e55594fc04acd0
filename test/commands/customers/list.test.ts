import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { beforeAll, describe, expect, it } from 'vitest';
import CustomersList from '../../../src/commands/customers/list.js';
import { answerVariants } from '../../../src/sandbox/answers.js';
import { httpServer, json, type Seen } from '../../helpers/servers.js';
import { runInProcess } from '../../helpers/in-process.js';
import { paydesk } from '../../helpers/run.js';
import { parsed, openCustomersDesk } from './customers-desk.js';

const COUNT = 120;
const ids = Array.from({ length: COUNT }, (_, index) => `c${String(index).padStart(3, '0')}`);

describe.each(answerVariants['customer-list'])('a list in the style: %s', async (variant) => {
  const desk = await openCustomersDesk({ 'customer-list': variant });
  beforeAll(async () => {
    for (const customerId of ids) {
      await desk.sandbox.call('POST', '/customers', {
        customerId,
        firstName: 'Zoë',
        email: `${customerId}@example.org`,
      });
    }
  });

  it('shows the first 50 and says that there are more', async () => {
    const listed = await desk.run(CustomersList, []);
    expect(listed.code).toBe(0);
    const rows = listed.stdout.trimEnd().split('\n');
    expect(rows).toHaveLength(50);
    expect(rows[0]).toBe('c000\tZoë\tc000@example.org\t');
    expect(listed.stderr).toMatch(/^There are more. Show all with --all/);
  });

  it('shows all of them, or as many as asked for', async () => {
    const all = await desk.run(CustomersList, ['--all', '--json']);
    expect(all).toMatchObject({ code: 0, stderr: '' });
    expect((parsed(all) as Array<{ customerId: string }>).map(({ customerId }) => customerId)).toEqual(ids);

    const some = await desk.run(CustomersList, ['--limit', '3', '--jq', '.[].customerId']);
    expect(some.stdout).toBe('c000\nc001\nc002\n');
    expect(some.stderr).toContain('more');

    const exact = await desk.run(CustomersList, ['--limit', '120', '--columns', 'customer']);
    expect(exact).toMatchObject({ stdout: `${ids.join('\n')}\n`, stderr: '' });
  });

  it('prints CSV and tables', async () => {
    const csv = await desk.run(CustomersList, ['--limit', '1', '--csv', '--columns', 'customer,email']);
    expect(csv.stdout).toBe('customer,email\nc000,c000@example.org\n');
    const table = await desk.run(CustomersList, ['--limit', '2'], { terminal: true });
    expect(table.stdout).toMatch(/^ {2}customer +name +email +mobile\n {2}c000 +Zoë +c000@example.org\n/);
  });
});

describe.each(answerVariants['customer-list'])('an empty list in the style: %s', async (variant) => {
  const desk = await openCustomersDesk({ 'customer-list': variant });

  it('says so and is no error', async () => {
    expect(await desk.run(CustomersList, [])).toMatchObject({
      code: 0,
      stdout: '',
      stderr: 'No customers.\n',
    });
    expect(await desk.run(CustomersList, ['--json'])).toMatchObject({ code: 0, stdout: '[]\n' });
  });
});

describe('customers list', async () => {
  const desk = await openCustomersDesk();

  it.each([
    [['--limit', '0'], '--limit'],
    [['--limit', '5', '--all'], '--limit'],
    [['--param', 'x'], '--param'],
    [['--columns', 'nmae'], '--columns'],
    [['--json', '--csv'], '--csv'],
  ])('refuses %j', async (argv, input) => {
    const refused = await desk.run(CustomersList, argv);
    expect(refused.code).toBe(2);
    const told = refused.stderr + refused.stdout;
    expect(told).toContain(input);
    expect(desk.asked()).toEqual([]);
  });

  it('passes parameters on', async () => {
    const server = await httpServer((_seen, response) => json(response, 200, { items: [] }));
    const env = { PAYDESK_BASE_URL: server.url };
    await desk.run(CustomersList, ['--param', 'limit=7', '--param', 'q=a=b c'], { env });
    expect(server.requests[0]!.url).toMatch(/\/customers\?limit=7&q=a%3Db\+c$/);
  });

  it.each([['--json'], ['--jq=.']])('prints the error alone when a later page fails: %s', async (flag) => {
    const server = await httpServer((seen, response) =>
      seen.url.includes('cursor')
        ? json(response, 403, { message: 'enough' })
        : json(response, 200, { items: [{ customerId: 'a' }], nextCursor: 'b' }),
    );
    const cut = await desk.run(CustomersList, [flag], { env: { PAYDESK_BASE_URL: server.url } });
    expect(cut.code).toBe(4);
    expect(parsed(cut)).toMatchObject({
      error: { exit: 4, httpStatus: 403, message: expect.stringContaining('enough') as unknown },
    });
    expect(cut.stderr).toMatch(/^Error: The service does not allow this key/);
  });

  it('prints one whole document when the connection breaks off within a page, however long it was', async () => {
    const items = Array.from({ length: 20_000 }, (_, index) => ({
      customerId: `c${index}`,
      firstName: 'Zoë'.repeat(20),
    }));
    const server = await httpServer((seen, response) => {
      if (!seen.url.includes('cursor')) return json(response, 200, { items, nextCursor: 'b' });
      response.writeHead(200, { 'content-length': '1000' });
      response.write('{"items":[{"customerId":"last"},');
      response.destroy();
    });
    const cut = await desk.run(CustomersList, ['--json', '--all'], { env: { PAYDESK_BASE_URL: server.url } });
    expect(cut.code).toBe(5);
    expect(Object.keys(parsed(cut) as object)).toEqual(['error']);
  });

  it('tells a list that cannot be read', async () => {
    const server = await httpServer((_seen, response) => json(response, 400, { message: 'no listing' }));
    const refused = await desk.run(CustomersList, ['--limit', '1'], {
      env: { PAYDESK_BASE_URL: server.url },
    });
    expect(refused).toMatchObject({ code: 1, stdout: '' });
    expect(refused.stderr).toContain('no listing');
  });
});

describe('12,500 customers', () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const page = 500;
  const total = 12_500;
  // Long enough that customers who are held show: 7,500 of them take more than 5 MB.
  const firstName = 'Zoë'.repeat(300);
  /** Pages after which the heap is measured; collecting what is not held takes longer than a page. */
  const measuredAfter = [3, 9, 24];
  const queryOf = ({ url }: Seen) => Object.fromEntries(new URL(url, 'http://x').searchParams);
  const endless = () =>
    httpServer((seen, response) => {
      const from = Number(queryOf(seen).cursor ?? 0);
      const items = Array.from({ length: page }, (_, index) => ({
        customerId: `customer-${from + index}`,
        firstName,
      }));
      json(response, 200, { items, nextCursor: from + page < total ? `${from + page}` : null });
    });
  const env = (url: string) => ({ PAYDESK_BASE_URL: url, PAYDESK_APP_ID: 'a', PAYDESK_API_KEY: 'sk_x' });

  it.each([['--json'], ['--csv'], ['--columns=customer']])(
    'are printed by %s without being held',
    async (flag) => {
      const server = await endless();
      let bytes = 0;
      let pages = 0;
      const heap: number[] = [];
      await runInProcess(CustomersList, ['--all', flag], {
        env: env(server.url),
        onWrite: (text) => {
          bytes += text.length;
          pages += server.requests.splice(0).length;
          if (pages >= (measuredAfter[heap.length] ?? Infinity)) {
            collect();
            heap.push(process.memoryUsage().heapUsed / 1024 / 1024);
          }
        },
      });
      expect(bytes).toBeGreaterThan(100_000);
      expect(heap.length).toBeGreaterThan(2);
      const late = heap.slice(1);
      expect(Math.max(...late) - Math.min(...late)).toBeLessThan(5);
    },
  );

  it('stop coming when nobody reads on', async () => {
    const server = await endless();
    const { code, stdout } = await paydesk(['customers', 'list', '--limit', '3'], { env: env(server.url) });
    expect({ code, lines: stdout.split('\n').length }).toEqual({ code: 0, lines: 4 });
    expect(server.requests).toHaveLength(1);
  });
});

it('a list that cannot be read completely is exit 1, and says what was understood', async () => {
  const server = await httpServer((_seen, response) =>
    json(response, 200, { items: [{ customerId: 'c1' }], nextCursor: null, total: 25 }),
  );
  const env = {
    PAYDESK_BASE_URL: server.url,
    PAYDESK_APP_ID: 'app_1',
    PAYDESK_API_KEY: 'sk_1',
    PAYDESK_KIND: 'sandbox',
  };
  const piped = await runInProcess(CustomersList, ['--all'], { env });
  expect(piped.code).toBe(1);
  expect(piped.stderr).toMatch(/it has 25 customers and\s+answered with 1 of them/);
  const asJson = await runInProcess(CustomersList, ['--all', '--json'], { env });
  expect(asJson.code).toBe(1);
  expect(JSON.parse(asJson.stdout)).toMatchObject({ error: { code: 'list-incomplete', exit: 1 } });
});
