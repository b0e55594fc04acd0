import { describe, expect, it } from 'vitest';
import CustomersCreate from '../../../src/commands/customers/create.js';
import CustomersGet from '../../../src/commands/customers/get.js';
import CustomersUpdate from '../../../src/commands/customers/update.js';
import { answerVariants } from '../../../src/sandbox/answers.js';
import { httpServer, json } from '../../helpers/servers.js';
import { errorOf, parsed, openCustomersDesk } from './customers-desk.js';

const ada = ['--first-name', 'Ada', '--last-name', 'Lovelace', '--email', 'ada@example.org'];
const fields = { firstName: 'Ada', lastName: 'Lovelace', email: 'ada@example.org' };

describe.each(answerVariants['customer-written'])('when a write is answered with: %s', async (variant) => {
  const desk = await openCustomersDesk({ 'customer-written': variant });

  it('creates, reads and updates a customer', async () => {
    const created = await desk.run(CustomersCreate, [
      '--customer',
      'c1',
      ...ada,
      '--fraud-policy',
      '2',
      '--json',
    ]);
    expect(created.code).toBe(0);
    expect(parsed(created)).toMatchObject({
      created: true,
      customer: { customerId: 'c1', ...fields, fraudPolicyId: 2, app: { isSandbox: true } },
    });

    const got = await desk.run(CustomersGet, ['c1', '--json']);
    expect(got).toMatchObject({ code: 0, stderr: '' });
    expect(parsed(got)).toEqual((parsed(created) as { customer: object }).customer);

    const updated = await desk.run(CustomersUpdate, [
      'c1',
      '--email',
      'a@b.example',
      '--mobile',
      '+31 6 123',
      '--json',
    ]);
    expect(updated.code).toBe(0);
    expect(parsed(updated)).toMatchObject({
      customer: { customerId: 'c1', firstName: 'Ada', email: 'a@b.example', mobileNumber: '+31 6 123' },
      changes: [
        { field: 'email', before: 'ada@example.org', after: 'a@b.example' },
        { field: 'mobileNumber', before: null, after: '+31 6 123' },
      ],
    });
  });

  it('finds a customer who is there already', async () => {
    await desk.run(CustomersCreate, ['--customer', 'c2', ...ada]);
    const same = await desk.run(CustomersCreate, ['--customer', 'c2', ...ada, '--json']);
    expect(same).toMatchObject({
      code: 0,
      stderr: 'The customer already exists with these details. Nothing was changed.\n',
    });
    expect(parsed(same)).toMatchObject({ created: false, customer: fields });

    const part = await desk.run(CustomersCreate, ['--customer', 'c2', '--first-name', 'Ada', '--json']);
    expect(parsed(part)).toMatchObject({ created: false });

    const other = await desk.run(CustomersCreate, [
      '--customer',
      'c2',
      '--first-name',
      'Eva',
      '--mobile',
      '12345',
    ]);
    expect(other).toMatchObject({ code: 1, stdout: '' });
    expect(other.stderr).toContain('Customer c2 already exists with other details.');
    expect(other.stderr).toMatch(/firstName +Eva +Ada\n/);
    expect(other.stderr).toMatch(/mobileNumber +12345 +\(nothing\)\n/);
    const json = await desk.run(CustomersCreate, ['--customer', 'c2', '--first-name', 'Eva', '--json']);
    expect(errorOf(json)).toMatchObject({
      code: 'customer-differs',
      exit: 1,
      details: [{ field: 'firstName', asked: 'Eva', found: 'Ada' }],
    });
  });

  it('sends again what got no answer, and says what it does not know', async () => {
    await desk.fault('drop-after-commit', 'createCustomer');
    const created = await desk.run(CustomersCreate, ['--customer', 'c3', ...ada, '--json']);
    expect(created.code).toBe(0);
    expect(created.stderr).toContain('may have existed before');
    expect(parsed(created)).toMatchObject({ created: true, customer: fields });

    await desk.fault('error-after-commit', 'updateCustomer');
    const updated = await desk.run(CustomersUpdate, ['c3', '--last-name', 'Byron', '--json']);
    expect(parsed(updated)).toMatchObject({ customer: { lastName: 'Byron' } });
  });
});

describe('customers create', async () => {
  const desk = await openCustomersDesk();

  it('shows the customer to people and to pipes', async () => {
    const pipe = await desk.run(CustomersCreate, ['--customer', 'p1', ...ada]);
    expect(pipe).toMatchObject({ code: 0, stderr: '' });
    expect(pipe.stdout).toMatch(/^customer\tp1\nname\tAda Lovelace\nemail\tada@example.org\n/);
    const person = await desk.run(CustomersGet, ['p1'], { terminal: true });
    expect(person.stdout).toMatch(/^Customer p1\n {2}Name +Ada Lovelace\n/);
    expect(person.stdout).toMatch(/App +Sandbox shop +app_\w+ +sandbox\n/);
  });

  it('shows the live banner and creates', async () => {
    const live = await desk.run(CustomersCreate, ['--customer', 'l1', '--json'], { live: true });
    expect(live).toMatchObject({ code: 0, stderr: `LIVE  environment (app ${desk.sandbox.live.appId})\n` });
    const updated = await desk.run(CustomersUpdate, ['l1', '--first-name', 'Bo'], { live: true });
    expect(updated.stderr).toContain('LIVE  environment');
    expect(updated.stdout).toBe('customer\tl1\nfirst name\t\tBo\n');
    const seen = await desk.run(CustomersUpdate, ['l1', '--first-name', 'Eva'], {
      live: true,
      terminal: true,
    });
    expect(seen.stdout).toMatch(/Customer l1\n {2}First name +Bo → Eva\n/);
  });

  it.each([
    [
      ['--email', 'nobody'],
      ['--customer', '--email'],
    ],
    [['--customer', ' x'], ['--customer']],
    [['--customer', 'x', '--fraud-policy', '0'], ['--fraud-policy']],
    [['--customer', 'x', '--first-name', 'a\nb'], ['--first-name']],
    [['--customer', 'x', '--customer', 'y'], ['--customer']],
    [['--customer', 'x', '--emial', 'a@b.c'], ['--emial']],
  ])('refuses %j before anything is sent', async (argv, inputs) => {
    desk.asked();
    const refused = await desk.run(CustomersCreate, [...argv, '--json']);
    expect(refused.code).toBe(2);
    const details = errorOf(refused).details as Array<{ input: string }>;
    expect(details.map(({ input }) => input).sort()).toEqual([...inputs].sort());
    expect(desk.asked()).toEqual([]);
  });

  it('prints a row where one is asked for', async () => {
    const made = await desk.run(CustomersCreate, ['--customer', 'row1', '--first-name', 'Ada', '--csv']);
    expect(made.stdout).toBe('customer,name,email,mobile\nrow1,Ada,,\n');
    const read = await desk.run(CustomersGet, ['row1', '--columns', 'name,customer']);
    expect(read.stdout).toBe('Ada\trow1\n');
  });

  it('updates nothing without being told what', async () => {
    desk.asked();
    const refused = await desk.run(CustomersUpdate, ['p1', '--json']);
    expect(refused.code).toBe(2);
    expect(errorOf(refused).details).toEqual([
      { input: 'one of', problem: 'missing: --email, --first-name, --last-name, --mobile' },
    ]);
    expect(desk.asked()).toEqual([]);
  });

  it('tells every field that the service refuses', async () => {
    const refused = await desk.run(CustomersCreate, [
      '--customer',
      'x'.repeat(220),
      '--fraud-policy',
      '99',
      '--json',
    ]);
    expect(refused.code).toBe(1);
    expect(JSON.stringify(errorOf(refused).details)).toContain('customerId');
  });

  it('stops when the service is of the other kind, before anything is changed', async () => {
    await desk.run(CustomersCreate, ['--customer', 'k1']);
    desk.asked();
    const env = { PAYDESK_KIND: 'live' };
    const refused = await desk.run(CustomersUpdate, ['k1', '--first-name', 'X', '--json'], { env });
    expect(refused.code).toBe(4);
    expect(errorOf(refused)).toMatchObject({ code: 'wrong-app' });
    expect(desk.asked()).toEqual(['GET /customers/k1']);
  });
});

describe('services with ways of their own', () => {
  const at = (url: string) => ({
    env: {
      PAYDESK_BASE_URL: url,
      PAYDESK_APP_ID: 'app-1',
      PAYDESK_API_KEY: 'sk_canary_1',
      PAYDESK_KIND: 'sandbox',
    },
  });

  it('compares addresses and numbers as people do', async () => {
    const desk = await openCustomersDesk();
    const server = await httpServer((_seen, response) =>
      json(response, 200, {
        customer: { customerId: 'c1', email: 'ada@example.org', phoneNumber: '+31612' },
      }),
    );
    const argv = ['--customer', 'c1', '--email', 'Ada@Example.org', '--mobile', '+31 (6) 12', '--json'];
    expect(parsed(await desk.run(CustomersCreate, argv, at(server.url)))).toMatchObject({ created: false });
  });

  it('notices an update that was not carried out', async () => {
    const desk = await openCustomersDesk();
    const server = await httpServer((_seen, response) =>
      json(response, 200, { customerId: 'c1', email: 'old@example.org' }),
    );
    const refused = await desk.run(
      CustomersUpdate,
      ['c1', '--email', 'new@example.org', '--json'],
      at(server.url),
    );
    expect(errorOf(refused)).toMatchObject({ code: 'not-updated', exit: 1 });
  });

  it('tells a conflict with a customer whom nobody can read', async () => {
    const desk = await openCustomersDesk();
    const server = await httpServer(({ method }, response) =>
      method === 'POST' ? json(response, 409, { message: 'taken' }) : json(response, 404, {}),
    );
    const refused = await desk.run(CustomersCreate, ['--customer', 'c1', '--json'], at(server.url));
    expect(errorOf(refused)).toMatchObject({ exit: 1, httpStatus: 409 });
    expect(errorOf(refused).message).toContain('taken');
  });

  it('does not lose the outcome of a create whose answers were all lost', async () => {
    const desk = await openCustomersDesk();
    await desk.fault('drop-before-commit', 'createCustomer', { probability: 1 });
    const lost = await desk.run(CustomersCreate, ['--customer', 'c1', '--json']);
    expect(errorOf(lost)).toMatchObject({ exit: 6 });
  });
});
