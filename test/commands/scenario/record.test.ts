import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import PaymentsRefund from '../../../src/commands/payments/refund.js';
import SandboxSeed from '../../../src/commands/sandbox/seed.js';
import ScenarioRecord from '../../../src/commands/scenario/record.js';
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
  }, 60_000);
  afterAll(() => running.stop());

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
  }, 60_000);

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

  it('refuses a payment that is not there', async () => {
    expect(await run(ScenarioRecord, ['nobody'])).toMatchObject({ code: 1, stdout: '' });
  });
});
