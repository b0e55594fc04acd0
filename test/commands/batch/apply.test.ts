import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type DeskOptions, runCommand, runTyped, temporaryHome } from '../../helpers/desk.js';
import { eventually, type ShownPayment } from '../../helpers/sandbox.js';
import { type BatchDesk, openBatchDesk, waiting } from './batches.js';

/** The desk of those that do not wait. */
let desk: BatchDesk;
beforeAll(async () => {
  desk = await openBatchDesk();
});
afterEach(() => desk.sandbox.control('DELETE', '/faults'));
afterAll(() => desk.close());

const sum = (numbers: number[]) => numbers.reduce((total, each) => total + each, 0);

describe('batch apply', () => {
  it.each([
    ['refund', {}, 'approved', 'refund', 'Refunded'],
    ['capture', { autoCapture: false }, 'approved', 'capture', 'Captured'],
    ['cancel', { autoCapture: false }, 'approved', 'void', 'Cancelled'],
    ['unhold', {}, 'held', 'capture', 'Captured'],
  ] as const)('carries out a %s of every row once', async (action, fields, card, kind, end) => {
    const payments = await desk.paid(6, card, fields);
    const { code, json } = await desk.run('apply', [await desk.planned(payments, action), '--json']);
    expect(json).toMatchObject({
      action,
      rows: 6,
      done: 6,
      refused: 0,
      unknown: 0,
      pending: 0,
      state: 'finished',
    });
    expect(code).toBe(0);
    expect(await desk.told(payments, kind)).toEqual(Array(6).fill(1));
    await desk.sandbox.settle();
    expect((await desk.sandbox.read(payments[0]!.paymentId)).paymentState).toBe(end);
  });

  it('reads each payment once, right before it is sent', async () => {
    const payments = await desk.paid(6);
    const plan = await desk.planned(payments);
    const about = ({ paymentId }: { paymentId: number }) =>
      desk.sandbox.lines.filter(({ path }) => path.includes(`/payments/${paymentId}`));
    // A line is written once its connection is done with it.
    await eventually(() => expect(payments.map((payment) => about(payment).length)).not.toContain(0));
    desk.posts();
    // The longer the quiet period, the longer an intent is fresh on a slow machine.
    await desk.run('apply', [plan], { env: { PAYDESK_QUIET_PERIOD: '1m' } });
    for (const payment of payments) {
      expect(about(payment).map(({ method }) => method)).toEqual(['GET', 'POST']);
    }
  });

  it('rechecks without moving anything', async () => {
    const payments = await desk.paid(3);
    const plan = await desk.planned(payments, 'recheck');
    desk.posts();
    expect((await desk.run('apply', [plan, '--json'])).json).toMatchObject({ done: 3 });
    expect(desk.posts().every((line) => line.endsWith('/recheck'))).toBe(true);
  });

  it('records each recheck, and makes known what it brought', async () => {
    const { default: List } = await import('../../../src/commands/payments/list.js');
    const { default: History } = await import('../../../src/commands/history.js');
    const env = desk.env;
    const payments = await desk.paid(2, 'unknown-charged');
    const ids = payments.map(({ paymentId }) => paymentId);
    const plan = await desk.planned(payments, 'recheck');
    expect((await desk.run('apply', [plan, '--json'])).json).toMatchObject({ done: 2 });
    const listed = (await runCommand(List, ['--all', '--json'], { env })).json;
    const states = listed.filter((row) => ids.includes(Number(row['paymentId']))).map((row) => row['state']);
    expect(states).toEqual(['Captured', 'Captured']);
    const history = (await runCommand(History, ['--operation', 'recheck', '--json'], { env })).json;
    expect(history.filter((row) => ids.includes(Number(row['paymentId'])))).toMatchObject([
      { outcome: 'done', after: 'Captured' },
      { outcome: 'done', after: 'Captured' },
    ]);
  });

  it('shows a person how it went and where to read more', async () => {
    const plan = await desk.planned(await desk.paid(3));
    const { stdout, stderr, code } = await desk.run('apply', [plan], { terminal: true });
    expect(code).toBe(0);
    expect(stdout).toMatch(/accepted +3 +EUR 31\.50/);
    expect(stderr).toMatch(/█+ {2}3 of 3/);
    expect(stderr).toMatch(/Report: {2}paydesk batch report 20261116-\w{6}/);
  });

  it('takes a plan once: 9', async () => {
    const payments = await desk.paid(2);
    const plan = await desk.planned(payments);
    expect((await desk.run('apply', [plan])).code).toBe(0);
    desk.posts();
    const again = await desk.run('apply', [plan, '--json']);
    expect(again.code).toBe(9);
    expect(again.json.error).toMatchObject({ code: 'plan-applied' });
    expect(desk.posts()).toEqual([]);
  });

  it('takes a plan once, even when two apply it at the same moment', async () => {
    const payments = await desk.paid(6);
    const plan = await desk.planned(payments);
    const codes = await Promise.all([1, 2, 3].map(async () => (await desk.run('apply', [plan])).code));
    expect(codes.toSorted((a, b) => a - b)).toEqual([0, 9, 9]);
    expect(await desk.told(payments, 'refund')).toEqual(Array(6).fill(1));
  });

  describe('with a plan that was edited', () => {
    let plan: string;
    beforeAll(async () => {
      plan = readFileSync(await desk.planned(await desk.paid(2)), 'utf8');
    });

    it.each<[string, (text: string) => string]>([
      ['a payment exchanged', (text) => text.replace(/"payment":\d+/, '"payment":1')],
      ['a verdict turned', (text) => text.replace('"verdict":"act"', '"verdict":"done"')],
      ['a row taken out', (text) => text.replace(/\n\{[^\n]*\},\n/, '\n')],
      ['a profile that is no name', (text) => text.replace(/"profile":(?:null|"[^"]*")/, '"profile":[7]')],
      ['an address that is a number', (text) => text.replace(/"baseUrl":"[^"]*"/, '"baseUrl":7')],
      ['no ledger', (text) => text.replace(/"ledger":"[^"]*",/, '')],
      ['an action that there is not', (text) => text.replace('"action":"refund"', '"action":"give"')],
      ['the action changed', (text) => text.replace('"action":"refund"', '"action":"cancel"')],
      ['the totals changed', (text) => text.replace('"totals":{"EUR":21.00}', '"totals":{"EUR":1.00}')],
      ['the digest changed', (text) => text.replace(/"digest":"./, '"digest":"x')],
      ['the end cut off', (text) => text.slice(0, -40)],
      ['the file formatted', (text) => `${JSON.stringify(JSON.parse(text), null, 2)}\n`],
      ['text after its seal', (text) => `${text}{"paydesk":"plan"}\n`],
      ['an empty line after its seal', (text) => `${text}\n`],
      ['a row broken', (text) => text.replace('"line":2', '"line":')],
    ])('refuses a plan with %s, and sends nothing', async (_, edit) => {
      const edited = desk.path('edited.json');
      writeFileSync(edited, edit(plan));
      desk.posts();
      const { code, json } = await desk.run('apply', [edited, '--json']);
      expect([2, 9]).toContain(code);
      expect(['plan-edited', 'not-a-plan']).toContain(json.error!.code);
      expect(desk.posts()).toEqual([]);
    });
  });

  describe('with a plan of a stored profile', () => {
    let home: string;
    let plan: string;
    const type = (words: string[], more: DeskOptions = {}) => runTyped(words, { home, ...more });
    const add = async (name: string, kind: 'app' | 'live') => {
      const { url, [kind]: app } = desk.sandbox;
      const where = ['--base-url', url, '--app-id', app.appId, '--api-key-stdin'];
      const flag = kind === 'live' ? '--live' : '--sandbox';
      const added = await type(['profiles', 'add', name, ...where, flag], { input: app.apiKey });
      expect(added.code).toBe(0);
    };
    beforeEach(async () => {
      home = temporaryHome();
      plan = join(home, 'plan.json');
      await add('shop', 'app');
      const [payment] = await desk.paid(1);
      const file = desk.csv('payment', payment!.paymentId);
      await type(['batch', 'plan', file, '--action', 'refund', '--out', plan, '-p', 'shop']);
    });

    it.each([
      ['a flag', ['--profile', 'other'], {}],
      ['a short flag', ['-pother'], {}],
      ['the environment', [], { PAYDESK_PROFILE: 'other' }],
    ])('names the command that works where %s names another app', async (_, flag, env) => {
      await add('other', 'live');
      const refused = await type(['batch', 'apply', plan, ...flag, '--json'], { env });
      expect([refused.code, refused.json.error!.code]).toEqual([9, 'other-app']);
      const next = `paydesk batch apply ${plan} --json --profile shop`;
      expect(refused.json.error!.next).toEqual([next]);
      expect((await type(next.split(' ').slice(1), { env })).code).toBe(0);
    });

    it('shows the profile where it has become that of another app', async () => {
      await type(['profiles', 'remove', 'shop']);
      await add('shop', 'live');
      const { code, json } = await type(['batch', 'apply', plan, '--json']);
      expect([code, json.error]).toMatchObject([
        9,
        { code: 'other-app', next: ['paydesk profiles show shop'] },
      ]);
    });
  });

  it('refuses a plan of another app, of another ledger, and what is no plan', async () => {
    const plan = await desk.planned(await desk.paid(1));
    const other = await desk.run('apply', [plan, '--json'], { env: desk.liveEnv });
    expect([other.code, other.json.error!.code]).toEqual([9, 'other-app']);
    const elsewhere = await desk.run('apply', [plan, '--json'], {
      env: { PAYDESK_HOME: desk.path('elsewhere') },
    });
    expect([elsewhere.code, elsewhere.json.error!.code]).toEqual([9, 'other-ledger']);
    expect((await desk.run('apply', [desk.csv('payment', 1)])).code).toBe(2);
    expect((await desk.run('apply', [desk.path('none.json')])).code).toBe(2);
  });

  it('refuses what is larger than it may be, before anything is sent: 9', async () => {
    const payments = [
      ...(await desk.paid(2)),
      ...(await desk.paid(1, 'approved', { currency: 'GBP', amount: 5 })),
    ];
    const plan = await desk.planned(payments);
    desk.posts();
    const refused = async (...flags: string[]) => {
      const { code, json } = await desk.run('apply', [plan, ...flags, '--json']);
      expect([code, json.error!.code]).toEqual([9, 'limit-exceeded']);
      return json.error!.message;
    };
    expect(await refused('--max-rows', '2')).toContain('it acts on 3 rows');
    expect(await refused('--max-total', 'EUR=20.99', '--max-total', 'GBP=5')).toContain('it moves EUR 21.00');
    expect(await refused('--max-total', 'EUR=21')).toContain('there is no --max-total for GBP');
    expect(desk.posts()).toEqual([]);
    expect((await desk.run('apply', [plan, '--max-total', 'EUR=x'])).code).toBe(2);
    const allowed = ['--max-rows', '3', '--max-total', 'EUR=21', '--max-total', 'GBP=5'];
    expect((await desk.run('apply', [plan, ...allowed])).code).toBe(0);
  });

  it('skips and reports what changed since the plan: 7', async () => {
    const payments = await desk.paid(3);
    const plan = await desk.planned(payments);
    await desk.sandbox.call('POST', `/payments/${payments[1]!.paymentId}/refund`);
    await desk.sandbox.settle();
    const { code, json } = await desk.run('apply', [plan, '--json']);
    expect(code).toBe(7);
    expect(json).toMatchObject({ done: 2, skipped: 1 });
    const report = await desk.run('report', [json.id!, '--json']);
    expect(report.json.rows![1]).toMatchObject({
      outcome: 'skipped',
      why: 'changed since the plan: Captured → Refunded',
    });
    expect(await desk.told(payments, 'refund')).toEqual([1, 1, 1]);
  });

  it('ends with 0 when only rows are not done that the plan left out', async () => {
    const [one, other] = await desk.paid(2);
    const [authorised] = await desk.paid(1, 'approved', { autoCapture: false });
    const out = desk.path('left-out.json');
    const rows = [`${one!.paymentId},10.50`, `${other!.paymentId},99.00`, `${authorised!.paymentId},`];
    await desk.run('plan', [desk.csv('payment,amount', ...rows), '--action', 'refund', '--out', out]);
    const { code, json } = await desk.run('apply', [out, '--json']);
    expect(json).toMatchObject({ done: 1, refused: 2, leftOut: 2, state: 'finished' });
    expect(code).toBe(0);
    expect(await desk.told([one!, other!], 'refund')).toEqual([1, 0]);
    const { stdout } = await desk.run('status', [json.id!], { terminal: true });
    expect(stdout).toMatch(/accepted +1 +EUR 10\.50\n +left out +2 +EUR 21\.00\n/);
    expect(stdout).toMatch(/The accepted row is not final yet\. To check:\n +paydesk batch resume \S+\n/);
    expect(stdout.split('\n\n').at(-1)).not.toMatch(/done|refused/);
  });

  it('calls only those rows in flight that are being sent', async () => {
    const plan = await desk.planned(await desk.paid(5));
    const { stderr } = await desk.run('apply', [plan, '--rate', '2/s'], { terminal: true });
    const inFlight = [...stderr.matchAll(/in flight (\d+)/g)].map(([, count]) => Number(count));
    expect(Math.max(0, ...inFlight)).toBeLessThanOrEqual(2);
  });

  it('reads and checks everything with --dry-run, and sends nothing', async () => {
    const plan = await desk.planned(await desk.paid(4));
    desk.posts();
    const { code, json } = await desk.run('apply', [plan, '--dry-run', '--json']);
    expect([code, json]).toEqual([
      0,
      expect.objectContaining({ dryRun: true, wouldSend: 4, wouldCheck: 0, changed: 0, unreadable: 0 }),
    ]);
    expect(desk.posts()).toEqual([]);
    expect((await desk.run('apply', [plan])).code).toBe(0);
  });

  it('names the first payments that it would send with --dry-run, and how many more there are', async () => {
    const payments = await desk.paid(22);
    const plan = await desk.planned(payments);
    const { json } = await desk.run('apply', [plan, '--dry-run', '--json']);
    expect(json).toMatchObject({ wouldSend: 22, totals: { EUR: 231 } });
    const first = payments.slice(0, 20).map(({ paymentId, referenceId }, at) => ({
      line: at + 2,
      payment: paymentId,
      reference: referenceId,
      amount: 10.5,
      currency: 'EUR',
    }));
    expect(json['payments']).toEqual(first);
    const { stdout } = await desk.run('apply', [plan, '--dry-run'], { terminal: true });
    expect(stdout).toMatch(/would refund +22 +EUR 231\.00/);
    const named = payments.filter(({ paymentId }) => stdout.includes(String(paymentId)));
    expect(named).toEqual(payments.slice(0, 20));
    expect(stdout).toContain('… 2 more');
    const piped = await desk.run('apply', [plan, '--dry-run']);
    const cells = piped.stdout
      .trimEnd()
      .split('\n')
      .map((line) => line.split('\t').length);
    expect(new Set(cells)).toEqual(new Set([5]));
    expect(piped.stderr).toMatch(/would refund +22/);
    const [{ paymentId, referenceId }] = payments as [(typeof payments)[0]];
    expect(piped.stdout).toMatch(new RegExp(`^2\\t${paymentId}\\t${referenceId}\\t10.50\\tEUR\n`));
  });

  it('writes reason, ticket and batch into the ledger', async () => {
    const [one] = await desk.paid(1);
    const out = desk.path('why.json');
    await desk.run('plan', [
      desk.csv('payment,ticket', `${one!.paymentId},T-7`),
      '--action',
      'refund',
      '--out',
      out,
    ]);
    const { json } = await desk.run('apply', [out, '--reason', 'recall', '--ticket', 'T-1', '--json']);
    const report = await desk.run('report', [json.id!, '--json']);
    expect(report.json.rows![0]).toMatchObject({ reason: 'recall', ticket: 'T-7' });
  });
});

describe('a live app', () => {
  it('needs its confirmation once for the whole plan, and a shared ledger in CI', async () => {
    const options = { key: desk.sandbox.live.apiKey, appId: desk.sandbox.live.appId };
    const payment = await desk.sandbox.create({}, options);
    const { appId } = desk.sandbox.live;
    await desk.sandbox.control('POST', `/payments/${payment.paymentId}/pay?appId=${appId}`, {
      card: 'approved',
    });
    await desk.sandbox.settle();
    const env = desk.liveEnv;
    const out = desk.path('live.json');
    const inCi = { ...env, CI: 'true' };
    const words = [desk.csv('payment', payment.paymentId), '--action', 'refund', '--out', out];
    const planned = await desk.run('plan', words, { env: inCi });
    expect(planned.stderr).toContain(`paydesk batch apply ${out} --confirm ${appId} --local-ledger\n`);
    expect(planned.stderr).toContain('set PAYDESK_DATABASE');
    desk.posts();
    const bare = await desk.run('apply', [out, '--json'], { env: inCi });
    expect([bare.code, bare.json.error!.next]).toEqual([
      9,
      [expect.stringContaining(` ${out} --json --confirm ${appId} --local-ledger`)],
    ]);
    const unconfirmed = await desk.run('apply', [out, '--json'], { env });
    expect([unconfirmed.code, unconfirmed.json.error!.code]).toEqual([9, 'confirmation-missing']);
    expect(unconfirmed.json.error!.next).toEqual([
      expect.stringContaining(` ${out} --json --confirm ${appId}`),
    ]);
    const wrong = await desk.run('apply', [out, '--confirm', 'app_x', '--json'], { env });
    expect([wrong.code, wrong.json.error!.code]).toEqual([9, 'confirmation-wrong']);
    const ci = await desk.run('apply', [out, '--confirm', appId, '--json'], { env: { ...env, CI: 'true' } });
    expect([ci.code, ci.json.error!.code]).toEqual([9, 'local-ledger']);
    expect(desk.posts()).toEqual([]);
    const args = [out, '--confirm', appId, '--local-ledger', '--json'];
    const meant = await desk.run('apply', args, { env: { ...env, CI: 'true' } });
    expect(meant.code).toBe(0);
    expect(meant.stderr).toContain('LIVE');
  });
});

describe.concurrent('batch apply that waits', () => {
  waiting('says in a log which row it waits for and until when, once and without a bar', async (desk) => {
    const payments = await desk.paid(2);
    await desk.fault({ kind: 'drop-before-commit', route: 'refund', next: 1 });
    const words = ['--wait', '--timeout', '16s', '--concurrency', '1'];
    const { stderr } = await desk.run('apply', [await desk.planned(payments), ...words]);
    const line = `line 2: ${payments[0]!.paymentId}. Waiting for the outcome of the refund. Until `;
    expect(stderr.split(line)).toHaveLength(2);
    expect(stderr).not.toMatch(/[█░]/);
  });

  waiting('counts failed and refused rows apart, with their money', async (desk) => {
    const failing = await desk.paid(2, 'refund-fails');
    const fine = await desk.paid(1, 'approved', { amount: 7, currency: 'GBP' });
    const plan = await desk.planned([...failing, ...fine]);
    const applying = desk.run('apply', [plan, '--wait', '--json']);
    await eventually(async () => expect(await desk.told(failing, 'refund')).toEqual([1, 1]));
    await desk.sandbox.settle();
    const { code, json } = await applying;
    expect(code).toBe(7);
    expect(json).toMatchObject({
      done: 1,
      failed: 2,
      refused: 0,
      totals: { done: { GBP: 7 }, failed: { EUR: 21 }, refused: {} },
    });
    const shown = await desk.run('status', [json.id!], { terminal: true });
    expect(shown.stdout).toMatch(/done +1 +GBP 7\.00\n +failed +2 +EUR 21\.00/);
  });

  waiting('ends with 5 when nothing was sent because the service failed, also for two rows', async (desk) => {
    const payments = await desk.paid(2);
    const plan = await desk.planned(payments);
    await desk.fault({ kind: 'error-before-commit', route: 'get' });
    const { code, stderr } = await desk.run('apply', [plan]);
    await desk.sandbox.control('DELETE', '/faults');
    expect(code).toBe(5);
    expect(stderr).toContain('2 of 2 rows not done: 0 done, 2 left to do.');
    expect(await desk.told(payments, 'refund')).toEqual([0, 0]);
  });
});

describe.concurrent('rows that were sent before and failed', () => {
  const env = { PAYDESK_QUIET_PERIOD: '3s' };

  /** Refunds of these payments, all of which fail at the provider. Returns the batch. */
  async function failRefunds(desk: BatchDesk, failing: ShownPayment[]): Promise<string> {
    const applying = desk.run('apply', [await desk.planned(failing), '--wait', '--json'], { env });
    await eventually(async () => expect(await desk.told(failing, 'refund')).toEqual(failing.map(() => 1)));
    await desk.sandbox.settle();
    const { json } = await applying;
    expect(json).toMatchObject({ failed: failing.length });
    return json.id!;
  }

  waiting('keep the plan usable for --again where it would send nothing without: 9', async (desk) => {
    const failing = await desk.paid(2, 'refund-fails');
    await failRefunds(desk, failing);
    const plan = await desk.planned(failing);
    const batches = async () => (await desk.run('status', ['--json'])).json['length'];
    const before = await batches();
    expect(before).toBeGreaterThan(0);
    desk.posts();
    const dry = await desk.run('apply', [plan, '--dry-run', '--json'], { env });
    expect([dry.code, dry.json]).toEqual([0, expect.objectContaining({ wouldSend: 0 })]);
    const { code, json } = await desk.run('apply', [plan, '--json'], { env, id: 'batch:apply' });
    expect([code, json.error]).toEqual([
      9,
      expect.objectContaining({
        code: 'nothing-to-send',
        message: `${plan} would send nothing. Left out: 2 failed before. Nothing was sent, and no batch was recorded. To send again what failed before, add --again.`,
        next: [`paydesk batch apply ${plan} --json --again`],
      }),
    ]);
    expect([await batches(), desk.posts()]).toEqual([before, []]);
    const again = await desk.run('apply', [plan, '--again', '--json'], { env });
    expect([again.code, again.json]).toEqual([0, expect.objectContaining({ done: 2 })]);
    expect(await desk.told(failing, 'refund')).toEqual([2, 2]);
  });

  waiting('are named by the plan, left out without --again, and sent once with it', async (desk) => {
    const failing = await desk.paid(2, 'refund-fails');
    const fresh = await desk.paid(1);
    const failed = await failRefunds(desk, failing);

    const retry = await desk.run('report', [failed, '--not-done']);
    const out = desk.path('retry.json');
    const input = `${retry.stdout}${fresh[0]!.paymentId},,,,,\n`;
    const planRetry = () => desk.run('plan', ['-', '--action', 'refund', '--out', out, '--json'], { input });
    const planned = await planRetry();
    expect(planned.json.counts).toMatchObject({ act: 1, 'failed-before': 2 });
    expect(planned.json).toMatchObject({ totals: { EUR: 10.5 }, failedTotals: { EUR: 21 } });
    expect(planned.json.rows![0]!.why).toMatch(/^sent \d+ \w{3} 2\d{3}, \d\d:\d\d UTC and failed$/);
    const without = await desk.run('apply', [out, '--json'], { env });
    expect([without.code, without.json]).toEqual([
      0,
      expect.objectContaining({ done: 1, failed: 2, failedBefore: 2 }),
    ]);
    expect(await desk.told(failing, 'refund')).toEqual([1, 1]);

    await planRetry();
    const limited = await desk.run('apply', [out, '--again', '--max-total', 'EUR=20', '--json'], { env });
    expect([limited.code, limited.json.error!.code]).toEqual([9, 'limit-exceeded']);
    const dry = await desk.run('apply', [out, '--again', '--dry-run', '--json'], { env });
    expect(dry.json).toMatchObject({ wouldSend: 2 });
    const again = await desk.run('apply', [out, '--again', '--json'], { env });
    expect(again.json).toMatchObject({ rows: 3, done: 2, accepted: 2, skipped: 1 });
    expect(await desk.told(failing, 'refund')).toEqual([2, 2]);
    // The same plan is used up, and resuming the batch sends nothing again.
    expect((await desk.run('apply', [out, '--again'], { env })).code).toBe(9);
    await desk.run('resume', [again.json.id!, '--json'], { env });
    expect(await desk.told(failing, 'refund')).toEqual([2, 2]);
  });
});

describe.concurrent('rows whose outcome is open', () => {
  const env = { PAYDESK_QUIET_PERIOD: '3s' };

  /** A plan of one payment to refund and one whose refund was lost on the way. */
  async function planWithOpen(desk: BatchDesk) {
    const [open, fresh] = await desk.paid(2);
    await desk.fault({ kind: 'drop-before-commit', route: 'refund', next: 1 });
    const lost = await desk.run('apply', [await desk.planned([open!]), '--json'], { env });
    expect(lost.json).toMatchObject({ unknown: 1 });
    const out = desk.path('open.json');
    const file = desk.csv('payment', open!.paymentId, fresh!.paymentId);
    const plan = (...args: string[]) =>
      desk.run('plan', [file, '--action', 'refund', '--out', out, ...args], { env, terminal: true });
    return { open: open!, fresh: fresh!, lost: lost.json.id!, out, plan };
  }

  waiting('are counted apart from what the plan sends, checked, and not sent', async (desk) => {
    const { open, fresh, out, plan } = await planWithOpen(desk);
    const shown = await plan();
    expect(shown.stdout).toMatch(
      /will refund +1 +EUR 10\.50\n +will check +1 +sent\s+\d+\s+\w+\s+\d+,\s+[\d:]+\s+UTC,\s+outcome\s+unknown:\s+will\s+be\s+checked,\s+not\s+sent\s+again/,
    );
    const { json } = await plan('--json');
    expect(json).toMatchObject({ totals: { EUR: 10.5 }, counts: { act: 1, check: 1 } });
    expect(json.rows!.map(({ verdict }) => verdict)).toEqual(['check', 'act']);
    const dry = await desk.run('apply', [out, '--dry-run', '--json'], { env });
    expect(dry.json).toMatchObject({ wouldSend: 1, wouldCheck: 1, totals: { EUR: 10.5 } });
    expect(dry.json['payments']).toMatchObject([{ payment: fresh.paymentId }]);
    const limits = ['--max-rows', '1', '--max-total', 'EUR=10.50'];
    const applied = await desk.run('apply', [out, ...limits, '--json'], { env });
    expect(applied.json).toMatchObject({ done: 1, unknown: 1 });
    expect(await desk.told([open, fresh], 'refund')).toEqual([0, 1]);
  });

  waiting('are not sent either when their outcome was found out after the plan', async (desk) => {
    const { open, fresh, lost, out, plan } = await planWithOpen(desk);
    await plan();
    // The service does not take it the next time, so nothing is open any more.
    await desk.fault({ kind: 'rate-limit', route: 'refund', retryAfterS: 0 });
    await eventually(async () => {
      const resumed = await desk.run('resume', [lost, '--resend-unmoved', '--json'], { env });
      expect(resumed.json).toMatchObject({ throttled: 1, unknown: 0 });
    });
    await desk.sandbox.control('DELETE', '/faults');
    const applied = await desk.run('apply', [out, '--json'], { env });
    expect([applied.code, applied.json]).toEqual([7, expect.objectContaining({ done: 1, skipped: 1 })]);
    const report = await desk.run('report', [applied.json.id!, '--json']);
    expect(report.json.rows![0]!.why).toBe(
      'the plan only checks its earlier refund, which is no longer open: plan it again',
    );
    expect(await desk.told([open, fresh], 'refund')).toEqual([0, 1]);
  });
});

describe.concurrent('breakers', () => {
  waiting('a canary that is not done stops the rest: 7', async (desk) => {
    const payments = await desk.paid(10);
    await desk.fault({ kind: 'error-before-commit', route: 'refund', next: 1 });
    const plan = await desk.planned(payments);
    desk.posts();
    const { code, json } = await desk.run('apply', [plan, '--canary', 3, '--json']);
    expect(code).toBe(7);
    expect(json).toMatchObject({ stopped: 'canary', done: 0, pending: 9, state: 'stopped' });
    expect(desk.posts().filter((line) => line.endsWith('/refund'))).toHaveLength(1);
  });

  waiting('a canary that is done lets the rest follow', async (desk) => {
    const payments = await desk.paid(10);
    const { code, json } = await desk.run('apply', [await desk.planned(payments), '--canary', 3, '--json']);
    expect([code, json.done]).toEqual([0, 10]);
  });

  waiting('so many failures stop it, and resume goes on: 7', async (desk) => {
    const payments = await desk.paid(10);
    await desk.fault({ kind: 'error-before-commit', route: 'refund' });
    const plan = await desk.planned(payments);
    const args = [plan, '--stop-after-failures', 3, '--concurrency', 2, '--json'];
    const { code, json } = await desk.run('apply', args);
    expect(code).toBe(7);
    expect(json.stopped).toBe('failures');
    expect(json.unknown).toBeGreaterThanOrEqual(3);
    expect(json.unknown).toBeLessThanOrEqual(4);
    await desk.sandbox.control('DELETE', '/faults');
    const rest = await desk.run('resume', [json.id!, '--json']);
    expect(rest.json).toMatchObject({ pending: 0, unknown: json.unknown, state: 'unsettled' });
    expect(sum(await desk.told(payments, 'refund'))).toBe(10 - Number(json.unknown));
  });
});

describe.concurrent('a service that is slow to take them', () => {
  const env = { PAYDESK_QUIET_PERIOD: '3s' };
  const refunds = ({ sandbox }: BatchDesk) => sandbox.lines.filter(({ path }) => path.endsWith('/refund'));

  /** In every place that shows the batch: left to do, because the service throttled it. */
  async function expectThrottled(desk: BatchDesk, id: string, rows: number): Promise<void> {
    const status = await desk.run('status', [id, '--json']);
    expect(status.json[0]).toMatchObject({ pending: rows, throttled: rows, unknown: 0 });
    const { stdout } = await desk.run('status', [id], { terminal: true });
    expect(stdout).toMatch(new RegExp(`left to do +${rows} `));
    expect(stdout).toMatch(
      new RegExp(`throttled ${rows} of those left to do, and they had not changed so far`),
    );
    const report = await desk.run('report', [id, '--json']);
    expect(report.json.batch).toMatchObject({ throttled: rows });
    expect(report.json.rows!.map(({ outcome, why }) => [outcome, why])).toEqual(
      Array.from({ length: rows }, () => ['throttled', expect.stringContaining('the service answered 429')]),
    );
    const page = await desk.run('report', [id, '--format', 'html']);
    expect(page.stdout).toContain('<td class="throttled">throttled</td>');
    const junit = await desk.run('report', [id, '--format', 'junit']);
    expect(junit.stdout.match(/<skipped message="/g)).toHaveLength(rows);
    const retry = await desk.run('report', [id, '--not-done']);
    expect(retry.stdout.trimEnd().split('\n')).toHaveLength(rows + 1);
  }

  waiting(
    'gets a row again at the end of the batch when it said 429, after the quiet period and a recheck',
    async (desk) => {
      const payments = await desk.paid(12);
      const plan = await desk.planned(payments);
      await desk.fault({ kind: 'rate-limit', route: 'refund', next: 2, retryAfterS: 0 });
      desk.sandbox.lines.length = 0;
      const { code, stdout, stderr } = await desk.run('apply', [plan], {
        env: { PAYDESK_QUIET_PERIOD: '8s' },
        terminal: true,
      });
      expect(code).toBe(0);
      expect(stdout).toMatch(/accepted +12 +EUR 126\.00/);
      expect(stderr).toMatch(/2 rows wait until \d\d:\d\d:\d\d UTC/);
      expect(refunds(desk)).toHaveLength(14);
      // All others were sent before the first of them was sent again.
      const sent = refunds(desk).map(({ path }) => path);
      expect(new Set(sent.slice(0, 12)).size).toBe(12);
      for (const path of sent.slice(12)) {
        const lines = desk.sandbox.lines.filter((line) => line.path.startsWith(path.replace(/refund$/, '')));
        const asked = lines.map((line) => line.path.split('/').at(-1));
        const between = asked.slice(asked.indexOf('refund') + 1, asked.lastIndexOf('refund'));
        // Right after the 429, and once more after the quiet period.
        expect(between.filter((each) => each === 'recheck')).toHaveLength(2);
      }
      expect(await desk.told(payments, 'refund')).toEqual(Array(12).fill(1));
    },
  );

  waiting(
    'is sent one row three times at most in one run, and the rest is left to resume: 7',
    async (desk) => {
      const payments = await desk.paid(2);
      const plan = await desk.planned(payments);
      await desk.fault({ kind: 'rate-limit', route: 'refund', retryAfterS: 0 });
      desk.sandbox.lines.length = 0;
      const { code, json } = await desk.run('apply', [plan, '--json'], { env });
      expect([code, json]).toEqual([7, expect.objectContaining({ done: 0, pending: 2, state: 'stopped' })]);
      expect(refunds(desk)).toHaveLength(6);
      await expectThrottled(desk, String(json.id), 2);
      await desk.sandbox.control('DELETE', '/faults');
      const resumed = await desk.run('resume', [json.id!, '--json'], { env });
      expect([resumed.code, resumed.json]).toEqual([0, expect.objectContaining({ done: 2, pending: 0 })]);
      expect(await desk.told(payments, 'refund')).toEqual([1, 1]);
    },
  );

  waiting(
    'keeps a row throttled while resume waits for its quiet period, and gets nothing more',
    async (desk) => {
      const plan = await desk.planned(await desk.paid(1));
      await desk.fault({ kind: 'rate-limit', route: 'refund', retryAfterS: 0 });
      const { json } = await desk.run('apply', [plan, '--json'], { env });
      desk.sandbox.lines.length = 0;
      const early = await desk.run('resume', [json.id!, '--json'], {
        env: { PAYDESK_QUIET_PERIOD: '10m' },
        onStart: (interrupt) =>
          void eventually(() => expect(desk.sandbox.lines).not.toEqual([])).then(interrupt),
      });
      expect([early.code, early.json]).toEqual([130, expect.objectContaining({ pending: 1, throttled: 1 })]);
      expect(refunds(desk)).toEqual([]);
    },
  );

  waiting('is not waited for after Ctrl-C: 130', async (desk) => {
    const plan = await desk.planned(await desk.paid(1));
    await desk.fault({ kind: 'rate-limit', route: 'refund', retryAfterS: 0 });
    desk.sandbox.lines.length = 0;
    const { code, json } = await desk.run('apply', [plan, '--json'], {
      env: { PAYDESK_QUIET_PERIOD: '10m' },
      onStart: (interrupt) => void eventually(() => expect(refunds(desk)).toHaveLength(1)).then(interrupt),
    });
    expect([code, json]).toEqual([130, expect.objectContaining({ stopped: 'asked', pending: 1 })]);
    await expectThrottled(desk, String(json.id), 1);
    expect(json.next).toEqual([`paydesk batch resume ${json.id}`, `paydesk batch report ${json.id}`]);
  });

  waiting('is asked no faster than --rate', async (desk) => {
    const plan = await desk.planned(await desk.paid(11));
    const from = Date.now();
    expect((await desk.run('apply', [plan, '--rate', '20/s'])).code).toBe(0);
    expect(Date.now() - from).toBeGreaterThan(480);
    expect((await desk.run('apply', [plan, '--rate', 'fast'])).code).toBe(2);
  });
});
