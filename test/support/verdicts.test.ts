import { beforeAll, describe, expect, it } from 'vitest';
import { openSeededDesk, sceneNames, type SeededDesk } from './seeded.js';

let desk: SeededDesk;
beforeAll(async () => {
  desk = await openSeededDesk();
});

const at = String.raw`(\d+ \w+ \d{4}, )?\d\d:\d\d UTC`;

/** Of payments that this desk never saw before: only the service tells about them. */
const verdicts: Record<string, [severity: string, text: string]> = {
  'seed-created': ['waiting', 'Created 10 minutes ago. The customer has not paid yet.'],
  'seed-action-required': [
    'waiting',
    'Waiting since AT at the earliest for the customer to confirm at the provider. Nothing has been charged.',
  ],
  'seed-held': ['urgent', 'Held by a fraud rule since AT at the earliest. Nothing has been charged.'],
  'seed-authorised': [
    'attention',
    'Authorised since AT at the earliest and not captured yet. The reservation usually ends after 7 days: AT (in TIME).',
  ],
  'seed-capturing': [
    'urgent',
    'Capturing since AT at the earliest. The provider has not confirmed the capture of USD 64.20.',
  ],
  'seed-captured': ['ok', 'Captured. The customer has paid EUR 49.90.'],
  'seed-refunding': [
    'urgent',
    'Refunding since AT at the earliest. The provider has not confirmed the refund of EUR 15.00.',
  ],
  'seed-refunded': ['ok', 'Refunded. EUR 22.00 was returned to the customer.'],
  'seed-cancelling': [
    'urgent',
    'Cancelling since AT at the earliest. The provider has not confirmed the cancellation of EUR 31.00.',
  ],
  'seed-cancelled': ['ok', 'Cancelled. The customer was not charged.'],
  'seed-declined': [
    'failed',
    'Declined (insufficient funds). Nothing was charged. The customer can try again with the same link.',
  ],
  'seed-failed': ['failed', 'Failed at the provider (the provider did not charge it). Nothing was charged.'],
  'seed-expired': ['failed', 'Expired: the customer did not pay in time. Nothing was charged.'],
  'stuck-charged': [
    'urgent',
    'Processing since AT at the earliest. The provider has not confirmed the payment: the customer may or may not have been charged.',
  ],
  'stuck-not-charged': [
    'urgent',
    'Processing since AT at the earliest. The provider has not confirmed the payment: the customer may or may not have been charged.',
  ],
  'stuck-capture-failed': [
    'urgent',
    'Capturing since AT at the earliest. The provider has not confirmed the capture of EUR 33.30.',
  ],
  'stuck-refund-failed': [
    'urgent',
    'Refunding since AT at the earliest. The provider has not confirmed the refund of EUR 44.40.',
  ],
  'stuck-expiring': [
    'urgent',
    'Authorised since AT at the earliest and not captured yet. The reservation usually ends after 7 days: AT (in TIME).',
  ],
  'seed-charged': ['ok', 'Captured. The customer has paid EUR 9.90.'],
};

describe('of a seeded payment', () => {
  it.each(Object.entries(verdicts))('%s', async (reference, [severity, text]) => {
    const explained = await desk.explain(reference);
    const verdict = explained.verdict
      .replaceAll(new RegExp(at, 'g'), 'AT')
      .replace(/in \d (hour|day)s?\)/, 'in TIME)');
    expect([explained.severity, verdict]).toEqual([severity, text]);
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
      /^The capture of EUR 10\.50 is in progress\. \S+@\S+ sent the capture 2 minutes ago\.$/,
    );
    expect(await verdictIn(20, paymentId)).toMatch(
      /^The provider has not confirmed the capture of EUR 10\.50\. \S+@\S+ sent the capture 20 minutes ago\.$/,
    );
    expect((await desk.explain(paymentId, later(20))).actions.map(({ command }) => command)).toEqual([
      `paydesk payments recheck ${paymentId}`,
      `paydesk payments check ${paymentId}`,
    ]);
  });

  it('tells a refund that the payment shows as done, also before its outcome is recorded', async () => {
    const { paymentId } = await desk.paid();
    await desk.run('refund', [paymentId, '--ticket', 'T-1']);
    await desk.sandbox.settle();
    const { verdict, severity, actions, notPossible } = await desk.explain(paymentId);
    expect(verdict).toMatch(
      /^Refunded\. EUR 10\.50 was returned to the customer\. \S+@\S+ sent the refund (\d+ seconds? ago|just now) \(T-1\)\.$/,
    );
    expect([severity, actions.filter(({ recommended }) => recommended)]).toEqual(['ok', []]);
    expect(actions.map(({ command }) => command)).toEqual([`paydesk payments check ${paymentId}`]);
    expect(notPossible.map(({ why }) => why)).toEqual([
      'it was refunded',
      'it was refunded',
      'it is refunded already',
    ]);
    // The same command settles it without sending it.
    expect((await desk.run('refund', [paymentId])).code).toBe(0);
    expect((await desk.explain(paymentId)).verdict).toBe('Refunded. EUR 10.50 was returned to the customer.');
  });

  it('tells an instruction whose answer was lost, before and after the quiet period', async () => {
    const { paymentId } = await desk.paid();
    await desk.fault({ kind: 'drop-before-commit', route: 'refund', next: 1 });
    expect((await desk.run('refund', [paymentId])).code).toBe(6);
    const early = await desk.explain(paymentId, later(3));
    expect(early.verdict).toMatch(
      /^Unknown outcome: the refund of EUR 10\.50 may or may not have been carried out\. \S+@\S+ sent the refund 3 minutes ago, and the payment shows Captured\.$/,
    );
    expect([early.severity, early.stuck]).toEqual(['urgent', true]);
    expect(early.actions.map(({ command }) => command)).toEqual([
      `paydesk payments check ${paymentId}`,
      `paydesk payments recheck ${paymentId}`,
    ]);
    expect(early.notPossible.map(({ operation }) => operation)).toEqual(['capture', 'cancel']);
    desk.passQuietPeriod();
    const late = await desk.explain(paymentId, later(11));
    expect(late.actions.map(({ command }) => command)).toEqual([
      `paydesk payments refund ${paymentId} --resend`,
      `paydesk payments check ${paymentId}`,
    ]);
  });

  it('tells an instruction of its own that came back', async () => {
    const { paymentId } = await desk.paid('refund-fails');
    expect((await desk.run('refund', [paymentId, '--wait'])).code).toBe(3);
    const { verdict, severity, stuck, actions } = await desk.explain(paymentId);
    expect([severity, stuck]).toEqual(['urgent', true]);
    const failed =
      /^Refund failed: the customer has not received EUR 10\.50\. \S+@\S+ sent the refund (\d+ seconds? ago|just now)\.$/;
    expect(verdict).toMatch(failed);
    expect(actions[0]).toMatchObject({
      title: 'Send the refund again',
      command: `paydesk payments refund ${paymentId} --again`,
      recommended: true,
    });
    const listed = (await desk.run('list', ['--stuck', '--json'])).json;
    expect(listed).toContainEqual(
      expect.objectContaining({ paymentId, severity, verdict: expect.stringMatching(failed) as unknown }),
    );
    const { stdout } = await desk.run('explain', [paymentId, '--as-reply']);
    expect(stdout).toMatch(/^Hello,\n\nWe are sorry: the refund of your payment of EUR 10\.50 /);
    expect(stdout).toContain('We are looking into it and will write to you by');
    const shown = (await desk.run('explain', [paymentId], { terminal: true })).stdout;
    expect(shown).not.toContain('Nothing needs to be done');
    await desk.run('recheck', [paymentId]);
    const commands = (await desk.explain(paymentId)).actions.map(({ command }) => command);
    expect(commands).toEqual([`paydesk payments refund ${paymentId} --again`]);
  });

  it('tells a cancellation that failed', async () => {
    const { paymentId } = await desk.authorised();
    await desk.fault({ kind: 'provider-fails', route: 'void', next: 1 });
    expect((await desk.run('cancel', [paymentId, '--wait'])).code).toBe(3);
    const { verdict, actions } = await desk.explain(paymentId);
    expect(verdict).toMatch(
      /^Cancellation failed: EUR 10\.50 is still reserved\. \S+@\S+ sent the cancellation .*\.$/,
    );
    expect(actions[0]).toMatchObject({
      command: `paydesk payments cancel ${paymentId} --again`,
      recommended: true,
    });
  });

  it('counts a reservation from the beginning, and not from the capture that failed', async () => {
    const own = await openSeededDesk();
    const before = (await own.explain('stuck-expiring')).verdict;
    expect(before).toMatch(new RegExp(`after 7 days: ${at} \\(in \\d hours\\)\\.$`));
    await own.fault({ kind: 'provider-fails', route: 'capture', next: 1 });
    expect((await own.run('capture', ['stuck-expiring', '--wait'])).code).toBe(3);
    const { verdict } = await own.explain('stuck-expiring');
    expect(verdict).toMatch(
      new RegExp(
        `^Capture failed: .* 7 days after the authorisation: ${at} at the earliest \\(in \\d hours\\)\\.$`,
      ),
    );
  });

  it('does not ask for the same again after a recheck that changed nothing', async () => {
    const { paymentId } = await desk.paid('three-d-secure');
    const first = await desk.explain(paymentId, later(40));
    expect(first.verdict).toMatch(/ They have probably left\. Nothing has been charged\.$/);
    expect(first.actions[0]?.command).toBe(`paydesk payments recheck ${paymentId}`);
    expect((await desk.type(first.actions[0]!.command)).code).toBe(0);
    const second = await desk.explain(paymentId, later(40));
    expect(second.verdict).toContain(
      'paydesk checked with the provider 40 minutes ago, and nothing changed.',
    );
    expect(second.actions[0]?.command).toBe(`paydesk payments cancel ${paymentId}`);
  });

  it('asks the provider first where an authorisation is probably over', async () => {
    const { paymentId } = await desk.authorised();
    const { verdict, actions, severity } = await desk.explain(paymentId, later(8 * 24 * 60));
    expect(severity).toBe('urgent');
    expect(verdict).toMatch(/ and not captured yet\. The reservation has probably ended by now\.$/);
    expect(actions[0]?.command).toBe(`paydesk payments recheck ${paymentId}`);
  });

  it('calls a checkout abandoned after a day', async () => {
    const { paymentId } = await desk.sandbox.create();
    const { verdict, actions } = await desk.explain(paymentId, later(26 * 60));
    expect(verdict).toBe(
      'Created 1 day ago and never paid. The customer has probably left. Nothing was charged.',
    );
    expect(actions[0]?.command).toBe(`paydesk payments cancel ${paymentId}`);
  });

  // Last: the clock never goes back.
  it('tells an authorisation that ran out, and a charge that was declined', async () => {
    const { paymentId } = await desk.authorised();
    const customer = await desk.stored('expires-later');
    await desk.sandbox.advance(3 * 366 * 86_400_000);
    expect((await desk.explain(paymentId)).verdict).toBe(
      'Expired: EUR 10.50 was authorised and not captured in time. It is no longer reserved. Nothing was charged.',
    );
    await desk.run('charge', ['--customer', customer, '--amount', '3', '--reference', 'late-charge']);
    expect((await desk.explain('late-charge')).verdict).toBe(
      'Declined (expired card). Nothing was charged. To try again, make a new charge with a new reference.',
    );
  });
});
