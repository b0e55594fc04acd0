import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { databaseLocation } from '../../../src/cli/desk/desk-database.js';
import { openDeskDatabase } from '../../../src/ledger/database.js';
import type { NewOutcome } from '../../../src/ledger/moves/entries.js';
import { eventually } from '../../helpers/sandbox.js';
import { type BatchDesk, openBatchDesk } from './batches.js';

const IDS = [701, 702, 703];

let desk: BatchDesk;
beforeAll(async () => {
  desk = await openBatchDesk();
});
afterAll(() => desk.close());

interface Instruction {
  time: number;
  paymentId: number;
}

/** A service whose faults the sandbox does not have. `refund` says how it answers, `state` what its reads show. */
interface Behaviour {
  refund(earlier: number): { status: number; body?: unknown };
  state(told: readonly Instruction[]): string;
}

const servers: Server[] = [];
afterAll(() => servers.forEach((server) => server.close()));

async function startService({ refund, state }: Behaviour) {
  const told: Instruction[] = [];
  // Each with an app of its own: the ledger knows the payments of the others.
  const appId = `app_${servers.length + 1}`;
  const of = (paymentId: number) => told.filter((each) => each.paymentId === paymentId);
  const shown = (paymentId: number) => ({
    paymentId,
    appId,
    referenceId: `order-${paymentId}`,
    amount: 10,
    currency: 'EUR',
    paymentState: state(of(paymentId)),
  });
  const server = createServer((request, response) => {
    const [, id, verb] = /\/payments\/(\d+)(?:\/(\w+))?$/.exec(request.url ?? '') ?? [];
    const paymentId = Number(id);
    let { status, body }: { status: number; body?: unknown } = { status: 200 };
    if (verb === 'refund') {
      ({ status, body } = refund(of(paymentId).length));
      told.push({ paymentId, time: Date.now() });
    }
    request.resume().on('end', () => {
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(JSON.stringify(body ?? shown(paymentId)));
    });
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const env = {
    PAYDESK_BASE_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    PAYDESK_APP_ID: appId,
    PAYDESK_API_KEY: 'sk_again',
    PAYDESK_QUIET_PERIOD: '5s',
  };
  const plan = async (name: string) => {
    const out = desk.path(name);
    const args = [desk.csv('payment', ...IDS), '--action', 'refund', '--out', out, '--json'];
    const { json } = await desk.run('plan', args, { env });
    return { out, json };
  };
  return { env, plan, of, counts: () => IDS.map((id) => of(id).length) };
}

/** Carries every refund out, answers 429, and shows it three seconds later. */
const commitsAndAnswers429: Behaviour = {
  refund: () => ({ status: 429, body: { message: 'Too many requests' } }),
  state: ([first]) => (first && Date.now() - first.time > 3_000 ? 'Refunded' : 'Captured'),
};

/** Writes to the ledger what another command has sent for the first payment, and what came of it. */
async function recordRefund(
  env: Record<string, string>,
  outcome: Pick<NewOutcome, 'outcome' | 'neverLeft'>,
  earlierId?: number,
): Promise<number> {
  const location = databaseLocation({ ...desk.env, ...env });
  const { ledger, close } = await openDeskDatabase({ location, operator: 'tester' });
  const intent = {
    appId: env['PAYDESK_APP_ID']!,
    paymentId: String(IDS[0]),
    operation: 'refund' as const,
    before: 'Captured',
    baseUrl: env['PAYDESK_BASE_URL']!,
    kind: 'sandbox' as const,
  };
  const opened = await ledger.open(intent, earlierId ? { cleared: await ledger.find(earlierId) } : {});
  if (opened.kind !== 'opened') throw new Error(opened.kind);
  await ledger.record(opened.intent.id, { ...outcome, after: 'Captured' });
  await close();
  return opened.intent.id;
}

// All of them wait for the end of a quiet period, so they do that at the same time.
describe.concurrent('a service that carries a refund out, answers 429 and shows it late', () => {
  it('is told once per payment, and every row is done in the end', async () => {
    const { env, plan, counts } = await startService(commitsAndAnswers429);
    const { out } = await plan('late.json');
    const { code, json } = await desk.run('apply', [out, '--json'], { env });
    expect([code, json]).toEqual([0, expect.objectContaining({ done: 3, pending: 0, state: 'finished' })]);
    expect(counts()).toEqual([1, 1, 1]);
    const history = await desk.run('report', [json.id!, '--json']);
    expect(history.json.rows!.map((row) => row.outcome)).toEqual(['done', 'done', 'done']);
  });

  it('is told once per payment when the batch is stopped and resumed at once', async () => {
    const { env, plan, counts } = await startService(commitsAndAnswers429);
    const { out } = await plan('late-stopped.json');
    const stopped = await desk.run('apply', [out, '--json'], {
      env,
      onStart: (interrupt) => void eventually(() => expect(counts()).toEqual([1, 1, 1])).then(interrupt),
    });
    expect([stopped.code, stopped.json]).toEqual([130, expect.objectContaining({ pending: 3 })]);
    const { code, json } = await desk.run('resume', [stopped.json.id!, '--json'], { env });
    expect([code, json]).toEqual([0, expect.objectContaining({ done: 3, pending: 0, state: 'finished' })]);
    expect(counts()).toEqual([1, 1, 1]);
  });
});

describe.concurrent('a service that carries a refund out, answers 422 and shows it late', () => {
  it('is told once, and resume finds what was refused to be done', async () => {
    let isShown = false;
    const { env, plan, counts } = await startService({
      refund: () => ({ status: 422, body: { message: 'seen before' } }),
      state: ({ length }) => (length > 0 && isShown ? 'Refunded' : 'Captured'),
    });
    const { out } = await plan('refused.json');
    const applied = await desk.run('apply', [out, '--json'], { env });
    expect([applied.code, applied.json]).toEqual([7, expect.objectContaining({ refused: 3, done: 0 })]);
    const id = applied.json.id!;
    const early = await desk.run('resume', [id, '--stop-after-failures', '1', '--json'], { env });
    expect([early.code, early.json]).toEqual([7, expect.objectContaining({ refused: 3, state: 'finished' })]);
    expect(early.stderr).toContain('3 of 3 rows not done');
    isShown = true;
    const late = await desk.run('resume', [id, '--json'], { env });
    expect([late.code, late.json]).toEqual([0, expect.objectContaining({ refused: 0, done: 3 })]);
    expect(counts()).toEqual([1, 1, 1]);
  });
});

describe.concurrent('batch apply --again', () => {
  it('sends a failed refund again only when its quiet period is over', async () => {
    const { env, plan, of, counts } = await startService({
      refund: () => ({ status: 200, body: {} }),
      // The first comes back after half a second, the second gets there.
      state: ([first, second]) => {
        if (second) return 'Refunded';
        return first && Date.now() - first.time < 500 ? 'Refunding' : 'Captured';
      },
    });
    const { out } = await plan('failing.json');
    const short = { ...env, PAYDESK_QUIET_PERIOD: '3s' };
    const first = await desk.run('apply', [out, '--wait', '--json'], { env: short });
    expect(first.json).toMatchObject({ failed: 3 });

    const retry = await plan('failed.json');
    expect(retry.json.counts).toMatchObject({ 'failed-before': 3 });
    const quiet = { ...env, PAYDESK_QUIET_PERIOD: '8s' };
    const again = await desk.run('apply', [retry.out, '--again', '--json'], { env: quiet });
    expect([again.code, again.json]).toEqual([0, expect.objectContaining({ done: 3, pending: 0 })]);
    expect(counts()).toEqual([2, 2, 2]);
    for (const id of IDS) {
      const [one, two] = of(id);
      expect(two!.time - one!.time).toBeGreaterThanOrEqual(8_000);
    }
  });
});

describe.concurrent('a payment whose refund was not taken before the batch', () => {
  const refunds: Behaviour = {
    refund: () => ({ status: 200, body: {} }),
    state: ([first]) => (first ? 'Refunded' : 'Captured'),
  };

  const recordUnsent = (env: Record<string, string>, neverLeft: boolean) =>
    recordRefund(env, { outcome: 'unsent', neverLeft });

  it('is refunded at once when that request provably never left', async () => {
    const { env, plan, counts } = await startService(refunds);
    const { out } = await plan('never-left.json');
    await recordUnsent(env, true);
    const quiet = { ...env, PAYDESK_QUIET_PERIOD: '10m' };
    const { code, json } = await desk.run('apply', [out, '--json'], { env: quiet });
    expect([code, json]).toEqual([0, expect.objectContaining({ done: 3 })]);
    expect(counts()).toEqual([1, 1, 1]);
  });

  it('waits for the end of the quiet period when that request may have left', async () => {
    const { env, plan, of, counts } = await startService(refunds);
    const { out } = await plan('may-have-left.json');
    await recordUnsent(env, false);
    const from = Date.now();
    const { code, json } = await desk.run('apply', [out, '--json'], { env });
    expect([code, json]).toEqual([0, expect.objectContaining({ done: 3 })]);
    expect(counts()).toEqual([1, 1, 1]);
    // The ledger counts from its own record, which was made a moment before.
    expect(of(IDS[0]!)[0]!.time - from).toBeGreaterThan(4_000);
    expect(of(IDS[1]!)[0]!.time).toBeLessThan(of(IDS[0]!)[0]!.time);
  });
});

describe.concurrent('a refund that was accepted and not carried out, and that another command sent again', () => {
  const LONG = { PAYDESK_QUIET_PERIOD: '10m' };

  /** A batch that takes the refund of its first payment for accepted, which is sent again with this outcome. */
  async function startBatch(outcome: 'unsent' | 'refused') {
    const { env, plan, counts } = await startService({
      refund: () => ({ status: 200, body: {} }),
      state: ([first]) => (first ? 'Refunded' : 'Captured'),
    });
    const { out } = await plan(`accepted-${outcome}.json`);
    const accepted = await recordRefund(env, { outcome: 'accepted' });
    const { json } = await desk.run('apply', [out, '--json'], { env: { ...env, ...LONG } });
    expect(json).toMatchObject({ done: 3, accepted: 1 });
    await recordRefund(env, { outcome }, accepted);
    const resume = (quiet: Record<string, string>) =>
      desk.run('resume', [json.id!, '--json'], { env: { ...env, ...quiet } });
    return { counts, resume };
  }

  it('is left to do when it was not taken, and sent by the next run once its quiet period is over', async () => {
    const { resume, counts } = await startBatch('unsent');
    const short = { PAYDESK_QUIET_PERIOD: '1s' };
    const early = await resume(short);
    expect([early.code, early.json]).toEqual([
      7,
      expect.objectContaining({ done: 2, accepted: 0, pending: 1, state: 'stopped' }),
    ]);
    expect(counts()).toEqual([0, 1, 1]);
    const late = await resume(short);
    expect([late.code, late.json]).toEqual([0, expect.objectContaining({ done: 3, accepted: 0 })]);
    expect(counts()).toEqual([1, 1, 1]);
  });

  it('is refused when the service refused it', async () => {
    const { resume, counts } = await startBatch('refused');
    const { code, json } = await resume(LONG);
    expect([code, json]).toEqual([7, expect.objectContaining({ done: 2, accepted: 0, refused: 1 })]);
    expect(counts()).toEqual([0, 1, 1]);
  });
});
