import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { paydeskTty } from '../../helpers/run.js';
import { createPerson, type Person } from './person.js';
import { createHome } from './processes.js';

let person: Person;
beforeAll(async () => {
  const home = await createHome();
  person = createPerson(home, await home.serve('--memory', '--seed', '7'));
});
afterAll(() => person.home.remove());

test('status', async () => {
  await person.control('POST', '/reset');
  const shown = await person.terminal('status');
  expect(shown).toMatch(/^Sandbox http:\S+ +running\n/);
  expect(shown).toMatch(/Database +in memory\n/);
  expect(shown).toContain(`  See:   ${person.sandbox.ready.consoleUrl}\n`);
  expect(await person.pipe('status')).toMatch(
    new RegExp(`^sandbox\t${person.sandbox.ready.url}\nstate\trunning\n[\\s\\S]+\npayments\t0\n`),
  );
  expect(await person.json('status')).toMatchObject({
    url: person.sandbox.ready.url,
    pid: process.pid,
    payments: 0,
    clock: { stopped: false },
    consoleUrl: person.sandbox.ready.consoleUrl,
  });
});

describe('seed, reset, export and import', () => {
  beforeEach(() => person.control('POST', '/reset'));

  test('seed adds a payment in every state, once', async () => {
    const shown = await person.terminal('seed');
    expect(shown).toMatch(/^Added 20 sample payments:\n/);
    expect(shown).toMatch(/\n {2}stuck-charged +Processing +The provider charged it/);
    expect(shown).toContain('  Next:  paydesk payments list\n');
    expect(await person.terminal('seed')).toMatch(/^The sample payments already exist:\n/);
    expect(await person.pipe('seed')).toContain('\nseed-held\tHeld\tA fraud rule holds it');
    await person.control('POST', '/reset');
    const { payments, seeded, next } = await person.json<{
      payments: number;
      seeded: Array<Record<string, unknown>>;
      next: string[];
    }>('seed');
    expect([payments, seeded.length]).toEqual([20, 20]);
    expect(seeded.find(({ referenceId }) => referenceId === 'seed-held')).toMatchObject({
      paymentId: expect.any(Number),
      state: 'Held',
      amount: 240,
      currency: 'EUR',
      about: expect.stringContaining('fraud rule'),
      added: true,
    });
    expect(next[0]).toBe('paydesk payments list');
  });

  test('what was seeded is known to the desk that did it', async () => {
    await person.control('POST', '/seed');
    await person.json('seed');
    const known = await person.home.json<Array<{ referenceId: string; state: string }>>(['payments', 'list']);
    expect(known).toHaveLength(20);
    expect(known.find(({ referenceId }) => referenceId === 'stuck-charged')).toMatchObject({
      state: 'Processing',
    });
  });

  test('reset asks on a terminal, and not in a script', async () => {
    await person.control('POST', '/seed');
    const no = await paydeskTty(['sandbox', 'reset'], { home: person.home.path });
    await no.waitFor('20 payments will be deleted.');
    await no.waitFor(person.sandbox.ready.url);
    await no.waitFor('Delete everything in it?');
    no.type('n');
    no.press('enter');
    expect(await no.ended()).toBe(130);
    expect(no.text()).toContain('Nothing was changed.');
    expect(await person.json('status')).toMatchObject({ payments: 20 });
    const yes = await paydeskTty(['sandbox', 'reset'], { home: person.home.path });
    await yes.waitFor('Delete everything in it?');
    yes.type('y');
    yes.press('enter');
    await yes.waitFor('Deleted 20 payments.');
    expect(await yes.ended()).toBe(0);
    expect(await person.pipe('reset')).toBe('reset\t0\n');
    expect(await person.json('reset')).toEqual({ reset: true, payments: 0 });
    const [{ appId }] = await person.json<[{ appId: string }]>('apps');
    expect(appId).toBe(person.sandbox.ready.apps[0]!.appId);
  });

  test('what was exported can be imported, and is the same again', async () => {
    await person.control('POST', '/seed');
    await person.control('POST', '/clock', { action: 'stop' });
    const file = join(person.home.path, 'all.json');
    expect(await person.terminal('export', file)).toMatch(/^Wrote \S+all\.json \([\d,]+ bytes\)/);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const document = readFileSync(file, 'utf8');
    expect(await person.pipe('export')).toBe(document);
    expect(await person.json('export')).toEqual(JSON.parse(document));
    await person.control('POST', '/reset');
    expect(await person.pipe('import', file)).toBe('imported\t20\t4\n');
    expect(await person.pipe('export', '-')).toBe(document);
    const fromStdin = await person.home.run(['sandbox', 'import', '-', '--json'], document);
    expect(JSON.parse(fromStdin.stdout)).toEqual({
      imported: true,
      payments: 20,
      customers: 4,
      profiles: { updated: [], stale: [] },
    });
    expect(await person.terminal('import', file)).toBe(
      'The sandbox now contains 20 payments of 4 customers.\n',
    );
  });

  test('a document or file that cannot be used changes nothing', async () => {
    await person.control('POST', '/seed');
    const file = join(person.home.path, 'bad.json');
    writeFileSync(file, '{"format":"paydesk-sandbox-1","tables":{}}');
    expect((await person.failure(2, 'import', file)).message).toContain('not an export of a sandbox');
    expect(await person.failure(2, 'import', join(person.home.path, 'none.json'))).toMatchObject({
      code: 'bad-file',
    });
    expect(await person.failure(2, 'export', person.home.path)).toMatchObject({ code: 'bad-file' });
    expect((await person.failure(2, 'import')).details).toMatchObject([{ input: 'FILE' }]);
    expect(await person.json('status')).toMatchObject({ payments: 20 });
  });
});

test('books', async () => {
  await person.control('POST', '/reset');
  await person.control('POST', '/seed');
  expect(await person.terminal('books', 'seed-refunded')).toBe(
    '  instruction  told  done\n' +
      '  authorize       1     1\n' +
      '  capture         1     1\n' +
      '  refund          1     1\n' +
      '  void            0     0\n',
  );
  expect(await person.pipe('books', 'seed-captured')).toBe(
    'authorize\t1\t1\ncapture\t1\t1\nrefund\t0\t0\nvoid\t0\t0\n',
  );
  expect(await person.json('books', 'seed-captured')).toEqual({
    paymentId: expect.any(Number),
    authorize: { told: 1, done: 1 },
    capture: { told: 1, done: 1 },
    refund: { told: 0, done: 0 },
    void: { told: 0, done: 0 },
  });
  expect((await person.home.run(['sandbox', 'books', 'seed-captured', '--jq', '.capture.done'])).stdout).toBe(
    '1\n',
  );
  expect(await person.failure(1, 'books', 'id:1')).toMatchObject({ code: 'not-found' });
});
