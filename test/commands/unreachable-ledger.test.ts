import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { envOf, openTestDesk, runTyped, type TestDesk } from '../helpers/desk.js';

let desk: TestDesk;
beforeAll(async () => {
  desk = await openTestDesk();
});
afterAll(() => desk.sandbox.close());

describe('a ledger whose server does not answer', () => {
  it.each([
    'payments list',
    'payments find ann',
    'history',
    'webhook events',
    'batch status',
    'customers forget zz --yes',
    'ledger adopt --yes',
  ])('ends %s with 5', async (line) => {
    const env = { ...envOf(desk.sandbox), PAYDESK_DATABASE: 'postgres://127.0.0.1:9/desk' };
    const { code, json } = await runTyped([...line.split(' '), '--json'], { home: desk.home, env });
    expect([code, json]).toMatchObject([5, { error: { exit: 5 } }]);
  });
});
