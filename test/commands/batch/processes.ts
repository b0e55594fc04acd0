import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Plan from '../../../src/commands/batch/plan.js';
import Resume from '../../../src/commands/batch/resume.js';
import Status from '../../../src/commands/batch/status.js';
import { envOf, type Json, type Ran, runCommand, temporaryHome } from '../../helpers/desk.js';
import { type CommandClass, homeWithLedger } from '../../helpers/in-process.js';
import { programEnvironment } from '../../helpers/program-environment.js';
import { paydesk, type RunResult } from '../../helpers/run.js';
import { eventually, type ShownPayment, startTestSandbox, type TestSandbox } from '../../helpers/sandbox.js';
import { makePaid } from './batches.js';

/** A desk whose commands are real processes, so that they can be killed. */
export interface ProcessDesk {
  sandbox: TestSandbox;
  home: string;
  env: Record<string, string>;
  payments: ShownPayment[];
  /** The plan that refunds all of them, or charges as many references. */
  plan: string;
  run(...args: string[]): Promise<RunResult>;
  /** On a machine whose wall clock is off, as faketime says it (`+90s`). */
  runAt(offset: string, ...args: string[]): Promise<RunResult>;
  /** Starts it and leaves it running. */
  start(...args: string[]): ChildProcess;
  startWith(env: Record<string, string>, ...args: string[]): ChildProcess;
  /** Runs a command where it does not matter in which process. */
  inThisProcess(command: CommandClass, ...args: string[]): Promise<Ran>;
  status(): Promise<Json>;
  /** Calls back once the service has answered that many more requests; the function returned takes it back. */
  onRequests(count: number, callback: () => void): () => void;
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
  const home = options.database === undefined ? await homeWithLedger() : temporaryHome();
  const waiting = new Set<() => void>();
  const sandbox = await startTestSandbox({
    location: join(home, 'sandbox.db'),
    onRequest({ path }) {
      if (path.startsWith('/api/')) for (const count of waiting) count();
    },
  });
  const onRequests: ProcessDesk['onRequests'] = (count, callback) => {
    let left = count;
    const answered = () => {
      left -= 1;
      if (left === 0) callback();
    };
    waiting.add(answered);
    return () => void waiting.delete(answered);
  };
  try {
    return { ...(await openOn(sandbox, home, options)), onRequests };
  } catch (error) {
    await sandbox.close();
    rmSync(home, { recursive: true, force: true });
    throw error;
  }
}

async function openOn(
  sandbox: TestSandbox,
  home: string,
  options: ProcessOptions,
): Promise<Omit<ProcessDesk, 'onRequests'>> {
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
  const runAt: ProcessDesk['runAt'] = (offset, ...args) =>
    paydesk(['batch', ...args], {
      home,
      env,
      timeoutMs: 300_000,
      under: ['faketime', '--exclude-monotonic', '-f', offset],
    });
  const startWith: ProcessDesk['startWith'] = (more, ...args) =>
    spawnDesk(['batch', ...args], { ...env, PAYDESK_HOME: home, ...more });
  const here = { env: { ...env, PAYDESK_HOME: home } };
  const inThisProcess: ProcessDesk['inThisProcess'] = (command, ...args) =>
    runCommand(command, args, { ...here, now: new Date() });
  const planned = await inThisProcess(Plan, csv, '--action', action, '--out', plan);
  if (planned.code !== 0) throw new Error(planned.stderr);
  return {
    sandbox,
    home,
    env,
    payments,
    plan,
    run,
    runAt,
    start: (...args) => startWith({}, ...args),
    startWith,
    inThisProcess,
    async status() {
      const { json } = await inThisProcess(Status, '--json');
      return json[0] as Json;
    },
    async close() {
      await sandbox.close();
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
    env: { ...programEnvironment(), TMPDIR: process.env['TMPDIR'] ?? '', ...env },
    stdio: 'ignore',
  });
}

/** Kills it after so many requests, unless it ends first; resolves to whether it was killed. */
export async function killAfter(desk: ProcessDesk, child: ChildProcess, requests: number): Promise<boolean> {
  const ended = once(child, 'exit');
  const forget = desk.onRequests(requests, () => child.kill('SIGKILL'));
  await ended;
  forget();
  return child.signalCode === 'SIGKILL';
}

export interface Kills {
  runners: number;
  random: () => number;
  /** Killed after one to so many requests: in the middle of a row as often as between two. */
  longest: number;
}

/** Applies the plan and kills whoever works on it again and again, until nothing is left to do. */
export async function killUntilFinished(
  desk: ProcessDesk,
  { runners, random, longest }: Kills,
): Promise<{ kills: number }> {
  let kills = 0;
  const work = async (...args: string[]) => {
    // A little longer after each kill: on a busy machine, one that comes early leaves no time to write anything down.
    const requests = 1 + Math.floor(random() * (longest + kills));
    if (await killAfter(desk, desk.start(...args), requests)) kills += 1;
  };
  // The first may be killed before the batch is there: then the plan can still be applied.
  let batch = await desk.status();
  for (; batch === undefined || batch.state === 'loading'; batch = await desk.status()) {
    await work('apply', desk.plan);
  }
  for (; Number(batch.pending) > 0; batch = await desk.status()) {
    const id = String(batch.id);
    await Promise.all(Array.from({ length: runners }, () => work('resume', id)));
  }
  // What was cut off while it was settled is settled now.
  await desk.inThisProcess(Resume, String(batch.id), '--concurrency', '32');
  return { kills };
}

/** Starts the plan, and resolves while its first row is on its way: the service keeps its answer back. */
export async function startUnanswered(
  { sandbox, start, plan }: ProcessDesk,
  route: 'refund' | 'charge',
): Promise<ChildProcess> {
  await sandbox.control('POST', '/faults', { kind: 'latency', route, next: 1, delayMs: 60_000 });
  const child = start('apply', plan, '--concurrency', '1');
  await eventually(async () => {
    const { body } = await sandbox.control<Array<{ remaining: number }>>('GET', '/faults');
    if (body.some(({ remaining }) => remaining > 0)) throw new Error('nothing was sent yet');
  });
  return child;
}
