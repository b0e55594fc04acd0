import { beforeAll, describe, expect, it } from 'vitest';
import { httpServer } from '../../helpers/servers.js';
import { openSeededDesk, sceneNames, type SeededDesk } from '../../support/seeded.js';
import { payments } from '../../helpers/desk.js';
import { newReference } from '../../helpers/sandbox.js';

let desk: SeededDesk;
beforeAll(async () => {
  desk = await openSeededDesk();
});

describe('payments explain', () => {
  it('reads as a person would tell it, within 80 columns', async () => {
    const { stdout, stderr, code } = await desk.run('explain', ['seed-held'], { terminal: true });
    const { paymentId } = (await desk.explain('seed-held')).payment;
    expect(code).toBe(0);
    // A slow machine says what it waits for.
    expect(stderr).toMatch(/^(.*Reading payment seed-held.*)?$/s);
    const now = stdout.split('\n').find((line) => /^ {2}now +Held$/.test(line));
    // Soon after midnight the hours before were on another day, and the sentence with the date takes two lines.
    const told = stdout
      .replaceAll(/\d\d:\d\d:\d\d|\d\d-\d\d \d\d:\d\d|(\d+ \w+ \d+, )?\d\d:\d\d(?= at)/g, 'TIME')
      .replace(/has\s+been\s+charged/, 'has been charged');
    expect(told).toBe(
      [
        'Held by a fraud rule since TIME at the earliest. Nothing has been charged.',
        '',
        `Payment   ${paymentId}   seed-held   EUR 240.00`,
        'Customer  c_cleo',
        '',
        '  TIME  Created',
        now,
        '',
        'What you can do',
        '  1. Approve and charge EUR 240.00',
        '     The provider authorises EUR 240.00, and the customer is charged right away.',
        `     paydesk payments unhold ${paymentId}`,
        '  2. Cancel the payment',
        '     The customer is not charged.',
        `     paydesk payments cancel ${paymentId}`,
        '  3. Check with the provider',
        '     Asks the provider for the latest state. Moves no money.',
        `     paydesk payments recheck ${paymentId}`,
        'Not possible: capture (it is held: approve it first), refund (nothing was',
        'captured).',
        '',
      ].join('\n'),
    );
    for (const name of sceneNames) {
      const shown = (await desk.run('explain', [name], { terminal: true })).stdout;
      expect(shown.split('\n').filter((line) => line.length > 80)).toEqual([]);
    }
  });

  it('has one clock on a terminal, that of the reader, and UTC elsewhere', async () => {
    const zone = process.env['TZ'];
    // It is day there: at night the payment would be of the day before, and show its date.
    process.env['TZ'] = new Date().getUTCHours() < 12 ? 'Asia/Manila' : 'America/La_Paz';
    try {
      const { stdout } = await desk.run('explain', ['stuck-charged'], { terminal: true });
      const [, created] = /(\d\d:\d\d):\d\d {2}Created/.exec(stdout) ?? [];
      expect(created).toBeDefined();
      expect(stdout).toContain(`Processing since ${created} at the earliest.`);
      expect(stdout).not.toContain('UTC');
      for (const more of [['--json'], ['--csv']]) {
        const elsewhere = await desk.run('explain', ['stuck-charged', ...more], { terminal: true });
        expect(elsewhere.stdout).toMatch(/Processing since .*\d\d:\d\d UTC/);
      }
      expect((await desk.run('explain', ['stuck-charged'])).stdout).toMatch(/since .*\d\d:\d\d UTC/);
    } finally {
      process.env['TZ'] = zone ?? 'UTC';
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
      'customer',
      'card',
      'provider',
      'timeline',
      'timeline',
      'possible',
      'not-possible',
      'not-possible',
    ]);
  });

  it('shows who is calling and what to quote to the provider, safe for a terminal', async () => {
    const { stdout } = await desk.run('explain', ['seed-captured'], { terminal: true });
    expect(stdout).toMatch(/^Customer {2}c_ben {3}Ben Example {3}ben@example\.\w+$/m);
    expect(stdout).toMatch(/^Card {6}Visa credit, expires \d\d\/\d{4}$/m);
    expect(stdout).toMatch(/^Provider {2}\w+ {3}ref_\w+$/m);
    const hostile = {
      paymentId: 7,
      paymentState: 'Captured',
      amount: 3,
      customerId: 'c\u001b[2J',
      payInfo: {
        providerReferenceId: 'r\u202e1',
        payer: { fullName: 'A\u0007da\nX', card: { cardBrand: 'V\u009b' } },
      },
    };
    const { url } = await httpServer((_, response) => response.end(JSON.stringify(hostile)));
    const env = { PAYDESK_BASE_URL: url, PAYDESK_APP_ID: 'a', PAYDESK_API_KEY: 'key-1234' };
    const shown = await payments(env, 'explain', ['7'], { terminal: true });
    // oxlint-disable-next-line no-control-regex -- what must not be printed
    expect(shown.stdout).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
    const reply = await payments(env, 'explain', ['7', '--as-reply'], { terminal: true });
    expect(reply.stdout).toMatch(/^Hello,\n/);
  });

  it('breaks a long command so that it can be copied', async () => {
    const { baseUrl, ...app } = { baseUrl: desk.sandbox.url, ...desk.sandbox.app };
    const { default: Add } = await import('../../../src/commands/profiles/add.js');
    const { runInProcess } = await import('../../helpers/in-process.js');
    const env = { PAYDESK_HOME: desk.home };
    const name = 'a-shop-with-a-rather-long-name';
    const words = [name, '--base-url', baseUrl, '--app-id', app.appId, '--sandbox', '--api-key-stdin'];
    expect((await runInProcess(Add, words, { env, input: app.apiKey })).code).toBe(0);
    const { default: Explain } = await import('../../../src/commands/payments/explain.js');
    const { paymentId } = (await desk.explain('seed-held')).payment;
    const options = { env, terminal: true, columns: 60, now: new Date() };
    const { stdout } = await runInProcess(Explain, ['seed-held', '--profile', name], options);
    expect(stdout).toContain(`     paydesk payments unhold ${paymentId} \\\n         --profile ${name}\n`);
    const several = await runInProcess(Explain, ['seed-held', 'seed-capturing', '--profile', name], options);
    const { paymentId: capturing } = (await desk.explain('seed-capturing')).payment;
    expect(several.stdout).toContain(`  paydesk payments recheck ${capturing} \\\n      --profile ${name}\n`);
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
      expect.objectContaining({ event: 'outcome', outcome: 'accepted', state: 'Refunding' }),
      expect.objectContaining({ event: 'outcome', operation: 'refund', outcome: 'done', state: 'Refunded' }),
      { event: 'now', time: expect.any(String), state: 'Refunded' },
    ]);
    const { stdout } = await desk.run('explain', [paymentId], { terminal: true });
    expect(stdout).toMatch(/\d\d:\d\d:\d\d {2}refund +by this desk \(\S+@\S+, T-7, parcel lost\)/);
  });

  it('shows several one below the other where a verdict would have one word per line', async () => {
    const names = ['stuck-charged', 'seed-held', 'stuck-refund-failed'];
    const { stdout } = await desk.run('explain', names, { terminal: true, columns: 60 });
    for (const name of names) expect(stdout).toMatch(new RegExp(`^ {2}reference +${name}$`, 'm'));
    const verdict = /^ {2}verdict +(.*)$/m.exec(stdout)?.[1] ?? '';
    expect(verdict.length).toBeGreaterThan(30);
    const wide = await desk.run('explain', names, { terminal: true, columns: 100 });
    expect(wide.stdout).toMatch(/^ {2}payment +reference +state +severity +verdict$/m);
  });

  it('shows only the outcome of a charge that was answered', async () => {
    const reference = newReference();
    const words = ['--customer', await desk.stored(), '--amount', '5.50', '--reference', reference];
    expect((await desk.run('charge', words)).code).toBe(0);
    const { timeline } = await desk.explain(reference);
    expect(timeline.filter(({ event }) => event === 'outcome')).toMatchObject([
      { operation: 'charge', outcome: 'done', state: 'Captured' },
    ]);
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
    expect(lines[1]).toMatch(/^\d+,seed-held,Held,≤ 3 hours,urgent,"?Held by .*,$/);
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
    expect(table.stdout).toMatch(/payment +reference +state +severity +verdict/);
    // The id is what the commands below have, the reference is what a person looks for.
    expect(table.stdout).toMatch(/^ +\d+ +seed-held +Held +urgent +Held by/m);
    // Only the merchant can say whether a held payment is safe.
    expect(table.stdout).not.toContain('unhold');
    expect((await desk.run('explain', ['nowhere'])).code).toBe(1);
  });

  it('can be told apart by id and reference, and none that needs attention is left without a command', async () => {
    const names = ['seed-held', 'seed-capturing', 'seed-captured'];
    const [held, capturing, captured] = await Promise.all(
      names.map(async (name) => (await desk.explain(name)).payment.paymentId),
    );
    const { stdout } = await desk.run('explain', [...names, 'nowhere'], { terminal: true });
    expect(stdout).toMatch(/^ {2}payment +reference +state +severity +verdict\n/);
    expect(stdout).toMatch(new RegExp(`^ {2}${held} +seed-held +Held`, 'm'));
    expect(stdout).toMatch(new RegExp(`^ {2}${captured} +seed-captured +Captured`, 'm'));
    expect(stdout).toMatch(/^ {2}nowhere +\? +error/m);
    expect(stdout).toContain(`\nRecommended\n  paydesk payments recheck ${capturing}\n`);
    expect(stdout.endsWith(`\nYou have to decide\n  paydesk payments explain ${held}\n`)).toBe(true);
  });

  it('are understood in a list as it was pasted, and never as another payment than what is written', async () => {
    const { paymentId } = (await desk.explain('seed-held')).payment;
    const hashed = await desk.sandbox.create({ referenceId: `#${paymentId}` });
    const input = `- stuck-charged\n2) "seed-captured",\nOrder: seed-held;\n#${paymentId}\n`;
    const { code, json } = await desk.run('explain', ['-', '--json'], { input });
    const explained = json as unknown as Array<{ payment: { paymentId: number; referenceId: string } }>;
    expect([code, explained.map(({ payment }) => payment.referenceId)]).toEqual([
      0,
      ['stuck-charged', 'seed-captured', 'seed-held', `#${paymentId}`],
    ]);
    expect(explained[3]?.payment.paymentId).toBe(hashed.paymentId);
    const other = await desk.run('explain', ['-', '--json'], { input: `#${hashed.paymentId}\n` });
    expect(other.json['payment']).toMatchObject({ paymentId: hashed.paymentId });
    // A command that moves money takes names as they are written.
    const refund = await desk.run('refund', ['-', '--json'], { input: '- seed-captured\n' });
    expect([refund.code, refund.stdout]).toEqual([1, expect.stringContaining('- seed-captured')]);
  });

  it('are found in the rows of a spreadsheet, and amounts are no payments', async () => {
    const input = 'seed-held\t59,90 €\nEUR 59.90\tseed-captured\n';
    const { code, json } = await desk.run('explain', ['-', '--json'], { input });
    const explained = json as unknown as Array<{ payment: { referenceId: string } }>;
    expect([code, explained.map(({ payment }) => payment.referenceId)]).toEqual([
      0,
      ['seed-held', 'seed-captured'],
    ]);
    desk.requests();
    const refund = await desk.run('refund', ['-'], { input });
    expect(refund).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('line 1: has 2 columns; leave only the one that names the payment'),
    });
    expect(desk.requests()).toEqual([]);
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
        'The service shows the state Settling. paydesk does not know it and cannot tell what is possible.',
    });
    expect(json['actions']?.map((action) => action['operation'])).toEqual(['recheck', 'watch']);
    expect(json['notPossible']).toEqual([]);
  });

  it('is no reason to fall over when nearly everything is missing', async () => {
    const { code, json } = await explainState({ paymentId: 7 });
    expect([code, json['verdict']]).toEqual([
      0,
      'The service shows no state, so paydesk cannot tell what is possible.',
    ]);
    const bare = await explainState({ paymentId: 7, paymentState: 'Authorised' });
    expect(bare.json['verdict']).toMatch(
      /^Authorised since \d.* UTC( at the latest)? and not captured yet\. The reservation /,
    );
  });
});
