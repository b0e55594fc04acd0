import { afterAll, beforeAll, expect, it } from 'vitest';
import { openTestDesk, type TestDesk } from '../../helpers/desk.js';

// The sandbox names some of its states as another service might.
let desk: TestDesk;
beforeAll(async () => {
  desk = await openTestDesk({ answers: { states: 'other' } });
});
afterAll(() => desk.sandbox.close());

const env = { PAYDESK_STATE_ALIASES: 'OnHold=Held,Authorized=Authorised' };

it('the environment maps state names without a stored profile', async () => {
  const { paymentId } = await desk.held();
  const { code, json } = await desk.run('unhold', [paymentId, '--json'], { env });
  expect({ code, outcome: json['outcome'] }).toEqual({ code: 0, outcome: 'done' });
});

it('an unknown state names the command and the variable', async () => {
  const { paymentId } = await desk.paid('held', { autoCapture: false });
  const { code, json } = await desk.run('unhold', [paymentId, '--json']);
  const error = json['error'] as unknown as { code: string; details: string; next: string[] };
  expect({ code, error: error.code }).toEqual({ code: 6, error: 'unknown-state' });
  expect(error.next).toContain('paydesk profiles alias PROFILE Authorized=OURS');
  expect(error.details).toContain('PAYDESK_STATE_ALIASES=Authorized=OURS');
});

it('a payment that can no longer be paid has no checkout link, whatever its state is called', async () => {
  const { paymentId } = await desk.held();
  const known = await desk.run('get', [paymentId], { env });
  expect(known.stdout).toContain('OnHold');
  expect(known.stdout).not.toContain('checkout');
  expect((await desk.run('get', [paymentId])).stdout).toContain('checkout');
});
