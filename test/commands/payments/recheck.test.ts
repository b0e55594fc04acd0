import { beforeAll, expect, it } from 'vitest';
import { rewriteAnswers } from '../../helpers/rewritten-answers.js';
import { eventually } from '../../helpers/sandbox.js';
import { openSeededDesk, type SeededDesk } from '../../support/seeded.js';

let desk: SeededDesk;
beforeAll(async () => {
  desk = await openSeededDesk();
});

it('says that a refund of somebody else failed, when it finds out and later', async () => {
  // A read may be behind, so one quiet period has to pass before it is certain.
  const env = { PAYDESK_QUIET_PERIOD: '1s' };
  const found = await desk.run('recheck', ['stuck-refund-failed'], { terminal: true, env });
  expect([found.code, found.stdout]).toEqual([0, expect.stringContaining('Refunding → Captured')]);
  expect(found.stderr).toContain('The refund of EUR 44.40 was in progress');
  await eventually(async () => {
    const again = await desk.run('recheck', ['stuck-refund-failed'], { env });
    expect(again.stdout).toContain('nothing changed');
    expect(again.stderr).toContain('Refund failed: the customer has not received EUR 44.40.');
  });
});

it('takes a link and a time that are made at each answer, and a field that is left out, for no change', async () => {
  const { paymentId } = await desk.paid();
  let answers = 0;
  const url = await rewriteAnswers(desk.sandbox, (body) => {
    const { fraudStatus, ...payment } = JSON.parse(body) as Record<string, unknown>;
    answers += 1;
    return JSON.stringify({
      ...payment,
      ...(answers === 1 && { fraudStatus }),
      createdTime: `2026-11-01T10:00:0${answers}Z`,
      redirectUrl: `https://pay.example/${answers}`,
    });
  });
  const env = { PAYDESK_BASE_URL: url };
  const { code, json } = await desk.run('recheck', [`id:${paymentId}`, '--json'], { env });
  expect([code, json.outcome, json.changed]).toEqual([0, 'done', false]);
  expect(answers).toBe(2);
});

it('shows several in columns at 80, with what changed said once', async () => {
  const { stdout } = await desk.run('recheck', ['seed-capturing', 'seed-cancelling'], { terminal: true });
  expect(stdout).toMatch(/^ {2}payment +reference .*before +after +result\n/);
  expect(stdout).toMatch(/^ {2}\d+ +seed-capturing .*Capturing +Captured +changed$/m);
});

it('says that the last refund of this desk failed, and which one of several', async () => {
  const { paymentId } = await desk.paid('refund-fails');
  const fine = await desk.paid();
  await desk.run('refund', [paymentId]);
  await desk.sandbox.settle();
  await desk.run('check', [paymentId]);
  const verdict = 'Refund failed: the customer has not received EUR 10.50.';
  const { stderr } = await desk.run('recheck', [paymentId, fine.paymentId]);
  expect(stderr).toContain(`${paymentId}: ${verdict}`);
  expect(stderr).not.toContain(`${fine.paymentId}:`);
  const { json } = await desk.run('recheck', [paymentId, fine.paymentId, '--json']);
  expect(json).toMatchObject([
    {
      outcome: 'done',
      changed: false,
      failed: { operation: 'refund', verdict: expect.stringContaining(verdict) },
    },
    { outcome: 'done', failed: null },
  ]);
});
