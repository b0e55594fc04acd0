import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { envOf, openTestDesk, type TestDesk } from '../../helpers/desk.js';
import { paydesk, type RunOptions } from '../../helpers/run.js';
import { eventually } from '../../helpers/sandbox.js';

const oneLine = (text: string) => text.replaceAll(/\s+/g, ' ');

const endless = 'def f: f; f';

describe('a filter that never ends', () => {
  let desk: TestDesk;
  beforeAll(async () => {
    desk = await openTestDesk();
  });
  afterAll(() => desk.sandbox.close());

  const run = (words: string[], options: RunOptions = {}, filter = endless) =>
    paydesk([...words, '--jq', filter], { env: envOf(desk.sandbox), timeoutMs: 30_000, ...options });

  it('is ended by --timeout, with 8 where the command only reads', async () => {
    const { paymentId } = await desk.paid();
    const { code, stdout, stderr } = await run(['payments', 'get', String(paymentId), '--timeout', '2s']);
    expect(code).toBe(8);
    expect(JSON.parse(stdout)).toMatchObject({ error: { code: 'time-up', exit: 8 } });
    expect(oneLine(stderr)).toContain('The --jq filter was stopped before it ended.');
  });

  it('is ended by a signal, with 130', async () => {
    const { paymentId } = await desk.paid();
    desk.requests();
    const { code, stdout } = await run(['payments', 'get', String(paymentId)], {
      onStarted: (child) =>
        void eventually(() => expect(desk.requests()).not.toEqual([]))
          .then(() => wait(500))
          .then(() => child.kill('SIGTERM')),
    });
    expect(code).toBe(130);
    expect(JSON.parse(stdout)).toMatchObject({ error: { code: 'interrupted', exit: 130 } });
  });

  it('does not hide what a command has done', async () => {
    const { paymentId } = await desk.paid();
    const { code, stdout, stderr } = await run(['payments', 'refund', String(paymentId), '--timeout', '5s']);
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringContaining('was carried out') as string,
    });
    expect(oneLine(stderr)).toContain('it was stopped before it ended');
    expect(stderr).toContain('"operation":"refund"');
    expect(JSON.parse(stdout)).toMatchObject({
      error: { code: 'filter-failed', details: { result: { operation: 'refund', outcome: 'accepted' } } },
    });
  });

  // Every filter is stopped in the same way, and keeps a processor busy until then: one test takes both kinds of loop.
  it.each([endless, 'last(range(1e12))'])('does not hide an error: %s', async (filter) => {
    const { code, stdout } = await run(['payments', 'get', 'nothing-like-it'], {}, filter);
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({ error: { exit: 1 } });
  });
});
