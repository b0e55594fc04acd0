import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openTestDesk, type TestDesk } from '../../helpers/desk.js';

let desk: TestDesk;
beforeAll(async () => void (desk = await openTestDesk()));
afterAll(() => desk.sandbox.close());

let home: string;
const homes: string[] = [];
beforeEach(() => homes.push((home = mkdtempSync(join(tmpdir(), 'paydesk-digits-')))));
afterAll(() => homes.forEach((folder) => rmSync(folder, { recursive: true, force: true })));

const run: TestDesk['run'] = (verb, args) => desk.run(verb, args, { env: { PAYDESK_HOME: home } });

let unused = 7_000_000;

/** Two payments: the reference of the second is the id of the first. */
async function twoOfOneName() {
  const first = await desk.paid();
  const second = await desk.paid('approved', { referenceId: String(first.paymentId) });
  return { first, second, digits: String(first.paymentId) };
}

const refunds = (requests: string[]) => requests.filter((request) => /\/refund/.test(request));

describe('a payment that is named by digits', () => {
  it('is refunded by its reference where no payment has that id', async () => {
    const digits = String(unused++);
    const { paymentId } = await desk.paid('approved', { referenceId: digits });
    const { code, json } = await run('refund', [digits, '--json']);
    expect([code, json['payment']?.['paymentId']]).toEqual([0, paymentId]);
  });

  it('is not refunded where the digits name two payments; both are shown, and both commands', async () => {
    const { first, second, digits } = await twoOfOneName();
    desk.requests();
    const { code, json } = await run('refund', [digits, '--reason', 'late', '--json']);
    expect(code).toBe(9);
    expect(json['error']).toMatchObject({
      code: 'two-payments',
      details: [
        {
          input: `id:${digits}`,
          problem: `payment ${digits}, reference ${first.referenceId}, EUR 10.50, Captured`,
        },
        {
          input: `ref:${digits}`,
          problem: `payment ${second.paymentId}, reference ${digits}, EUR 10.50, Captured`,
        },
      ],
      next: [
        `paydesk fixture id:${digits} --reason late --json`,
        `paydesk fixture ref:${digits} --reason late --json`,
      ],
    });
    expect(refunds(desk.requests())).toEqual([]);
    const forced = await run('refund', [`ref:${digits}`, '--json']);
    expect([forced.code, forced.json['payment']?.['paymentId']]).toEqual([0, second.paymentId]);
  });

  it('is found by a read either way, and one of two is not guessed once the desk knows of the other', async () => {
    const { digits } = await twoOfOneName();
    expect((await run('get', [`ref:${digits}`])).code).toBe(0);
    for (const verb of ['get', 'explain', 'recheck', 'watch', 'check'] as const) {
      expect((await run(verb, [digits])).code, verb).toBe(9);
    }
  });

  it('is known to be a reference after another command than get has seen it', async () => {
    const { digits } = await twoOfOneName();
    expect((await run('explain', [`ref:${digits}`])).code).toBe(0);
    expect((await run('get', [digits])).code).toBe(9);
  });

  it('costs get one request where the desk knows no such reference', async () => {
    const { paymentId } = await desk.paid();
    desk.requests();
    expect((await run('get', [paymentId])).code).toBe(0);
    expect((await run('list', [])).code).toBe(0);
    expect((await run('get', [paymentId])).code).toBe(0);
    const path = expect.stringMatching(new RegExp(`^GET .*/${paymentId}$`)) as string;
    expect(desk.requests()).toEqual([path, path]);
  });

  it('that exists neither way is not found', async () => {
    const { code, stderr } = await run('get', [String(unused++)]);
    expect([code, stderr]).toEqual([1, expect.stringContaining('There is no payment') as string]);
  });
});

describe('payments get', () => {
  it('makes list show the state that it showed', async () => {
    const { paymentId } = await desk.authorised();
    const states = async () => (await run('list', ['--json'])).json.map((row) => row['state']);
    expect((await run('get', [paymentId])).code).toBe(0);
    expect(await states()).toEqual(['Authorised']);
    await desk.sandbox.call('POST', `/payments/${paymentId}/cancel`);
    await desk.sandbox.settle();
    const { json } = await run('get', [paymentId, '--json']);
    expect(await states()).toEqual([json['paymentState']]);
    expect(json['paymentState']).toBe('Cancelled');
  });

  it('leaves what it read in a file for its owner alone', async () => {
    const { paymentId } = await desk.paid();
    await run('get', [paymentId]);
    expect(statSync(join(home, 'data', 'seen.jsonl')).mode & 0o777).toBe(0o600);
  });
});
