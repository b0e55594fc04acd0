import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openProfiles } from '../../src/profiles/store.js';
import { Secret } from '../../src/profiles/secret.js';
import { findCommand, runInProcess } from '../helpers/in-process.js';
import { createFlags, openTestDesk, type TestDesk } from '../helpers/desk.js';

// A reference with the key in it is in the records of the desk: commands that read them and ask no service hide it too.

let desk: TestDesk;
let reference: string;
let batch: string;

/** As a script that has the key in its environment, or with a stored profile. */
async function run(words: string[], from: 'environment' | 'profile' = 'environment') {
  const { Class, id, rest } = await findCommand(words);
  const env = from === 'environment' ? desk.env : { PAYDESK_HOME: desk.home };
  return runInProcess(Class, rest, { env, id, now: new Date() });
}

beforeAll(async () => {
  desk = await openTestDesk();
  const { apiKey, appId } = desk.sandbox.app;
  reference = `x-${apiKey}`;
  await openProfiles({ PAYDESK_HOME: desk.home }).add({
    name: 'shop',
    baseUrl: desk.sandbox.url,
    appId,
    kind: 'sandbox',
    apiKey: new Secret(apiKey),
  });
  // Its outcome is unknown: the reference in the answer is not the one that was sent, since the key is taken out of it.
  expect((await run(['payments', 'create', ...createFlags(reference), '--json'])).code).toBe(6);
  const { paymentId } = await desk.paid();
  const rows = join(desk.home, 'rows.csv');
  const plan = join(desk.home, 'plan.json');
  writeFileSync(rows, `payment,reason\n${paymentId},${reference}\n`);
  await run(['batch', 'plan', rows, '--action', 'refund', '--out', plan]);
  expect((await run(['batch', 'apply', plan])).code).toBe(0);
  batch = (JSON.parse((await run(['batch', 'status', '--json'])).stdout) as Array<{ id: string }>)[0]!.id;
  const orders = join(desk.home, 'orders.csv');
  writeFileSync(orders, `payment,name\n${paymentId},Ana ${reference}\n`);
  expect((await run(['payments', 'import', orders])).code).toBe(0);
});
afterAll(() => desk.sandbox.close());

describe.each(['environment', 'profile'] as const)('with the key of the %s', (from) => {
  it.each([
    ['history', '--columns', 'reference'],
    ['history', '--json'],
    ['history', '--all-profiles', '--csv'],
    ['batch', 'report', '{batch}'],
    ['batch', 'report', '{batch}', '--format', 'json'],
    ['batch', 'status', '--json'],
    ['payments', 'list', '--json'],
    ['payments', 'find', 'Ana', '--csv'],
    ['payments', 'find', 'Ana', '--json'],
    ['webhook', 'events', '--json'],
  ])('%s %s %s %s shows no key', async (...words) => {
    const { code, stdout, stderr } = await run(
      words.map((word) => word.replace('{batch}', batch)),
      from,
    );
    expect({ code, stderr }).toEqual({ code: 0, stderr: expect.any(String) as string });
    expect(stdout).not.toContain(desk.sandbox.app.apiKey);
    const isListed = !['events', 'status', 'list'].includes(words[1]);
    if (isListed) expect(stdout).toContain('x-[redacted]');
  });
});
