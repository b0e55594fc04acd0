import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { OutputStream } from '../../../src/output/streams.js';
import { paydeskTty } from '../../helpers/run.js';
import { eventually } from '../../helpers/sandbox.js';
import { openSeededDesk, type SeededDesk } from '../../support/seeded.js';
import { envOf } from '../../helpers/desk.js';

let desk: SeededDesk;
beforeAll(async () => {
  desk = await openSeededDesk();
});
afterEach(() => desk.sandbox.control('DELETE', '/faults'));

type Line = Record<string, unknown> & { event: string };

/** Runs a watch and calls back at each line that it prints. */
async function watch(args: Array<string | number>, onLine: (line: Line) => void = () => {}) {
  const lines: Line[] = [];
  const { code } = await desk.run('watch', [...args, '--json'], {
    onWrite: (text) => {
      for (const part of text.trimEnd().split('\n')) {
        const line = JSON.parse(part) as Line;
        lines.push(line);
        onLine(line);
      }
    },
  });
  return { code, lines };
}

describe('payments watch', () => {
  it('tells every change with how long it took, and ends when the payment is settled', async () => {
    const { paymentId, referenceId } = await desk.paid('slow-approved');
    const { code, lines } = await watch([paymentId], ({ event }) => {
      if (event === 'watching') void desk.sandbox.advance(30_000);
    });
    expect(code).toBe(0);
    const common = { paymentId, referenceId };
    expect(lines[0]).toEqual({ event: 'watching', ...common, state: 'Processing', time: expect.any(String) });
    const changes = lines.slice(1, -1);
    expect(changes.at(0)).toMatchObject({ event: 'changed', ...common, before: 'Processing' });
    expect(changes.at(-1)).toMatchObject({ after: 'Captured', tookMs: expect.any(Number), by: 'poll' });
    expect(lines.at(-1)).toMatchObject({ event: 'end', ...common, state: 'Captured', result: 'reached' });
  });

  it('says at once what to type when the refund that it waits for may have failed', async () => {
    const { paymentId } = await desk.paid('refund-fails');
    await desk.run('refund', [paymentId]);
    await desk.sandbox.settle();
    expect((await desk.sandbox.read(paymentId)).paymentState).toBe('Captured');
    const { code, stderr } = await desk.run('watch', [paymentId, '--until', 'Refunded', '--timeout', '2s']);
    expect(code).toBe(8);
    expect(stderr).toContain(
      'was accepted, but the payment is Captured. If it stays so, the refund has failed:',
    );
    expect(stderr).toContain(`paydesk payments check ${paymentId}`);
    const other = await desk.run('watch', [paymentId, '--until', 'Cancelled', '--timeout', '2s']);
    expect(other.stderr).not.toContain('accepted');
  });

  it.each([
    ['EPIPE', [], ''],
    ['EPIPE', ['--until', 'Captured'], ''],
    ['EPIPE', ['--json'], ''],
    ['ENOSPC', [], 'Error: The output could not be written: the disk is full.\n  Nothing was changed.\n'],
  ])('ends with 10 when its output fails with %s: %j', async (code, flags, stderr) => {
    const [one, other] = [await desk.sandbox.create(), await desk.sandbox.create()];
    const stdout: OutputStream = {
      write: (_text, done) => done?.(Object.assign(new Error(code), { code })),
    };
    for (const names of [[one.paymentId], [one.paymentId, other.paymentId]]) {
      const ran = await desk.run('watch', [...names, ...flags], { stdout });
      expect([ran.code, ran.stderr]).toEqual([10, stderr]);
    }
  });

  it('ends with 0 at once where the payment is there already, by our name or theirs', async () => {
    expect((await desk.run('watch', ['seed-captured'])).code).toBe(0);
    expect((await desk.run('watch', ['seed-held', '--until', 'held'])).code).toBe(0);
    const odd = await desk.run('watch', ['seed-held', '--until', 'Hold']);
    expect([odd.code, odd.stderr]).toEqual([2, expect.stringContaining('Did you mean Held?')]);
  });

  it('ends with 3 when the state can no longer be reached', async () => {
    const { code, lines } = await watch(['seed-cancelled', '--until', 'Captured']);
    expect(code).toBe(3);
    expect(lines.at(-1)).toMatchObject({ result: 'unreachable', error: { code: 'not-reached', exit: 3 } });
    const { paymentId } = await desk.paid('slow-declined');
    const turned = await watch([paymentId, '--until', 'Refunded'], ({ event }) => {
      if (event === 'watching') void desk.sandbox.call('POST', `/payments/${paymentId}/cancel`);
    });
    await desk.sandbox.settle();
    expect([turned.code, turned.lines.at(-1)?.['state']]).toEqual([3, 'Cancelled']);
  });

  it('ends with 8 when the time is up, and with 7 when that is so for some', async () => {
    const alone = await watch(['seed-held', '--timeout', '3s']);
    expect([alone.code, alone.lines.at(-1)?.['result']]).toEqual([8, 'pending']);
    const some = await watch(['seed-held', 'seed-captured', 'nowhere', '--timeout', '4s']);
    expect(some.code).toBe(7);
    const ends = some.lines.filter(({ event }) => event === 'end').map(({ result }) => result);
    expect(ends).toEqual(['pending', 'reached', 'failed']);
  });

  it('goes on while the service is out of order, and says so once', async () => {
    const { paymentId } = await desk.paid('slow-approved');
    const { code, stderr } = await desk.run('watch', [paymentId, '--interval', '20ms'], {
      onWrite: (text) => {
        if (text.includes('Processing') && !text.includes('Captured')) {
          void desk
            .fault({ kind: 'drop-before-commit', route: 'get', next: 8 })
            .then(() => desk.sandbox.advance(30_000));
        }
      },
    });
    expect(code).toBe(0);
    expect(stderr.match(/Trying again\./g) ?? []).toHaveLength(stderr === '' ? 0 : 1);
  });

  it('shows one line per change on a terminal, and leaves with 130 at Ctrl-C', async () => {
    const { paymentId, referenceId } = await desk.paid('slow-approved');
    const home = desk.home;
    const terminal = await paydeskTty(['payments', 'watch', String(paymentId), 'seed-held'], {
      home,
      env: envOf(desk.sandbox),
    });
    await terminal.waitFor(new RegExp(`\\d\\d:\\d\\d:\\d\\d  ${paymentId}  ${referenceId}   Processing`));
    await desk.sandbox.advance(30_000);
    await terminal.waitFor(/Processing → \w+ {3}after [\d.]+ m?s/);
    terminal.press('ctrl-c');
    expect(await terminal.ended()).toBe(130);
    expect(terminal.text()).toMatch(/\^C\n$/);
  });

  it('keeps what this desk knows up to date', async () => {
    const { paymentId } = await desk.authorised();
    await desk.run('capture', [paymentId]);
    await desk.sandbox.settle();
    await desk.run('watch', [paymentId, '--until', 'Captured']);
    const known = (await desk.run('list', ['--state', 'Captured', '--json'])).json;
    expect(known.map((row) => row['paymentId'])).toContain(paymentId);
  });
});

describe('payments recheck --watch', () => {
  it('asks until something changes, and says what', async () => {
    const { paymentId } = await desk.paid('three-d-secure');
    desk.requests();
    const done = desk.run('recheck', [paymentId, '--watch', '--json']);
    await eventually(() => expect(desk.requests().join()).toContain('/recheck'));
    await desk.sandbox.control('POST', `/payments/${paymentId}/pay`, { challenge: 'passed' });
    const { code, json } = await done;
    expect(code).toBe(0);
    expect(json).toMatchObject({ before: 'ActionRequired', outcome: 'done', changed: true });
    expect(['Authorised', 'Capturing', 'Captured']).toContain(json['after']);
  });

  it('ends with 8 when nothing did, and with 3 where nothing can', async () => {
    const { code, json } = await desk.run('recheck', ['seed-held', '--watch', '--timeout', '3s', '--json']);
    expect([code, json['changed'], json['error']?.['code']]).toEqual([8, false, 'time-up']);
    const final = await desk.run('recheck', ['seed-refunded', '--watch'], { terminal: true });
    expect([final.code, final.stdout]).toEqual([3, expect.stringContaining('Refunded   nothing changed')]);
    expect(final.stderr).toMatch(/that no\s+longer\s+changes/);
  });
});
