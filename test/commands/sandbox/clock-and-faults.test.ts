import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { faultKindNames } from '../../../src/sandbox/domain/fault-kinds.js';
import { createPerson, type Person } from './person.js';
import { createHome, createPayment } from './processes.js';

let person: Person;
beforeAll(async () => {
  const home = await createHome();
  person = createPerson(home, await home.serve('--memory', '--seed', '7'));
});
afterAll(() => person.home.remove());

test('clock', async () => {
  await person.control('POST', '/reset');
  const iso = String.raw`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z`;
  expect(await person.terminal('clock')).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d {2}running\n$/);
  expect(await person.pipe('clock', 'show')).toMatch(new RegExp(`^${iso}\trunning\n$`));
  const { now } = await person.json<{ now: string }>('clock', 'stop');
  const later = (days: number) => new Date(Date.parse(now) + days * 86_400_000).toISOString();
  expect(await person.json('clock', 'advance', '7d')).toEqual({ now: later(7), stopped: true });
  expect(await person.terminal('clock', 'advance', '24h')).toMatch(/stopped {2}\(8 days ahead\)\n$/);
  expect(await person.pipe('clock', 'set', later(30))).toBe(`${later(30)}\tstopped\n`);
  expect(await person.pipe('clock', 'resume')).toMatch(new RegExp(`^${iso}\trunning\n$`));
  expect(await person.failure(2, 'clock', 'set', '2020-01-01')).toMatchObject({
    details: [{ input: 'the time', problem: expect.stringContaining('would turn the clock back') }],
  });
  expect((await person.failure(2, 'clock', 'set', '24h')).details).toMatchObject([
    { problem: expect.stringContaining('paydesk sandbox clock advance 24h') },
  ]);
  expect((await person.failure(2, 'clock', 'advance', 'soon')).details).toMatchObject([
    { input: 'DURATION' },
  ]);
  await person.control('POST', '/reset');
});

describe('fault', () => {
  beforeEach(() => person.control('DELETE', '/faults'));

  test('add, list and clear', async () => {
    expect(await person.terminal('fault', 'add', 'latency', '--delay', '3s', '--route', 'get')).toMatch(
      /^Fault \d+: latency, get, every call \(delay 3\.0 s\)\.\n$/,
    );
    const limit = ['rate-limit', '--probability', '0.25', '--retry-after', '2s'];
    const fault = await person.json<{ id: number }>('fault', 'add', ...limit);
    expect(fault).toMatchObject({ kind: 'rate-limit', route: '*', probability: 0.25, retryAfterS: 2 });
    expect(await person.terminal('fault')).toMatch(
      /rate-limit +everywhere +25 % of calls +0 +retry after 2 s/,
    );
    expect(await person.pipe('fault', 'list', '--columns', 'kind,route,calls')).toBe(
      'latency\tget\tevery call\nrate-limit\t*\t25 % of calls\n',
    );
    expect(await person.json<unknown[]>('fault')).toHaveLength(2);
    expect(await person.pipe('fault', 'clear', String(fault.id))).toBe('cleared\t1\n');
    expect(await person.terminal('fault', 'clear')).toBe('Cleared 1 fault.\n');
    expect(await person.json('fault', 'clear')).toEqual({ cleared: 0 });
    const none = await person.home.run(['sandbox', 'fault', 'list']);
    expect(none).toMatchObject({
      stdout: '',
      code: 0,
      stderr: expect.stringContaining('There are no faults.'),
    });
  });

  test('a fault for one call is used up', async () => {
    const once = ['error-after-commit', '--route', 'create', '--next', '1', '--status', '502'];
    await person.json('fault', 'add', ...once);
    expect((await createPayment(person.sandbox.ready, `fault-${Date.now()}`)).status).toBe(502);
    expect((await createPayment(person.sandbox.ready, `fault-${Date.now()}`)).status).toBe(201);
    expect(await person.terminal('fault')).toMatch(/error-after-commit +create +used up +1 +status 502/);
  });

  test('what cannot be: an unknown kind, route or id, and bad values', async () => {
    expect((await person.failure(2, 'fault', 'add', 'latancy')).details).toEqual([
      {
        input: 'KIND',
        value: 'latancy',
        problem: `one of ${faultKindNames.join(', ')}; did you mean latency?`,
      },
    ]);
    expect((await person.failure(2, 'fault', 'add', 'latency', '--route', 'x')).details).toMatchObject([
      { input: '--route', problem: expect.stringContaining('must be one of *, capture') },
    ]);
    const values = ['--next', '0', '--probability', '2', '--status', '304', '--delay', 'long'];
    const { details } = await person.failure(2, 'fault', 'add', 'latency', ...values);
    const inputs = (details as Array<{ input: string }>).map(({ input }) => input);
    expect(new Set(inputs)).toEqual(new Set(['--next', '--probability', '--status', '--delay']));
    expect(await person.failure(1, 'fault', 'clear', '999')).toMatchObject({
      message: 'There is no fault 999.',
    });
  });
});
