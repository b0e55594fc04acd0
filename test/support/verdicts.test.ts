import { beforeAll, describe, expect, it } from 'vitest';
import { openSeededDesk, sceneNames, type SeededDesk } from './seeded.js';

let desk: SeededDesk;
beforeAll(async () => {
  desk = await openSeededDesk();
});

/** Of payments that this desk never saw before: only the service tells of them. */
const verdicts: Record<string, [severity: string, text: string]> = {
  'seed-created': ['waiting', 'Created 10 minutes ago. The customer has not paid yet.'],
  'seed-action-required': [
    'waiting',
    'Waiting for up to 5 minutes for the customer to confirm at the provider. Nothing has been charged yet.',
  ],
  'seed-held': ['urgent', 'Held by a fraud rule for up to 3 hours. Nothing has been charged yet.'],
  'seed-authorised': [
    'attention',
    'Authorised up to 1 day ago and not captured. The provider releases the money in about 5 days at the earliest.',
  ],
  'seed-capturing': [
    'urgent',
    'Capturing for up to 2 hours: the provider has not confirmed the capture of USD 64.20.',
  ],
  'seed-captured': ['ok', 'Captured. The customer has paid EUR 49.90.'],
  'seed-refunding': [
    'urgent',
    'Refunding for up to 3 days: the provider has not confirmed the refund of EUR 15.00.',
  ],
  'seed-refunded': ['ok', 'Refunded. EUR 22.00 was given back to the customer.'],
  'seed-cancelling': [
    'urgent',
    'Cancelling for up to 1 day: the provider has not confirmed the cancellation of EUR 31.00.',
  ],
  'seed-cancelled': ['ok', 'Cancelled. The customer was not charged.'],
  'seed-declined': [
    'failed',
    'Declined: insufficient funds. Nothing was charged. The customer can try again with the same link.',
  ],
  'seed-failed': ['failed', 'Failed at the provider: the provider did not charge it. Nothing was charged.'],
  'seed-expired': ['failed', 'Expired: the customer did not pay in time. Nothing was charged.'],
  'stuck-charged': [
    'urgent',
    'Processing for up to 2 hours: the provider has not confirmed. The customer may have been charged or not.',
  ],
  'stuck-not-charged': [
    'urgent',
    'Processing for up to 2 hours: the provider has not confirmed. The customer may have been charged or not.',
  ],
  'stuck-capture-failed': [
    'urgent',
    'Capturing for up to 2 hours: the provider has not confirmed the capture of EUR 33.30.',
  ],
  'stuck-refund-failed': [
    'urgent',
    'Refunding for up to 2 days: the provider has not confirmed the refund of EUR 44.40.',
  ],
  'stuck-expiring': [
    'urgent',
    'Authorised up to 6 days ago and not captured. The provider releases the money in about 5 hours at the earliest.',
  ],
  'seed-charged': ['ok', 'Captured. The customer has paid EUR 9.90.'],
};

describe('of a seeded payment', () => {
  it.each(Object.entries(verdicts))('%s', async (reference, [severity, text]) => {
    expect(await desk.explain(reference)).toMatchObject({ severity, verdict: text });
  });

  it('is given for every scene but the one that passes by', () => {
    expect([...Object.keys(verdicts), 'seed-processing'].sort()).toEqual(sceneNames.sort());
  });

  it('asks the service once, whatever the payment is called', async () => {
    const { payment } = await desk.explain('stuck-charged');
    desk.requests();
    await desk.explain('stuck-charged');
    await desk.explain(payment.paymentId);
    expect(desk.requests()).toEqual([
      expect.stringMatching(/^GET .*\/payments\/referenceId:stuck-charged$/),
      `GET /api/apps/${desk.sandbox.app.appId}/payments/${payment.paymentId}`,
    ]);
  });
});

describe('of a payment that this desk followed', () => {
  const later = (minutes: number) => new Date(Date.now() + minutes * 60_000);
  const verdictIn = async (minutes: number, paymentId: number) =>
    (await desk.explain(paymentId, later(minutes))).verdict;

  it('dates a state exactly where the change was its own', async () => {
    await desk.fault({ kind: 'provider-silent', route: 'capture', next: 1 });
    const { paymentId } = await desk.authorised();
    await desk.run('capture', [paymentId]);
    await desk.sandbox.settle();
    expect(await verdictIn(2, paymentId)).toMatch(
      /^The capture of EUR 10\.50 was accepted 2 minutes ago \(\S+@\S+\) and is on its way\.$/,
    );
    expect(await verdictIn(20, paymentId)).toMatch(
      /^The capture of EUR 10\.50 was accepted 20 minutes ago \(\S+@\S+\), and the payment shows Capturing\.$/,
    );
    expect((await desk.explain(paymentId, later(20))).actions.map(({ command }) => command)).toEqual([
      `paydesk payments recheck ${paymentId}`,
      `paydesk payments capture ${paymentId}`,
    ]);
  });

  it('says so when the payment is there and the ledger is not', async () => {
    const { paymentId } = await desk.paid();
    await desk.run('refund', [paymentId, '--ticket', 'T-1']);
    await desk.sandbox.settle();
    const { verdict, actions } = await desk.explain(paymentId);
    expect(verdict).toMatch(
      /^The payment is Refunded\. This desk sent the refund of EUR 10\.50 (\d seconds?|a moment) ago \(\S+@\S+, T-1\) and has not settled it\.$/,
    );
    expect(actions.map(({ command }) => command)).toEqual([`paydesk payments refund ${paymentId}`]);
    expect((await desk.type(actions[0]!.command)).code).toBe(0);
    expect((await desk.explain(paymentId)).verdict).toBe(
      'Refunded. EUR 10.50 was given back to the customer.',
    );
  });

  it('tells an instruction whose answer was lost, before and after the quiet period', async () => {
    const { paymentId } = await desk.paid();
    await desk.fault({ kind: 'drop-before-commit', route: 'refund', next: 1 });
    expect((await desk.run('refund', [paymentId])).code).toBe(6);
    const early = await desk.explain(paymentId, later(3));
    expect(early.verdict).toMatch(
      /^This desk sent the refund of EUR 10\.50 3 minutes ago \(\S+@\S+\), and the answer was lost: it may have been carried out or not\. The payment shows Captured\.$/,
    );
    expect([early.severity, early.stuck]).toEqual(['urgent', true]);
    expect(early.actions.map(({ command }) => command)).toEqual([
      `paydesk payments refund ${paymentId}`,
      `paydesk payments recheck ${paymentId}`,
    ]);
    expect(early.notPossible.map(({ operation }) => operation)).toEqual(['capture', 'cancel']);
    const late = await desk.explain(paymentId, later(11));
    expect(late.actions.map(({ command }) => command)).toEqual([
      `paydesk payments refund ${paymentId} --resend`,
      `paydesk payments refund ${paymentId}`,
    ]);
  });

  it('tells an instruction of its own that came back', async () => {
    const { paymentId } = await desk.paid('refund-fails');
    expect((await desk.run('refund', [paymentId, '--wait'])).code).toBe(3);
    const { verdict, severity, actions } = await desk.explain(paymentId);
    expect([severity, verdict]).toEqual([
      'attention',
      'The refund failed at the provider, and the payment is Captured again: the customer has not got EUR 10.50 back.',
    ]);
    expect(actions.map(({ command, recommended }) => [command, recommended])).toEqual([
      [`paydesk payments refund ${paymentId} --again`, false],
    ]);
  });

  it('tells a cancellation that came back', async () => {
    const { paymentId } = await desk.authorised();
    await desk.fault({ kind: 'provider-fails', route: 'void', next: 1 });
    expect((await desk.run('cancel', [paymentId, '--wait'])).code).toBe(3);
    const { verdict, actions } = await desk.explain(paymentId);
    expect(verdict).toMatch(
      /^The cancellation failed at the provider, and the payment is Authorised again: EUR 10\.50 is reserved and not captured\. The provider releases the money in about 6 days( at the \w+)?\.$/,
    );
    expect(actions[0]).toMatchObject({
      command: `paydesk payments cancel ${paymentId} --again`,
      recommended: true,
    });
  });

  it('does not ask for the same again after a recheck that changed nothing', async () => {
    const { paymentId } = await desk.paid('three-d-secure');
    const first = await desk.explain(paymentId, later(40));
    expect([first.verdict, first.actions[0]?.command]).toEqual([
      'The customer has not confirmed at the provider for up to 40 minutes, and has probably left. Nothing has been charged yet.',
      `paydesk payments recheck ${paymentId}`,
    ]);
    expect((await desk.type(first.actions[0]!.command)).code).toBe(0);
    const second = await desk.explain(paymentId, later(40));
    expect(second.verdict).toContain('The provider was asked again 40 minutes ago, and nothing changed.');
    expect(second.actions[0]?.command).toBe(`paydesk payments cancel ${paymentId}`);
  });

  it('asks the provider first where an authorisation is probably over', async () => {
    const { paymentId } = await desk.authorised();
    const { verdict, actions, severity } = await desk.explain(paymentId, later(8 * 24 * 60));
    expect([severity, verdict]).toEqual([
      'urgent',
      'Authorised up to 8 days ago and not captured. The provider has probably released the money by now.',
    ]);
    expect(actions[0]?.command).toBe(`paydesk payments recheck ${paymentId}`);
  });

  it('calls a checkout abandoned after a day', async () => {
    const { paymentId } = await desk.sandbox.create();
    const { verdict, actions } = await desk.explain(paymentId, later(26 * 60));
    expect(verdict).toBe(
      'Created 1 day ago and never paid: the customer has probably left. Nothing was charged.',
    );
    expect(actions[0]?.command).toBe(`paydesk payments cancel ${paymentId}`);
  });

  // Last: the clock never goes back.
  it('tells an authorisation that ran out, and a charge that was declined', async () => {
    const { paymentId } = await desk.authorised();
    const customer = await desk.stored('expires-later');
    await desk.sandbox.advance(3 * 366 * 86_400_000);
    expect((await desk.explain(paymentId)).verdict).toBe(
      'Expired: EUR 10.50 was authorised and not captured in time, and the provider has released it. Nothing was charged.',
    );
    await desk.run('charge', ['--customer', customer, '--amount', '3', '--reference', 'late-charge']);
    expect((await desk.explain('late-charge')).verdict).toBe(
      'Declined: expired card. Nothing was charged. Another try needs a new charge with a new reference.',
    );
  });
});
