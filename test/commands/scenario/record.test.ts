import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import PaymentsCancel from '../../../src/commands/payments/cancel.js';
import PaymentsCapture from '../../../src/commands/payments/capture.js';
import PaymentsCheck from '../../../src/commands/payments/check.js';
import PaymentsCreate from '../../../src/commands/payments/create.js';
import PaymentsRefund from '../../../src/commands/payments/refund.js';
import SandboxFaultAdd from '../../../src/commands/sandbox/fault/add.js';
import SandboxPay from '../../../src/commands/sandbox/pay.js';
import SandboxProvider from '../../../src/commands/sandbox/provider.js';
import SandboxSeed from '../../../src/commands/sandbox/seed.js';
import ScenarioRecord from '../../../src/commands/scenario/record.js';
import WebhookListen from '../../../src/commands/webhook/listen.js';
import { startSandbox } from '../../../src/library/index.js';
import { runInProcess } from '../../helpers/in-process.js';
import { runText } from '../../scenarios/run-text.js';
import { start, type Running } from './running.js';

describe('scenario record', () => {
  let running: Running;
  let seeded: string[];
  const run = (Class: Parameters<typeof runInProcess>[0], words: string[], more: object = {}) =>
    runInProcess(Class, words, { env: { ...running.env, ...more }, now: new Date() });
  beforeAll(async () => {
    running = await start(['--memory']);
    const { result } = await run(SandboxSeed, ['--json']);
    seeded = (result as { seeded: Array<{ referenceId: string }> }).seeded.map(
      ({ referenceId }) => referenceId,
    );
  });
  afterAll(() => running.stop());

  /** A payment of 20 euros, paid with a test card. */
  const pay = async (reference: string, card: string, ...more: string[]) => {
    const order = ['--amount', '20', '--currency', 'EUR', '--customer', 'c_1', '--reference', reference];
    const created = await run(PaymentsCreate, [...order, '--return-url', 'https://shop.example', ...more]);
    expect(created).toMatchObject({ code: 0 });
    expect(await run(SandboxPay, [reference, '--card', card])).toMatchObject({ code: 0 });
  };

  it('writes scenarios that end as every sample payment did', async () => {
    expect(seeded.length).toBeGreaterThan(18);
    const wrong: unknown[] = [];
    for (const name of seeded) {
      const { stdout, code } = await run(ScenarioRecord, [name]);
      expect({ name, code }).toEqual({ name, code: 0 });
      const { failure } = await runText(stdout);
      if (failure) wrong.push([name, failure.title, failure.differences]);
    }
    expect(wrong).toEqual([]);
  });

  it('writes what this desk did, with its reason', async () => {
    await run(PaymentsRefund, ['seed-captured', '--reason', 'parcel lost', '--ticket', 'T-1', '--wait']);
    const { stdout } = await run(ScenarioRecord, ['seed-captured']);
    expect(stdout).toContain(`- refund: { payment: "\${order}", reason: parcel lost, ticket: T-1 }`);
    expect(stdout).toContain('state: Refunded, captured: 49.9');
    expect((await runText(stdout)).failure).toBeUndefined();
  });

  it('takes several payments in the order of what happened', async () => {
    const { stdout } = await run(ScenarioRecord, ['seed-captured', 'seed-held']);
    expect(stdout.match(/as: \w+/g)).toEqual(['as: order1', 'as: order2']);
    expect((await runText(stdout)).failure).toBeUndefined();
  });

  it('writes a decline by hand as one', async () => {
    await pay('by-hand', 'slow-approved');
    await run(SandboxProvider, ['by-hand', 'decline']);
    const { stdout } = await run(ScenarioRecord, ['by-hand']);
    expect(stdout).toContain('answer: decline');
    expect(stdout).toContain('state: Declined, captured: 0, books: { authorize: { told: 1, done: 0 } }');
    expect((await runText(stdout)).failure).toBeUndefined();
  });

  describe('a move that the provider failed', () => {
    const fail = (route: string, kind = 'provider-fails') =>
      run(SandboxFaultAdd, [kind, '--route', route, '--next', '1']);
    const manual = (reference: string, card = 'approved') => pay(reference, card, '--no-auto-capture');
    /** The recorded scenario, which ends as the payment did. */
    const recorded = async (reference: string) => {
      const { stdout } = await run(ScenarioRecord, [reference]);
      expect({ stdout, failure: (await runText(stdout)).failure }).toEqual({ stdout, failure: undefined });
      return stdout;
    };

    it('is written with the fault: a cancel', async () => {
      await manual('cancel-fails');
      await fail('void');
      await run(PaymentsCancel, ['cancel-fails']);
      const text = await recorded('cancel-fails');
      expect(text).toContain('- fault: { add: provider-fails, route: void, next: 1 }\n');
      expect(text).toMatch(/state: Authorised, .+ void: { told: 1, done: 0 } }/);
    });

    it('is written with the fault: a cancel while the provider has not answered', async () => {
      await manual('cancel-processing', 'slow-approved');
      await fail('void');
      await run(PaymentsCancel, ['cancel-processing']);
      expect(await recorded('cancel-processing')).toMatch(/ void: { told: 1, done: 0 } }/);
    });

    it('is written with both faults where its answer was lost too', async () => {
      await manual('cancel-lost');
      await fail('void');
      await fail('void', 'provider-silent');
      await run(PaymentsCancel, ['cancel-lost']);
      expect(await recorded('cancel-lost')).toMatch(/state: Cancelling, .+ void: { told: 1, done: 0 } }/);
    });

    it('is written with the fault where it was sent again, and worked', async () => {
      await manual('cancel-again');
      await fail('void');
      await run(PaymentsCancel, ['cancel-again']);
      expect(await run(PaymentsCheck, ['cancel-again'])).toMatchObject({ code: 3 });
      expect(await run(PaymentsCancel, ['cancel-again', '--again', '--wait'])).toMatchObject({ code: 0 });
      expect(await recorded('cancel-again')).toMatch(/state: Cancelled, .+ void: { told: 2, done: 1 } }/);

      await manual('capture-again');
      await fail('capture');
      await run(PaymentsCapture, ['capture-again']);
      expect(await run(PaymentsCheck, ['capture-again'])).toMatchObject({ code: 3 });
      expect(await run(PaymentsCapture, ['capture-again', '--again', '--wait'])).toMatchObject({ code: 0 });
      expect(await recorded('capture-again')).toMatch(/state: Captured, .+ capture: { told: 2, done: 1 } }/);
    });

    it('is written with the fault where another move followed it', async () => {
      await manual('capture-instead');
      await fail('void');
      await run(PaymentsCancel, ['capture-instead']);
      expect(await run(PaymentsCheck, ['capture-instead'])).toMatchObject({ code: 3 });
      expect(await run(PaymentsCapture, ['capture-instead', '--wait'])).toMatchObject({ code: 0 });
      expect(await recorded('capture-instead')).toMatch(/state: Captured, .+ void: { told: 1, done: 0 } }/);
    });

    it('is written with the fault where the service captured by itself', async () => {
      await fail('capture');
      await pay('automatic', 'approved');
      expect(await recorded('automatic')).toMatch(/state: Authorised, .+ capture: { told: 1, done: 0 } }/);
      expect(await run(PaymentsCapture, ['automatic', '--wait'])).toMatchObject({ code: 0 });
      expect(await recorded('automatic')).toMatch(/state: Captured, .+ capture: { told: 2, done: 1 } }/);
    });
  });

  it('refuses a payment that is not there', async () => {
    expect(await run(ScenarioRecord, ['nobody'])).toMatchObject({ code: 1, stdout: '' });
  });
});

describe('scenario record on a service whose sandbox this desk does not run', () => {
  it('writes what the ledger and the inbox know', async () => {
    const home = mkdtempSync(join(tmpdir(), 'paydesk-record-'));
    const service = await startSandbox({ clock: '2026-03-01T00:00:00Z' });
    const env = { ...service.env, PAYDESK_HOME: home, PAYDESK_QUIET_PERIOD: '2s' };
    const run = (Class: Parameters<typeof runInProcess>[0], words: string[], more = {}) =>
      runInProcess(Class, words, { env, now: new Date(), ...more });
    const order = [
      '--amount',
      '20',
      '--currency',
      'EUR',
      '--customer',
      'c_1',
      '--return-url',
      'https://shop.example',
    ];
    try {
      const ready = Promise.withResolvers<string>();
      const listening = run(WebhookListen, ['--tunnel', 'none', '--until', 'Captured', '--json'], {
        onWrite: (text: string) => {
          const { localUrl } = JSON.parse(text.split('\n', 1)[0] ?? '') as { localUrl?: string };
          if (localUrl !== undefined) ready.resolve(localUrl);
        },
      });
      await service.apps.change(service.appId, { webhookUrl: await ready.promise });
      expect((await run(PaymentsCreate, [...order, '--reference', 'inv-1'])).code).toBe(0);
      await service.pay('inv-1', { card: 'slow-approved' });
      await service.webhooks.waitFor('inv-1', 'Processing');
      await service.clock.advance('1h');
      expect((await listening).code).toBe(0);
      const refund = await run(PaymentsRefund, ['inv-1', '--reason', 'parcel lost', '--wait']);
      expect(refund).toMatchObject({ code: 0 });
      const { stdout, code } = await run(ScenarioRecord, ['inv-1']);
      expect(code).toBe(0);
      // Only the webhooks said that the provider took its time; only the ledger knows why it was refunded.
      expect(stdout).toContain('card: slow-approved');
      expect(stdout).toContain('refund: { payment: "${order}", reason: parcel lost }');
      expect(stdout).toContain('state: Refunded');
      const { failure, steps } = await runText(stdout);
      expect({ failure, steps }).toEqual({ failure: undefined, steps: stdout.match(/^ {2}- /gm)?.length });
    } finally {
      await service.stop();
      rmSync(home, { recursive: true, force: true });
    }
  });
});
