import { beforeAll, describe, expect, it } from 'vitest';
import CustomersFind from '../../../src/commands/customers/find.js';
import CustomersForget from '../../../src/commands/customers/forget.js';
import PaymentsGet from '../../../src/commands/payments/get.js';
import { httpServer, json } from '../../helpers/servers.js';
import { makePaid } from '../../helpers/desk.js';
import { parsed, openCustomersDesk } from './customers-desk.js';

const customers = [
  { customerId: 'c_881', firstName: 'Ana', lastName: 'Müller', email: 'ana@example.org' },
  { customerId: 'c_882', firstName: 'Anabel', lastName: 'Ito', email: 'ito@example.org' },
  { customerId: 'ana', firstName: 'Zoë', mobileNumber: '+49 170 1234567' },
  { customerId: 'c_17', firstName: 'José', lastName: 'García', email: 'jose.ana@correo.example' },
];

describe('customers find', async () => {
  const desk = await openCustomersDesk();
  const find = (...argv: string[]) => desk.run(CustomersFind, argv);
  const ids = async (...argv: string[]) => {
    const found = parsed(await find(...argv, '--json')) as Array<{ customerId: string }>;
    return found.map(({ customerId }) => customerId);
  };
  let reference: string;

  beforeAll(async () => {
    for (const customer of customers) await desk.sandbox.call('POST', '/customers', customer);
    const paid = await makePaid(desk.sandbox, 'approved', {
      customerOrder: { customer: { customerId: 'c_paid', firstName: 'Paid', lastName: 'Perez' } },
    });
    reference = paid.referenceId;
    await desk.run(PaymentsGet, [reference]);
  });

  it.each([
    [['ana'], ['ana', 'c_881', 'c_17', 'c_882']],
    [['muller', 'ana'], ['c_881']],
    [['Müller'], ['c_881']],
    [['mueller'], ['c_881']],
    [['ana@example.org'], ['c_881']],
    [['garc'], ['c_17']],
    [['c_882'], ['c_882']],
    [['C 882'], ['c_882']],
    [['0170', '123', '4567'], ['ana']],
    [['+49 170 1234567'], ['ana']],
    [['1234567'], ['ana']],
    [['234567'], ['ana']],
    [['34567'], []],
    [['ana', 'perez'], []],
    [['-'], []],
  ])('%j finds %j', async (said, expected) => {
    expect(await ids(...said)).toEqual(expected);
  });

  it('leads from a known payment to its customer', async () => {
    expect(parsed(await find(reference, '--json'))).toMatchObject([
      { customerId: 'c_paid', match: 'payment' },
    ]);
  });

  it('shows customers as the list does, and says what was searched', async () => {
    const { code, stdout, stderr } = await find('muller');
    expect([code, stdout, stderr]).toEqual([0, 'c_881\tAna Müller\tana@example.org\t\n', '']);
    expect(parsed(await find('muller', '--json'))).toEqual([
      {
        customerId: 'c_881',
        name: 'Ana Müller',
        email: 'ana@example.org',
        mobileNumber: null,
        match: 'words',
        customer: expect.objectContaining({ customerId: 'c_881', lastName: 'Müller' }) as unknown,
      },
    ]);
    const nobody = await find('nobody');
    expect([nobody.code, nobody.stdout]).toEqual([0, '']);
    expect(nobody.stderr).toMatch(/^No matching customers.\nSearched \d customers of the service, and/);
    expect((await find('ana', '--limit', '1')).stderr).toContain('There are more. Add a word');
  });

  it('refuses what it cannot use, before anything is asked', async () => {
    desk.asked();
    expect((await find()).code).toBe(2);
    expect((await find('ana', '--limit', 'many')).code).toBe(2);
    expect((await find('ana', '--json', '--csv')).code).toBe(2);
    expect(desk.asked()).toEqual([]);
  });

  it('shows the customers of known payments when the service is away, and ends as temporary', async () => {
    const env = { PAYDESK_BASE_URL: 'http://127.0.0.1:9' };
    const away = await desk.run(CustomersFind, ['c_paid'], { env });
    expect([away.code, away.stdout.split('\t')[0]]).toEqual([5, 'c_paid']);
    expect(away.stderr).toContain('the connection was refused');
    const none = await desk.run(CustomersFind, ['muller', '--json'], { env });
    expect([none.code, parsed(none)]).toMatchObject([5, { error: { exit: 5 } }]);
  });

  it('reads so much of a long list, unless it is told to read all', async () => {
    const server = await httpServer((seen, response) => {
      const from = Number(new URL(seen.url, 'http://x').searchParams.get('cursor') ?? 0);
      if (!/\/customers(\?|$)/.test(seen.url)) return json(response, 404, {});
      const items = Array.from({ length: 2_000 }, (_, index) => ({ customerId: `n${from + index}` }));
      json(response, 200, { items, nextCursor: from + 2_000 < 12_000 ? `${from + 2_000}` : null });
    });
    const env = { PAYDESK_BASE_URL: server.url };
    const some = await desk.run(CustomersFind, ['n 11999'], { env });
    expect([some.code, some.stdout]).toEqual([0, '']);
    expect(some.stderr).toContain(
      'Searched only the first 10,000 customers of the service. Search all with --all.',
    );
    const all = await desk.run(CustomersFind, ['n 11999', '--all', '--columns', 'customer'], { env });
    expect([all.code, all.stdout, all.stderr]).toEqual([0, 'n11999\n', '']);
  });

  it('does not lead from a payment to a customer that this desk forgot', async () => {
    await desk.run(CustomersForget, ['c_paid', '--yes']);
    expect(await ids(reference)).toEqual([]);
  });
});
