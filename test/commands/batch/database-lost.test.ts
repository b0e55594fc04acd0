import { afterEach, expect, it } from 'vitest';
import Apply from '../../../src/commands/batch/apply.js';
import Report from '../../../src/commands/batch/report.js';
import Resume from '../../../src/commands/batch/resume.js';
import Status from '../../../src/commands/batch/status.js';
import { describeWithOwnPostgres } from '../../helpers/postgres.js';
import { eventually } from '../../helpers/sandbox.js';
import { type Json, toldOf } from './batches.js';
import { openProcessDesk, type ProcessDesk } from './processes.js';

const ROWS = 24;

let desk: ProcessDesk | undefined;
afterEach(async () => {
  await desk?.close();
  desk = undefined;
});

describeWithOwnPostgres('a batch whose database goes away', (postgres) => {
  it('says how far it came and how to resume, and resumes without sending twice: 7', async (context) => {
    context.skip(!postgres().ours, 'the server is not ours to stop');
    desk = await openProcessDesk({ rows: ROWS, database: await postgres().createDatabase() });
    const { run, inThisProcess, plan, payments, sandbox } = desk;
    const applying = run('apply', plan, '--rate', '8/s', '--json');
    await eventually(async () => {
      const told = await toldOf(sandbox, payments.slice(0, 6), 'refund');
      expect(told.filter((count) => count === 1).length).toBeGreaterThan(3);
    });
    await postgres().crash();
    const { code, stdout } = await applying;
    const lost = JSON.parse(stdout) as Json;
    expect([code, lost.stopped]).toEqual([7, 'ledger']);
    expect(lost.next).toContain(`paydesk batch resume ${lost.id}`);
    expect(Number(lost.done)).toBeGreaterThan(3);
    expect(Number(lost.pending)).toBeGreaterThan(0);

    for (const [command, ...args] of [
      [Resume, String(lost.id)],
      [Status],
      [Report, String(lost.id)],
      [Apply, plan],
    ] as const) {
      const away = await inThisProcess(command, ...args);
      expect([command.name, away.code]).toEqual([command.name, 5]);
      expect(away.stderr).toContain('Nothing was sent.');
    }
    await postgres().start();
    const resumed = await inThisProcess(Resume, String(lost.id), '--json');
    const after = resumed.json;
    const told = await toldOf(sandbox, payments, 'refund');
    expect(Math.max(...told)).toBe(1);
    // A row is unknown when the database went away between writing its intent and sending it.
    expect(told.filter((count) => count === 1)).toHaveLength(Number(after.done));
    expect(Number(after.done) + Number(after.unknown), resumed.stdout).toBe(ROWS);
  });

  it('ends with 6 when the only row it sent has an unknown outcome', async (context) => {
    context.skip(!postgres().ours, 'the server is not ours to stop');
    desk = await openProcessDesk({ rows: 3, database: await postgres().createDatabase() });
    const { inThisProcess, plan, payments, sandbox } = desk;
    await sandbox.control('POST', '/faults', { kind: 'latency', route: 'refund', delayMs: 5_000, next: 1 });
    await sandbox.control('POST', '/faults', { kind: 'drop-before-commit', route: 'refund' });
    const applying = inThisProcess(Apply, plan, '--concurrency', '1');
    await eventually(async () => {
      const { body } = await sandbox.control<Array<{ remaining: number | null }>>('GET', '/faults');
      expect(body.filter(({ remaining }) => remaining !== null && remaining > 0)).toEqual([]);
    });
    await postgres().crash();
    const { code, stderr } = await applying;
    expect(code).toBe(6);
    expect(stderr).toContain('paydesk lost its database and stopped sending.');
    expect(stderr).toMatch(/paydesk batch resume \d{8}-\w{6}/);
    await postgres().start();
    expect(await toldOf(sandbox, payments, 'refund')).toEqual([0, 0, 0]);
  });

  it('does not say that it sent nothing when the only row it sent was throttled', async (context) => {
    context.skip(!postgres().ours, 'the server is not ours to stop');
    // The row waits for its quiet period until the database goes away.
    const env = { PAYDESK_QUIET_PERIOD: '5m' };
    desk = await openProcessDesk({ rows: 1, database: await postgres().createDatabase(), env });
    const { inThisProcess, plan, sandbox, status } = desk;
    await sandbox.control('POST', '/faults', { kind: 'rate-limit', route: 'refund', next: 1 });
    const applying = inThisProcess(Apply, plan);
    await eventually(async () => expect(await status()).toMatchObject({ throttled: 1 }));
    await postgres().crash();
    const { code, stderr } = await applying;
    expect(stderr).toContain('paydesk lost its database and stopped sending.');
    expect(stderr).not.toContain('sent nothing');
    expect(code).toBe(7);
    await postgres().start();
  });
});
