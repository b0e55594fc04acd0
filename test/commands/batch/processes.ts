import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { envOf, type Json, temporaryHome } from '../../helpers/desk.js';
import { paydesk, type RunResult } from '../../helpers/run.js';
import { type SandboxProcess, sandboxProcess, type ShownPayment } from '../../helpers/sandbox.js';
import { makePaid } from './desk.js';

/** A sandbox and a desk as real processes, so that they can be killed. */
export interface ProcessDesk {
  sandbox: SandboxProcess;
  home: string;
  env: Record<string, string>;
  payments: ShownPayment[];
  /** The plan that refunds all of them, or charges as many references. */
  plan: string;
  run(...args: string[]): Promise<RunResult>;
  /** Starts it and leaves it running. */
  start(...args: string[]): ChildProcess;
  startWith(env: Record<string, string>, ...args: string[]): ChildProcess;
  status(): Promise<Json>;
  close(): Promise<void>;
}

interface ProcessOptions {
  rows: number;
  /** Refunds that many payments, or charges a stored method that often. */
  action?: 'refund' | 'charge';
  database?: string;
  env?: Record<string, string>;
}

export async function openProcessDesk(options: ProcessOptions): Promise<ProcessDesk> {
  const home = temporaryHome();
  const sandbox = await sandboxProcess({ location: join(home, 'sandbox.db') });
  try {
    return await openOn(sandbox, home, options);
  } catch (error) {
    await sandbox.kill();
    rmSync(home, { recursive: true, force: true });
    throw error;
  }
}

async function openOn(sandbox: SandboxProcess, home: string, options: ProcessOptions): Promise<ProcessDesk> {
  const { action = 'refund', rows } = options;
  const payments = action === 'refund' ? await makePaid(sandbox, rows) : [];
  if (action === 'charge') await makePaid(sandbox, 1, 'approved', { registerAutoPayment: true });
  const env: Record<string, string> = {
    ...envOf(sandbox),
    ...(options.database === undefined ? {} : { PAYDESK_DATABASE: options.database }),
    ...options.env,
  };
  const csv = join(home, 'rows.csv');
  const plan = join(home, 'plan.json');
  const lines =
    action === 'refund'
      ? ['payment', ...payments.map(({ paymentId }) => paymentId)]
      : ['reference,customer,amount', ...chargeReferences(rows).map((name) => `${name},c1,10.50`)];
  writeFileSync(csv, `${lines.join('\n')}\n`);
  const run = (...args: string[]) => paydesk(['batch', ...args], { home, env, timeoutMs: 300_000 });
  const startWith: ProcessDesk['startWith'] = (more, ...args) =>
    spawnDesk(['batch', ...args], { ...env, PAYDESK_HOME: home, ...more });
  const planned = await run('plan', csv, '--action', action, '--out', plan);
  if (planned.code !== 0) throw new Error(planned.stderr);
  return {
    sandbox,
    home,
    env,
    payments,
    plan,
    run,
    start: (...args) => startWith({}, ...args),
    startWith,
    async status() {
      const { stdout } = await run('status', '--json');
      return (JSON.parse(stdout) as Json)[0] as Json;
    },
    async close() {
      await sandbox.kill();
      rmSync(home, { recursive: true, force: true });
    },
  };
}

/** The references of the charges that a plan makes. */
export const chargeReferences = (rows: number): string[] =>
  Array.from({ length: rows }, (_, index) => `renewal-${index + 1}`);

const root = new URL('../../..', import.meta.url).pathname;

function spawnDesk(args: string[], env: Record<string, string>): ChildProcess {
  return spawn(process.execPath, [join(root, 'bin', 'run.js'), ...args], {
    env: { PATH: process.env['PATH'] ?? '', NODE_ENV: 'production', ...env },
    stdio: 'ignore',
  });
}

/** Kills it after a while, unless it ends first; resolves to whether it was killed. */
export async function killAfter(child: ChildProcess, ms: number): Promise<boolean> {
  const ended = once(child, 'exit');
  const timer = setTimeout(() => child.kill('SIGKILL'), ms);
  await ended;
  clearTimeout(timer);
  return child.signalCode === 'SIGKILL';
}

/** Applies the plan and kills whoever works on it again and again, until a run comes to its end by itself. */
export async function killUntilFinished(
  desk: ProcessDesk,
  {
    runners,
    random,
    shortestMs,
    longestMs,
    rate,
  }: {
    runners: number;
    random: () => number;
    shortestMs: number;
    longestMs: number;
    /** Slow enough that it is not finished before it is killed, however fast the machine is. */
    rate?: string;
  },
): Promise<{ kills: number }> {
  const pace = rate === undefined ? [] : ['--rate', rate];
  let kills = 0;
  let patience = 1;
  // Longer where nothing came of it: a row that was cut off needs its time to be settled.
  const wait = () => patience * (shortestMs + random() * (longestMs - shortestMs));
  // The first may be killed before the batch is there at all: then the plan can still be applied.
  for (let id: string | undefined; id === undefined;) {
    if (await killAfter(desk.start('apply', desk.plan, ...pace), wait())) kills += 1;
    const { stdout } = await desk.run('status', '--json');
    const [batch] = JSON.parse(stdout) as Json;
    if (batch && batch.state !== 'loading') id = batch.id;
  }
  const { id } = await desk.status();
  for (let before = Infinity; ;) {
    const pending = Number((await desk.status()).pending);
    if (pending === 0) break;
    patience = pending < before ? 1 : patience * 1.5;
    before = pending;
    const children = Array.from({ length: runners }, () => desk.start('resume', id as string, ...pace));
    const killed = await Promise.all(children.map((child) => killAfter(child, wait())));
    kills += killed.filter(Boolean).length;
  }
  // What was cut off while it was settled is settled now.
  await desk.run('resume', id as string, '--concurrency', '32');
  return { kills };
}
