import { existsSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import BatchApply from '../../../src/commands/batch/apply.js';
import PaymentsRefund from '../../../src/commands/payments/refund.js';
import type { OutputStream } from '../../../src/output/streams.js';
import { addFault, runCommand, temporaryHome } from '../../helpers/desk.js';
import { rewriteAnswers } from '../../helpers/rewritten-answers.js';
import { eventually, startTestSandbox } from '../../helpers/sandbox.js';
import { windows1252 } from '../../helpers/windows-1252.js';
import { HEADER, MAPPING } from '../../reconcile/northbank.js';
import { deskOn, openReconcileDesk, type ReconcileDesk, today } from './settlements.js';

let desk: ReconcileDesk;
let file: string;
let twice: number;
const folder = temporaryHome();
beforeAll(async () => {
  desk = await openReconcileDesk();
  const made = [await desk.paid(), await desk.paid({ amount: 49.9 }), await desk.paid()];
  await desk.know(...made);
  const [one, two, missing] = made as [(typeof made)[0], (typeof made)[0], (typeof made)[0]];
  twice = two.paymentId;
  expect(missing).toBeDefined();
  file = desk.file(
    desk.line(one),
    desk.line(two),
    desk.line(two, { captureId: 'cap_again' }),
    `${today()},capture,=HYPERLINK(1),,<b>nobody</b>,5.00,,,EUR`,
  );
});
afterAll(() => desk.sandbox.close());

describe('what reconcile prints', () => {
  it.each([60, 80, 120])('fits a terminal of %d columns', async (columns) => {
    const { stdout, stderr, code } = await desk.run([file, '--map', desk.map], { terminal: true, columns });
    expect(code).toBe(7);
    expect(stdout).toContain('4 lines of');
    expect(stdout).toContain('The totals balance to the last cent');
    expect(stdout).toContain('captured twice');
    expect(stdout).toContain(`  paydesk payments refund ${twice}\n`);
    expect(stderr).toContain('3 exceptions need attention');
    for (const text of `${stdout}${stderr}`.split('\n')) {
      // Progress is redrawn in place, and a command is never broken.
      if (!text.includes('\u001B') && !text.includes('paydesk '))
        expect(text.length).toBeLessThanOrEqual(columns);
    }
  });

  it('says nothing of its output when the program that reads it has ended', async () => {
    const stdout: OutputStream = {
      write: (_text, done) => done?.(Object.assign(new Error('write EPIPE'), { code: 'EPIPE' })),
    };
    const { code, stderr } = await desk.run([file, '--map', desk.map, '--csv'], { stdout });
    expect(code).toBe(7);
    expect(stderr).not.toContain('could not be written');
    expect(stderr).not.toContain('captured-twice');
  });

  it('gives a pipe one exception per row, and the totals on stderr', async () => {
    const { stdout, stderr } = await desk.run([file, '--map', desk.map]);
    const rows = stdout
      .trimEnd()
      .split('\n')
      .map((row) => row.split('\t'));
    expect(rows.map(([line, exception]) => [line, exception])).toEqual([
      ['4', 'captured-twice'],
      ['5', 'not-at-service'],
      ['', 'not-in-file'],
    ]);
    expect(stderr).toContain('4 lines of');
    expect(stderr).toContain('2 match, 2 need attention, and 1 missing: 3 exceptions.');
    expect(stderr).toContain('The file lacks 1 capture: EUR 10.50.');
  });

  it('writes CSV that no spreadsheet takes for a formula, for its owner alone', async () => {
    const out = join(folder, 'exceptions.csv');
    const { stdout } = await desk.run([file, '--map', desk.map, '--format', 'csv', '--out', out]);
    expect(readFileSync(out, 'utf8')).toBe(stdout);
    expect(stdout).toContain(`'=HYPERLINK(1)`);
    expect(stdout.split('\n')[0]).toMatch(/^line,exception,payment,amount,currency,/);
    if (process.platform !== 'win32') expect(statSync(out).mode & 0o777).toBe(0o600);
  });

  it('escapes what the file says in HTML and in Markdown', async () => {
    const page = (await desk.run([file, '--map', desk.map, '--format', 'html'])).stdout;
    expect(page).toContain('&lt;b&gt;nobody&lt;/b&gt;');
    expect(page).toContain(`paydesk payments refund ${twice}`);
    expect(page).not.toContain('<b>nobody');
    const markdown = (await desk.run([file, '--map', desk.map, '--format', 'markdown'])).stdout;
    expect(markdown).toContain(String.raw`\<b\>nobody\</b\>`);
    expect(markdown).toContain('| captured twice |');
  });

  it('prints the same JSON for --json, --format json and in part for --jq', async () => {
    const json = await desk.run([file, '--map', desk.map, '--json']);
    expect((await desk.run([file, '--map', desk.map, '--format', 'json'])).stdout).toBe(json.stdout);
    const { stdout } = await desk.run([file, '--map', desk.map, '--jq', '.exceptions[].exception']);
    expect(stdout).toBe('captured-twice\nnot-at-service\nnot-in-file\n');
  });

  it('prints chosen columns', async () => {
    const { stdout } = await desk.run([file, '--map', desk.map, '--columns', 'line,next']);
    expect(stdout).toContain(`4\tpaydesk payments refund ${twice}\n`);
  });

  it('takes --columns for those of the exceptions, on a terminal and in CSV', async () => {
    const columns = ['--columns', 'line,exception'];
    const seen = await desk.run([file, '--map', desk.map, ...columns], { terminal: true });
    expect(seen.code).toBe(7);
    expect(seen.stdout).toMatch(/line +exception\n/);
    expect(seen.stdout).toMatch(/4 +captured twice\n/);
    const csv = await desk.run([file, '--map', desk.map, '--csv', ...columns]);
    expect(csv.stdout).toBe('line,exception\n4,captured-twice\n5,not-at-service\n,not-in-file\n');
    const bare = await desk.run([file, '--map', desk.map, '--csv', '--no-header', '--columns', 'line']);
    expect(bare.stdout).toBe('4\n5\n\n');
  });

  it('refuses a column that no exception has, before anything is read', async () => {
    desk.sandbox.lines.length = 0;
    const { code, stderr } = await desk.reconcile(file, '--columns', 'lines');
    expect([code, stderr]).toEqual([2, expect.stringContaining('there is no lines')]);
    expect(desk.sandbox.lines).toEqual([]);
  });

  it('writes amounts with the decimals of their currency', async () => {
    const whole = desk.file(
      `${today()},capture,,,nobody-at-all,5,,,EUR`,
      `${today()},capture,,,nobody-in-tokyo,5,,,JPY`,
    );
    const { stdout } = await desk.reconcile(
      whole,
      '--columns',
      'amount,text',
      '--since',
      '2020-01-01',
      '--until',
      '2020-01-02',
    );
    expect(stdout).toMatch(/^EUR 5\.00\tThe provider booked a capture of EUR 5\.00,/);
    expect(stdout).toMatch(/^JPY 5\t/m);
  });

  it('tells the days of the file apart from the period that was asked for', async () => {
    const period = ['--since', '2020-01-01', '--until', '2020-01-02'];
    const { stderr } = await desk.reconcile(file, ...period);
    expect(stderr).toContain(`4 lines of ${today()}: `);
    expect(stderr).toContain('paydesk looked for missing payments from 2020-01-01 to 2020-01-02.');
    expect((await desk.reconcile(file)).stderr).not.toContain('looked for');
  });

  it('asks for the right profile where no line matches a payment', async () => {
    const hint = 'None of the lines matches a payment of this app.';
    const foreign = desk.file(
      `${today()},capture,,,nobody-1,5.00,,,EUR`,
      `${today()},capture,,,nobody-2,5.00,,,EUR`,
    );
    expect((await desk.reconcile(foreign)).stderr).toContain(`${hint} Is it the right one? Check --profile.`);
    expect((await desk.reconcile(file)).stderr).not.toContain(hint);
    const payouts = desk.file(`${today()},payout,,,,-5.00,,,EUR`);
    expect((await desk.reconcile(payouts)).stderr).not.toContain(hint);
  });
});

it('reads what Excel saves on a German Windows, and says so', async () => {
  const paid = await desk.paid({ referenceId: `Bestellung-für-${Date.now()}`, amount: 1234.5 });
  await desk.know(paid);
  const german = desk.file();
  writeFileSync(german, windows1252(`Währung;Betrag;Referenz\r\nEUR;1.234,50;${paid.referenceId}\r\n`));
  const map = join(folder, 'german.yaml');
  writeFileSync(map, 'columns: { amount: Betrag, currency: Währung, reference: Referenz }\ndecimal: comma\n');
  const { code, stderr } = await desk.run([german, '--map', map]);
  expect(stderr).toContain('The file is not UTF-8, so paydesk reads it as Windows-1252.');
  expect(stderr).toContain('1 line: 1 matches.');
  expect(code).toBe(0);
});

describe('reconcile --plan', () => {
  it('writes a batch plan for what moves money, which batch apply takes', async () => {
    const plan = join(folder, 'refunds.plan.json');
    const { stderr } = await desk.run([file, '--map', desk.map, '--plan', plan]);
    expect(stderr).toContain(`Saved a plan to refund 1 payment to ${plan}. Nothing was sent.`);
    const { rows, action } = JSON.parse(readFileSync(plan, 'utf8')) as { rows: unknown[]; action: string };
    expect(action).toBe('refund');
    expect(rows).toMatchObject([
      { payment: twice, verdict: 'act', reason: expect.stringMatching(/line 4: captured-twice$/) },
    ]);
    expect(await desk.sandbox.books(twice)).not.toHaveProperty('refund');
    const dry = await runCommand(BatchApply, [plan, '--dry-run', '--json'], {
      env: desk.env,
      now: new Date(),
    });
    expect(dry.code).toBe(0);
  });

  it('writes the same plan as batch plan does from a CSV', async () => {
    const plan = join(folder, 'whole.plan.json');
    await desk.run([file, '--map', desk.map, '--plan', plan]);
    const { paymentId, referenceId } = await desk.sandbox.read(twice);
    const { file: format, rows, totals } = JSON.parse(readFileSync(plan, 'utf8')) as Record<string, unknown>;
    expect(format).toEqual({ separator: 'commas', decimalMark: 'point', ignoredColumns: [], headerLine: 1 });
    expect(totals).toEqual({ EUR: 49.9 });
    expect(rows).toEqual([
      {
        line: 2,
        typed: `id:${paymentId}`,
        reason: `reconcile ${file} line 4: captured-twice`,
        payment: paymentId,
        reference: referenceId,
        state: 'Captured',
        amount: 49.9,
        currency: 'EUR',
        verdict: 'act',
        file: { amount: 49.9, currency: 'EUR' },
      },
    ]);
  });

  it('takes amounts as the service writes them', async () => {
    const made = [await desk.paid(), await desk.paid({ amount: 1.23, currency: 'KWD' })];
    const url = await rewriteAnswers(desk.sandbox, (body) =>
      body.replaceAll(/(?<=[aA]mount":)10\.5,/g, '10.500,').replaceAll(/(?<=[aA]mount":)1\.23,/g, '1.234,'),
    );
    const there = deskOn(desk.sandbox, { PAYDESK_BASE_URL: url });
    await there.know(...made);
    const lines = made.flatMap((payment) => {
      const amount = payment['currency'] === 'KWD' ? '1.234' : '10.50';
      return [{ amount }, { amount, captureId: `cap_again_${payment.paymentId}` }].map((fields) =>
        there.line(payment, fields),
      );
    });
    const plan = join(folder, 'three-decimals.plan.json');
    const { code, stderr } = await there.run([there.file(...lines), '--map', there.map, '--plan', plan]);
    expect([code, stderr]).toEqual([
      7,
      expect.stringContaining(`Saved a plan to refund 2 payments to ${plan}. Nothing was sent.`),
    ]);
    expect(readFileSync(plan, 'utf8')).toContain('"totals":{"EUR":10.50,"KWD":1.234}');
    expect(JSON.parse(readFileSync(plan, 'utf8'))).toMatchObject({
      rows: made.map(({ paymentId }) => ({ payment: paymentId, verdict: 'act' })),
      counts: { act: 2 },
    });
  });

  it('says how many payments batch apply will send, and names the others with the reason', async () => {
    const [failed, fresh] = [await desk.paid({}, 'refund-fails'), await desk.paid()];
    await desk.know(failed, fresh);
    const env = { ...desk.env, PAYDESK_QUIET_PERIOD: '1s' };
    const refund = runCommand(PaymentsRefund, [failed.paymentId, '--wait'], { env, now: new Date() });
    await eventually(async () => expect(await desk.sandbox.books(failed.paymentId)).toHaveProperty('refund'));
    await desk.sandbox.settle();
    expect((await refund).code).toBe(3);
    const lines = [failed, fresh].flatMap((payment) => [
      desk.line(payment),
      desk.line(payment, { captureId: `cap_again_${payment.paymentId}` }),
    ]);
    const plan = join(folder, 'one-left-out.json');
    const { stderr } = await desk.run([desk.file(...lines), '--map', desk.map, '--plan', plan]);
    const { rows } = JSON.parse(readFileSync(plan, 'utf8')) as { rows: Array<{ verdict: string }> };
    expect(rows.map(({ verdict }) => verdict)).toEqual(['failed-before', 'act']);
    expect(stderr).toContain(`Saved a plan to refund 1 payment to ${plan}. Nothing was sent.`);
    expect(stderr).toMatch(
      new RegExp(
        `1 other payment will not be sent:\\n +${failed.paymentId}: sent \\d+ \\w+ \\d+, [:\\d]+ UTC and failed\\n`,
      ),
    );
    expect(stderr).toContain(
      [
        '1 payment failed before, EUR 10.50: left out unless you apply with --again.',
        `Review it with: paydesk batch apply ${plan} --dry-run`,
        `      or with: paydesk batch apply ${plan} --again --dry-run\n`,
      ].join('\n'),
    );
    // Without the other payment, only --again would send something.
    const only = desk.file(...lines.slice(0, 2));
    const nothing = await desk.run([only, '--map', desk.map, '--plan', plan]);
    expect(nothing.stderr).toContain(`Saved a plan to ${plan} that will refund nothing. Nothing was sent.\n`);
    expect(nothing.stderr).toMatch(/^1 payment will not be sent:$/m);
    expect(nothing.stderr).toContain(
      [
        '1 payment failed before, EUR 10.50: left out unless you apply with --again.',
        `Review it with: paydesk batch apply ${plan} --again --dry-run\n`,
      ].join('\n'),
    );
    expect(nothing.stderr).not.toContain(`${plan} --dry-run`);
  });

  it('names the plan in JSON and on standard error, for scripts', async () => {
    const plan = join(folder, 'for-a-script.json');
    const { json, stderr } = await desk.run([file, '--map', desk.map, '--plan', plan, '--json']);
    expect(json['plans']).toEqual([{ file: plan, action: 'refund', toSend: 1, notSent: 0 }]);
    expect(stderr).toContain(`Saved a plan to refund 1 payment to ${plan}. Nothing was sent.`);
    expect((await desk.run([file, '--map', desk.map, '--json'])).json).not.toHaveProperty('plans');
  });

  it('writes none where no next step moves money', async () => {
    const plan = join(folder, 'none.json');
    const nothing = desk.file(`${today()},payout,,,,-5.00,,,EUR`);
    const { stderr } = await desk.run([
      nothing,
      '--map',
      desk.map,
      '--plan',
      plan,
      '--until',
      '2020-01-01',
      '--since',
      '2019-01-01',
    ]);
    expect(stderr).toContain('No plan was written: no next step moves money.');
    expect(existsSync(plan)).toBe(false);
  });

  describe('where there is nothing to plan', () => {
    const none = ['--since', '2019-01-01', '--until', '2020-01-01'];
    const clean = () => desk.file(`${today()},payout,,,,-5.00,,,EUR`);

    it('removes the plan of an earlier run, so that nobody applies it', async () => {
      const plan = join(folder, 'daily.json');
      await desk.reconcile(file, '--plan', plan);
      expect(existsSync(plan)).toBe(true);
      const link = join(folder, 'daily-link.json');
      symlinkSync(plan, link);
      const { code, stderr } = await desk.reconcile(clean(), '--plan', link, ...none);
      expect(code).toBe(0);
      expect(stderr).toContain('No plan was written: no next step moves money.');
      expect(stderr).toContain(`Removed ${link}: it was the plan of an earlier run.`);
      expect(existsSync(plan)).toBe(false);
    });

    it('leaves a file that is no plan, and says so', async () => {
      const plan = join(folder, 'notes.json');
      writeFileSync(plan, '{"mine":true}');
      const { code, stderr } = await desk.reconcile(clean(), '--plan', plan, ...none);
      expect(code).toBe(0);
      expect(stderr).toContain(`${plan} was left as it is: it is not a plan.`);
      expect(readFileSync(plan, 'utf8')).toBe('{"mine":true}');
    });

    it('replaces the exceptions of an earlier run with the header alone', async () => {
      const out = join(folder, 'daily.csv');
      await desk.reconcile(file, '--out', out);
      await desk.reconcile(clean(), '--out', out, ...none);
      expect(readFileSync(out, 'utf8')).toMatch(/^line,exception,[^\n]*\n$/);
    });

    it('leaves everything as it was where the run fails', async () => {
      const [plan, out] = [join(folder, 'failed.json'), join(folder, 'failed.csv')];
      await desk.reconcile(file, '--plan', plan, '--out', out);
      const before = [plan, out].map((name) => readFileSync(name, 'utf8'));
      const bad = desk.file('nonsense');
      expect((await desk.reconcile(bad, '--plan', plan, '--out', out)).code).toBe(2);
      expect([plan, out].map((name) => readFileSync(name, 'utf8'))).toEqual(before);
    });
  });
});

describe('reconcile refuses', () => {
  it.each(['out', 'plan'])('to write --%s over its file or its mapping', async (flag) => {
    desk.sandbox.lines.length = 0;
    const link = join(folder, `link-${flag}.csv`);
    symlinkSync(file, link);
    for (const target of [file, link, desk.map]) {
      const before = readFileSync(target, 'utf8');
      const { code, json } = await desk.reconcile(file, `--${flag}`, target, '--json');
      expect([code, json['error']?.['code']]).toEqual([2, 'same-file']);
      expect(readFileSync(target, 'utf8')).toBe(before);
    }
    expect(desk.sandbox.lines).toEqual([]);
  });

  it('to write --out and --plan to the same file, there or not', async () => {
    desk.sandbox.lines.length = 0;
    const target = join(folder, 'both.x');
    const link = join(folder, 'link-to-both.x');
    symlinkSync(target, link);
    const sameFolder = join(folder, 'link-to-folder');
    symlinkSync(folder, sameFolder);
    const refused = async (out: string, plan: string) => {
      const { code, json } = await desk.reconcile(file, '--out', out, '--plan', plan, '--json');
      expect([code, json['error']]).toEqual([
        2,
        expect.objectContaining({
          code: 'same-file',
          message: `--out ${out} and --plan ${plan} are the same file. Nothing was read or written. Choose another file for one of them.`,
        }),
      ]);
    };
    await refused(target, target);
    await refused(target, relative('.', target));
    await refused(target, link);
    await refused(join(sameFolder, 'both.x'), target);
    expect(existsSync(target)).toBe(false);
    writeFileSync(target, 'kept');
    await refused(target, target);
    await refused(link, target);
    expect(readFileSync(target, 'utf8')).toBe('kept');
    expect(desk.sandbox.lines).toEqual([]);
    expect((await desk.reconcile(file, '--out', '/dev/null', '--plan', '/dev/null')).code).toBe(7);
  });

  it.each(['--out', '--plan'])('%s to stdout, which has the result', async (flag) => {
    const { code, stdout, json } = await desk.reconcile(file, flag, '-', '--json');
    expect([code, json['error']?.['message']]).toEqual([2, expect.stringContaining('cannot be stdout')]);
    expect(stdout).not.toContain('captured-twice');
  });

  it('a CSV without a mapping, with the command that makes one', async () => {
    const { code, json } = await desk.run([file, '--json']);
    expect(code).toBe(2);
    expect(json['error']).toMatchObject({ code: 'no-mapping', next: [`paydesk reconcile map ${file}`] });
  });

  it('a file with bad lines, all of them named, and nothing is read', async () => {
    desk.sandbox.lines.length = 0;
    const bad = desk.file(`${today()},capture,a,b,c,x,,,EUR`, `${today()},capture,a,b,c,1.00,,,EU`);
    const { code, json } = await desk.reconcile(bad, '--json');
    expect(code).toBe(2);
    expect(json['error']?.['details']).toMatchObject([{ input: 'line 2' }, { input: 'line 3' }]);
    expect(desk.sandbox.lines).toEqual([]);
  });

  it('a file, a mapping or a folder that is not there', async () => {
    expect((await desk.reconcile(join(folder, 'nowhere.csv'), '--json')).json['error']).toMatchObject({
      code: 'file-not-readable',
      exit: 2,
    });
    expect((await desk.run([file, '--map', join(folder, 'no.yaml')])).code).toBe(2);
    expect((await desk.reconcile(file, '--out', join(folder, 'no', 'such', 'x.csv'))).code).toBe(2);
  });

  it('an empty file, before it asks for a mapping', async () => {
    const empty = join(folder, 'empty.xml');
    writeFileSync(empty, '\n');
    const { code, stderr } = await desk.run([empty]);
    expect([code, stderr]).toEqual([2, expect.stringContaining('empty.xml is empty.')]);
  });

  it('a period that ends before it starts', async () => {
    const { code, stderr } = await desk.reconcile(file, '--since', '2020-02-01', '--until', '2020-01-31');
    expect([code, stderr]).toEqual([
      2,
      expect.stringContaining('The period ends before it starts: 2020-02-01 to 2020-01-31.'),
    ]);
    expect((await desk.reconcile(file, '--since', '2999-01-01')).code).toBe(2);
  });

  it('a mapping with a problem, by line and column', async () => {
    const map = join(folder, 'bad.yaml');
    writeFileSync(map, MAPPING.replace('kind:', 'knd:'));
    const { code, stderr } = await desk.run([file, '--map', map]);
    expect(code).toBe(2);
    expect(stderr).toContain(`${map}:3:3`);
  });
});

describe('reconcile and the service', () => {
  it('ends with 5 when the service is away, and has changed nothing', async () => {
    const gone = await startTestSandbox();
    const there = deskOn(gone);
    const lines = there.file(`${today()},capture,,,order-1,5.00,,,EUR`);
    await gone.close();
    const { code, stderr } = await there.reconcile(lines);
    expect(code).toBe(5);
    expect(stderr).toContain('refused');
  });

  it('needs no service while every line agrees', async () => {
    const other = await startTestSandbox();
    const there = deskOn(other);
    const payment = await there.paid();
    await there.know(payment);
    await other.close();
    expect((await there.reconcile(there.file(there.line(payment)))).code).toBe(0);
  });

  it('waits for a service that asks it to, and misses nothing', async () => {
    const there = deskOn(desk.sandbox);
    const made = [await there.paid(), await there.paid(), await there.paid()];
    await addFault(desk.sandbox, { kind: 'rate-limit', route: 'get', next: 8, retryAfterS: 0 });
    const { code, json } = await there.reconcile(
      there.file(...made.map((payment) => there.line(payment))),
      '--json',
    );
    expect([code, json['matched']]).toEqual([0, 3]);
  });

  it('stops on Ctrl-C', async () => {
    const lines = desk.file(
      ...Array.from({ length: 400 }, (_, index) => `${today()},capture,,,nobody-${index},5.00,,,EUR`),
    );
    const before = desk.sandbox.lines.length;
    const isAsked = () => expect(desk.sandbox.lines.length).toBeGreaterThan(before);
    const { code } = await desk.run([lines, '--map', desk.map], {
      onStart: (interrupt) => void eventually(isAsked).then(interrupt),
    });
    expect(desk.sandbox.lines.length).toBeLessThan(before + 400);
    expect(code).toBe(130);
  });

  it('takes the file from standard input', async () => {
    const { code, stdout } = await desk.run(
      ['-', '--map', desk.map, '--until', '2020-01-01', '--since', '2019-01-01', '--jq', '.lines'],
      {
        input: `${HEADER}\n${today()},payout,,,,-5.00,,,EUR\n`,
      },
    );
    expect([code, stdout]).toEqual([0, '1\n']);
  });
});

describe('reconcile of a camt.053 statement', () => {
  it('needs no mapping, and finds what the CSV of the same books has', async () => {
    const there = deskOn(await startTestSandbox());
    const made = [await there.paid(), await there.paid({ amount: 49.9 }), await there.paid()];
    await there.know(...made);
    const settlement = async (format: string) => {
      const { text } = await there.sandbox.control(
        'GET',
        `/settlement?format=${format}&defects=amount,chargeback&seed=3`,
      );
      const path = join(folder, `books.${format}`);
      writeFileSync(path, text);
      return path;
    };
    const camt = await there.run([await settlement('camt'), '--json']);
    const csv = await there.reconcile(await settlement('csv'), '--json');
    await there.sandbox.close();
    const found = ({ json }: typeof camt) =>
      (json['exceptions'] as unknown as Array<Record<string, unknown>>)
        .map(({ exception, payment, amount, currency }) => [exception, payment, amount, currency].join(' '))
        .toSorted();
    expect(found(camt)).toEqual(found(csv));
    expect(found(camt).map((text) => text.split(' ', 1)[0])).toEqual(['amount-differs', 'chargeback']);
    expect([camt.code, csv.code]).toEqual([7, 7]);
    expect((await there.run([join(folder, 'books.camt'), '--map', there.map])).code).toBe(2);
  });
});
