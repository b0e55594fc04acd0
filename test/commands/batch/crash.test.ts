import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import Apply from '../../../src/commands/batch/apply.js';
import Plan from '../../../src/commands/batch/plan.js';
import Report from '../../../src/commands/batch/report.js';
import Resume from '../../../src/commands/batch/resume.js';
import { describeWithPostgres } from '../../helpers/postgres.js';
import { eventually } from '../../helpers/sandbox.js';
import { paydeskTty, type RunResult } from '../../helpers/run.js';
import { toldOf } from './batches.js';
import { checkBooks } from './books.js';
import { killUntilFinished, openProcessDesk, type ProcessDesk, startUnanswered } from './processes.js';

const hasFaketime = spawnSync('faketime', ['--version']).status === 0;

let desk: ProcessDesk | undefined;
afterEach(async () => {
  await desk?.close();
  desk = undefined;
});

function seeded(seed: number): () => number {
  let state = seed;
  return () => (state = (state * 16_807) % 2_147_483_647) / 2_147_483_647;
}

describe('a batch that is killed again and again', () => {
  it('tells the provider of each row once, on SQLite', async () => {
    desk = await openProcessDesk({ rows: 16 });
    const { kills } = await killUntilFinished(desk, { runners: 1, random: seeded(10), longest: 16 });
    expect(kills).toBeGreaterThan(2);
    await checkBooks(desk);
  });
});

describe('a batch that was killed while a row was under way', () => {
  it('tells that row as unknown, in status, report and a new plan, until resume has checked it', async () => {
    desk = await openProcessDesk({ rows: 3 });
    const { sandbox, inThisProcess, payments } = desk;
    const child = await startUnanswered(desk, 'refund');
    expect(await desk.status()).toMatchObject({ state: 'running', unknown: 0, pending: 3 });
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect(await desk.status()).toMatchObject({
      state: 'stopped',
      unknown: 1,
      pending: 2,
      totals: { unknown: { EUR: expect.anything() as unknown } },
    });
    const { id } = await desk.status();
    const report = await inThisProcess(Report, id as string, '--json');
    const rows = report.json['rows'] as unknown as Array<{ payment: number; outcome: string; why: string }>;
    const [open] = rows.filter(({ outcome }) => outcome === 'unknown');
    expect([rows.length, open?.why]).toEqual([3, 'its process ended before the outcome was known']);
    const planned = await inThisProcess(Plan, join(desk.home, 'rows.csv'), '--action', 'refund', '--json');
    const again = planned.json['rows'] as unknown as Array<{
      payment: string;
      verdict: string;
      why?: string;
    }>;
    const marked = again.filter(({ why }) =>
      why?.endsWith('outcome unknown: will be checked, not sent again'),
    );
    expect(marked.map(({ payment, verdict }) => [Number(payment), verdict])).toEqual([
      [open?.payment, 'check'],
    ]);

    await sandbox.control('DELETE', '/faults');
    await inThisProcess(Resume, id as string);
    expect(await desk.status()).toMatchObject({ done: 2, unknown: 1, pending: 0, state: 'unsettled' });
    const told = await toldOf(sandbox, payments, 'refund');
    expect(told.toSorted((one, other) => one - other)).toEqual([0, 1, 1]);
  });
});

describeWithPostgres('a batch of three runners on PostgreSQL', (postgres) => {
  it('tells the provider of each row once, whoever is killed', async () => {
    desk = await openProcessDesk({ rows: 12, database: await postgres().createDatabase() });
    const { kills } = await killUntilFinished(desk, { runners: 3, random: seeded(11), longest: 24 });
    expect(kills).toBeGreaterThan(2);
    await checkBooks(desk);
  });

  it('is worked on by all of them, each row by one, though their clocks are 90 seconds apart', async () => {
    desk = await openProcessDesk({ rows: 20, database: await postgres().createDatabase() });
    // Alone it would take long enough for the others to join, however busy the machine is; they are faster.
    const first = desk.inThisProcess(Apply, desk.plan, '--rate', '2/s', '--json');
    const others = joinBatch(desk, ['+90s', '-90s']);
    const codes = [await first, ...(await others)].map(({ code, stdout, stderr }) =>
      code === 0 ? 0 : stdout + stderr,
    );
    expect(codes).toEqual([0, 0, 0]);
    expect(await desk.status()).toMatchObject({ rows: 20, done: 20, state: 'finished' });
    expect(await toldOf(desk.sandbox, desk.payments, 'refund')).toEqual(Array(20).fill(1));
  });
});

/** Joins as soon as there is something to join, with clocks that are off by so much. */
async function joinBatch({ run, runAt, status }: ProcessDesk, offsets: string[]): Promise<RunResult[]> {
  const { id } = await eventually(async () => {
    const batch = await status();
    expect(batch?.state).toBe('running');
    return batch;
  });
  const args = ['resume', id as string, '--rate', '60/s', '--json'];
  return Promise.all(offsets.map((offset) => (hasFaketime ? runAt(offset, ...args) : run(...args))));
}

describe('Ctrl-C at a terminal', () => {
  it('once: stops, settles, and says how to go on; resume finishes', async () => {
    desk = await openProcessDesk({ rows: 10 });
    const tty = await paydeskTty(['batch', 'apply', desk.plan, '--rate', '5/s'], {
      home: desk.home,
      env: desk.env,
    });
    await tty.waitFor(/[1-9]\d* of 10/);
    tty.press('ctrl-c');
    await tty.waitFor(/\^C\nStopping: nothing new is sent\./);
    await tty.waitFor(/accepted +\d+ +EUR/);
    await tty.waitFor(/left to do +\d+/);
    await tty.waitFor(/Next: {2}paydesk batch resume \S+/);
    expect(await tty.ended()).toBe(130);
    const { id } = await desk.status();
    expect((await desk.inThisProcess(Resume, id as string)).code).toBe(0);
    expect(await toldOf(desk.sandbox, desk.payments, 'refund')).toEqual(Array(10).fill(1));
  });

  it('twice: stops at once, and resume still works', async () => {
    desk = await openProcessDesk({ rows: 6 });
    await desk.sandbox.control('POST', '/faults', {
      kind: 'latency',
      route: 'refund',
      delayMs: 60_000,
      afterCommit: true,
    });
    const tty = await paydeskTty(['batch', 'apply', desk.plan], { home: desk.home, env: desk.env });
    await tty.waitFor(/in flight [1-9]/);
    tty.press('ctrl-c');
    await tty.waitFor('Stopping');
    const from = Date.now();
    tty.press('ctrl-c');
    await tty.waitFor('Stopped before the outcome was known');
    expect(await tty.ended()).toBe(6);
    expect(Date.now() - from).toBeLessThan(50_000);
    await desk.sandbox.control('DELETE', '/faults');
    const { id } = await desk.status();
    await desk.inThisProcess(Resume, id as string, '--concurrency', '16');
    await checkBooks(desk);
  });
});
