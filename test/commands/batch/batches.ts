import { cpSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'vitest';
import Apply from '../../../src/commands/batch/apply.js';
import Plan from '../../../src/commands/batch/plan.js';
import Report from '../../../src/commands/batch/report.js';
import Resume from '../../../src/commands/batch/resume.js';
import Status from '../../../src/commands/batch/status.js';
import type { SandboxOptions } from '../../../src/sandbox/sandbox.js';
import { type DeskOptions, openTestDesk, type Ran, type TestDesk } from '../../helpers/desk.js';
import { homeWithLedger } from '../../helpers/in-process.js';
import type { ShownPayment, TestSandbox } from '../../helpers/sandbox.js';

const commands = { plan: Plan, apply: Apply, resume: Resume, status: Status, report: Report };
export type Verb = keyof typeof commands;

export interface BatchDesk extends Omit<TestDesk, 'run' | 'paid'> {
  run(verb: Verb, args: Array<string | number>, options?: DeskOptions): Promise<Ran>;
  /** Payments in Captured, or where the card and the fields lead. */
  paid(count: number, card?: string, fields?: Record<string, unknown>): Promise<ShownPayment[]>;
  /** A CSV file with these lines. */
  csv(...lines: Array<string | number>): string;
  path(name: string): string;
  /** Plans these payments and returns the path of the plan. */
  planned(payments: readonly ShownPayment[], action?: string): Promise<string>;
  /** Requests that would change something since the last time this was called. */
  posts(): string[];
  /** How often the provider was told to do this to each payment. */
  told(payments: readonly ShownPayment[], kind: string): Promise<number[]>;
  close(): Promise<void>;
}

export async function openBatchDesk(options: Partial<SandboxOptions> = {}): Promise<BatchDesk> {
  const desk = await openTestDesk(options);
  const { sandbox, home } = desk;
  cpSync(await homeWithLedger(), home, { recursive: true });
  let files = 0;
  const path = (name: string) => join(home, name);

  const run: BatchDesk['run'] = (verb, args, given) => desk.run(commands[verb], args, given);
  const csv: BatchDesk['csv'] = (...lines) => {
    const file = path(`rows-${(files += 1)}.csv`);
    writeFileSync(file, `${lines.join('\n')}\n`);
    return file;
  };

  return {
    ...desk,
    run,
    csv,
    path,
    paid: (count, card = 'approved', fields = {}) => makePaid(sandbox, count, card, fields),
    async planned(payments, action = 'refund') {
      const out = path(`plan-${(files += 1)}.json`);
      const file = csv('payment', ...payments.map(({ paymentId }) => paymentId));
      const { code, stderr } = await run('plan', [file, '--action', action, '--out', out]);
      if (code !== 0) throw new Error(stderr);
      return out;
    },
    posts: () => desk.requests().filter((line) => !line.startsWith('GET ') && line.includes(' /api')),
    told: (payments, kind) => toldOf(sandbox, payments, kind),
    async close() {
      await sandbox.close();
      rmSync(home, { recursive: true, force: true });
    },
  };
}

/** A test that mostly waits: at a desk of its own, so that several of them wait at the same time. */
export const waiting = (name: string, work: (desk: BatchDesk) => Promise<void>): void =>
  it.concurrent(name, async () => {
    const own = await openBatchDesk();
    try {
      await work(own);
    } finally {
      await own.close();
    }
  });

type Service = Pick<TestSandbox, 'create' | 'pay' | 'settle' | 'read' | 'books'>;

export async function makePaid(
  sandbox: Service,
  count: number,
  card = 'approved',
  fields: Record<string, unknown> = {},
): Promise<ShownPayment[]> {
  const one = async () => {
    const { paymentId } = await sandbox.create({ returnUrl: 'https://shop.example/done', ...fields });
    await sandbox.pay(paymentId, card);
    return paymentId;
  };
  const ids = await inTurns(Array.from({ length: count }, () => one));
  await sandbox.settle();
  return inTurns(ids.map((id) => () => sandbox.read(id)));
}

/** A few at a time: thousands at once would time out on a busy machine. */
async function inTurns<T>(work: ReadonlyArray<() => Promise<T>>): Promise<T[]> {
  const results: T[] = [];
  for (let at = 0; at < work.length; at += 20) {
    results.push(...(await Promise.all(work.slice(at, at + 20).map((each) => each()))));
  }
  return results;
}

export async function toldOf(
  sandbox: Pick<Service, 'books'>,
  payments: readonly ShownPayment[],
  kind: string,
): Promise<number[]> {
  const all: number[] = [];
  for (const { paymentId } of payments) {
    const books = await sandbox.books(paymentId);
    all.push(Number(books[kind]?.split('/')[0] ?? 0));
  }
  return all;
}

export type { Json, Ran } from '../../helpers/desk.js';
