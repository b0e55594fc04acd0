import { beforeAll, expect, it } from 'vitest';
import Create from '../../../src/commands/customers/create.js';
import PanelLink from '../../../src/commands/customers/panel-link.js';
import RemoveMethod from '../../../src/commands/customers/remove-method.js';
import StopAutoPayment from '../../../src/commands/customers/stop-auto-payment.js';
import Update from '../../../src/commands/customers/update.js';
import History from '../../../src/commands/history.js';
import { openCustomersDesk, type CustomersDesk } from './customers-desk.js';

let desk: CustomersDesk;
beforeAll(async () => void (desk = await openCustomersDesk()));

interface Row {
  operation: string;
  customerId: string;
  paymentId: string | null;
  outcome: string;
  description: string | null;
}

async function history(...argv: string[]): Promise<Row[]> {
  const { stdout, code } = await desk.run(History, [...argv, '--json']);
  expect(code).toBe(0);
  return JSON.parse(stdout) as Row[];
}

it('has every change to a customer, and no secret link', async () => {
  const { paymentId } = await desk.sandbox.create({
    returnUrl: 'https://shop.example/done',
    registerAutoPayment: true,
    customerOrder: { customer: { customerId: 'c_stored' } },
  });
  await desk.sandbox.pay(paymentId, 'approved');
  await desk.sandbox.settle();
  const { body } = await desk.sandbox.call<
    Array<{ paymentMethodId: number; customerAutomaticProfileId: number }>
  >('GET', '/customers/c_stored/payment-methods');
  const [method] = body;
  const made = await desk.run(PanelLink, ['c_stored', '--json']);
  const codes = [
    made,
    await desk.run(Create, ['--customer', 'c_1', '--first-name', 'Ada']),
    await desk.run(Update, ['c_1', '--email', 'ada@example.org']),
    await desk.run(StopAutoPayment, ['c_stored', String(method?.customerAutomaticProfileId)]),
    await desk.run(RemoveMethod, ['c_stored', String(method?.paymentMethodId)]),
  ].map(({ code }) => code);
  expect(codes).toEqual([0, 0, 0, 0, 0]);
  const rows = await history();
  expect(rows.map(({ operation, customerId, outcome }) => [operation, customerId, outcome])).toEqual([
    ['remove-method', 'c_stored', 'done'],
    ['stop-auto-payment', 'c_stored', 'done'],
    ['customer-update', 'c_1', 'done'],
    ['customer-create', 'c_1', 'done'],
    ['panel-link', 'c_stored', 'done'],
  ]);
  const { url } = JSON.parse(made.stdout) as { url: string };
  expect(JSON.stringify(rows)).not.toContain(new URL(url).pathname);
});

it('keeps to the app of the profile, unless all are asked for', async () => {
  expect((await desk.run(Create, ['--customer', 'c_live'], { live: true })).code).toBe(0);
  const ofLive = (rows: Row[]) => rows.filter(({ customerId }) => customerId === 'c_live');
  expect(ofLive(await history())).toEqual([]);
  expect(ofLive(await history('--all-profiles'))).toHaveLength(1);
});
