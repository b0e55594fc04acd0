import { describe, expect, it } from 'vitest';
import CustomersCreate from '../../../src/commands/customers/create.js';
import CustomersPanelLink from '../../../src/commands/customers/panel-link.js';
import CustomersUpdate from '../../../src/commands/customers/update.js';
import { openCustomersDesk } from './customers-desk.js';

describe('--columns and --csv where one thing is shown', async () => {
  const desk = await openCustomersDesk();

  it('give the customer as it is after an update', async () => {
    await desk.run(CustomersCreate, ['--customer', 'u1', '--first-name', 'Ada']);
    const update = ['u1', '--email', 'ada@example.org'];
    const csv = await desk.run(CustomersUpdate, [...update, '--columns', 'customer,email', '--csv']);
    expect(csv).toMatchObject({ code: 0, stdout: 'customer,email\nu1,ada@example.org\n' });
  });

  it('give the link alone', async () => {
    await desk.run(CustomersCreate, ['--customer', 'u2']);
    const { stdout, code } = await desk.run(CustomersPanelLink, ['u2', '--columns', 'url']);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/panel\/\S+\n$/);
  });
});
