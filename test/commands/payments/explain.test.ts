import { beforeAll, describe, expect, it } from 'vitest';
import { httpServer } from '../../client/servers.js';
import { openSeededDesk, sceneNames, type SeededDesk } from '../../support/seeded.js';
import { payments } from './desk.js';

let desk: SeededDesk;
beforeAll(async () => {
  desk = await openSeededDesk();
});

describe('payments explain', () => {
  it('reads as a person would tell it, within 80 columns', async () => {
    const { stdout, stderr, code } = await desk.run('explain', ['seed-held'], { terminal: true });
    const { paymentId } = (await desk.explain('seed-held')).payment;
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout.replaceAll(/\d\d:\d\d:\d\d|\d\d-\d\d \d\d:\d\d/g, 'TIME')).toBe(
      [
        'Held by a fraud rule for up to 3 hours. Nothing has been charged yet.',
        `Payment ${paymentId}   seed-held   EUR 240.00`,
        '',
        '  TIME  Created',
        stdout.split('\n')[4],
        '',
        'What you can do',
        `  1. Release it        paydesk payments unhold ${paymentId}`,
        '     The provider then authorises EUR 240.00 and it is captured at once.',
        `  2. Cancel it         paydesk payments cancel ${paymentId}`,
        '     The customer is not charged.',
        `  3. Ask the provider  paydesk payments recheck ${paymentId}`,
        '     Asks the provider what became of it, and brings in what it knows.',
        'Not possible: capture (it is held; release it first), refund (nothing was',
        'captured).',
        '',
      ].join('\n'),
    );
    expect(stdout.split('\n')[4]).toMatch(/^ {2}now +Held$/);
    for (const name of sceneNames) {
      const shown = (await desk.run('explain', [name], { terminal: true })).stdout;
      expect(shown.split('\n').filter((line) => line.length > 80)).toEqual([]);
    }
  });

  it('gives a pipe rows with tabs', async () => {
    const { stdout } = await desk.run('explain', ['seed-captured']);
    const { paymentId } = (await desk.explain('seed-captured')).payment;
    const rows = stdout
      .trimEnd()
      .split('\n')
      .map((line) => line.split('\t'));
    expect(rows[0]).toEqual(['payment', String(paymentId), 'seed-captured', 'Captured']);
    expect(rows[1]).toEqual(['verdict', 'ok', 'Captured. The customer has paid EUR 49.90.']);
    expect(rows.map(([kind]) => kind)).toEqual([
      'payment',
      'verdict',
      'timeline',
      'timeline',
      'possible',
      'not-possible',
      'not-possible',
    ]);
  });

  it('tells what this desk did, with who and why, in the order in which it happened', async () => {
    const { paymentId } = await desk.paid();
    await desk.run('refund', [paymentId, '--wait', '--ticket', 'T-7', '--reason', 'parcel lost']);
    const { timeline } = await desk.explain(paymentId);
    expect(timeline).toEqual([
      { event: 'created', time: expect.any(String) },
      {
        event: 'sent',
        time: expect.any(String),
        operation: 'refund',
        operator: expect.stringMatching(/@/),
        reason: 'parcel lost',
        ticket: 'T-7',
        batch: null,
      },
      expect.objectContaining({ event: 'outcome', operation: 'refund', outcome: 'done', state: 'Refunded' }),
      { event: 'now', time: expect.any(String), state: 'Refunded' },
    ]);
    const { stdout } = await desk.run('explain', [paymentId], { terminal: true });
    expect(stdout).toMatch(/\d\d:\d\d:\d\d {2}refund +by this desk \(\S+@\S+, T-7, parcel lost\)/);
  });

  it('names the profile in its commands where it was given', async () => {
    const { baseUrl, ...app } = { baseUrl: desk.sandbox.url, ...desk.sandbox.app };
    const { default: Add } = await import('../../../src/commands/profiles/add.js');
    const { runInProcess } = await import('../../helpers/in-process.js');
    const env = { PAYDESK_HOME: desk.home };
    const words = ['shop', '--base-url', baseUrl, '--app-id', app.appId, '--sandbox', '--api-key-stdin'];
    expect((await runInProcess(Add, words, { env, input: app.apiKey })).code).toBe(0);
    const { default: Explain } = await import('../../../src/commands/payments/explain.js');
    const ran = await runInProcess(Explain, ['seed-held', '--json', '--profile', 'shop'], { env });
    const { actions } = JSON.parse(ran.stdout) as { actions: Array<{ command: string }> };
    expect(actions.map(({ command }) => command).filter((text) => !text.endsWith(' --profile shop'))).toEqual(
      [],
    );
  });
});

describe('several at once', () => {
  it('give a table with what is recommended, a CSV for a ticket, and 7 when one is not there', async () => {
    const names = ['seed-held', 'nowhere', 'seed-captured'];
    const csv = await desk.run('explain', ['-', '--csv'], { input: names.join('\n') });
    expect(csv.code).toBe(7);
    const lines = csv.stdout.trimEnd().split('\n');
    expect(lines).toHaveLength(4);
    expect(lines[0]).toBe('payment,reference,state,age,severity,verdict,next');
    expect(lines[1]).toMatch(/^\d+,seed-held,Held,≤ 3 hours,urgent,Held by .*,paydesk payments unhold \d+$/);
    expect(lines[2]).toMatch(/^nowhere,,\?,,error,There is no payment/);
    expect(lines[3]).toMatch(/^\d+,seed-captured,Captured,≤ 2 days,ok,Captured\. .*,$/);
    const json = await desk.run('explain', [...names, '--json']);
    expect(json.code).toBe(7);
    expect(json.json.map((entry) => Object.keys(entry).slice(0, 2))).toEqual([
      ['payment', 'verdict'],
      ['payment', 'error'],
      ['payment', 'verdict'],
    ]);
    const table = await desk.run('explain', names, { terminal: true });
    expect(table.stdout.split('\n').filter((line) => line.length > 80)).toEqual([]);
    expect(table.stdout).toMatch(/payment +state +age +verdict +recommended/);
    expect((await desk.run('explain', ['nowhere'])).code).toBe(1);
  });

  it('cost one request each', async () => {
    desk.requests();
    await desk.run('explain', [...sceneNames, '--json']);
    expect(desk.requests()).toHaveLength(sceneNames.length);
  });
});

describe('what the service says that nobody knows', () => {
  const explainState = async (payment: object) => {
    const { url } = await httpServer((_, response) => response.end(JSON.stringify(payment)));
    const env = { PAYDESK_BASE_URL: url, PAYDESK_APP_ID: 'a', PAYDESK_API_KEY: 'key-1234' };
    return payments(env, 'explain', ['7', '--json'], { now: new Date() });
  };

  it('is told as it is, and nothing but looking is offered', async () => {
    const { code, json } = await explainState({ paymentId: 7, paymentState: 'Settling', amount: 3 });
    expect(code).toBe(0);
    expect(json).toMatchObject({
      severity: 'attention',
      verdict:
        'The service shows the state Settling, which paydesk does not know. What may be done is not known either.',
    });
    expect(json['actions']?.map((action) => action['operation'])).toEqual(['recheck', 'watch']);
    expect(json['notPossible']).toEqual([]);
  });

  it('is no reason to fall over when nearly everything is missing', async () => {
    const { code, json } = await explainState({ paymentId: 7 });
    expect([code, json['verdict']]).toEqual([
      0,
      'The service shows no state, so what may be done is not known.',
    ]);
    const bare = await explainState({ paymentId: 7, paymentState: 'Authorised' });
    expect(bare.json['verdict']).toBe(
      'Authorised and not captured. The provider releases the money some days after it was authorised.',
    );
  });
});
