import { existsSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import PaymentsList from '../../../src/commands/payments/list.js';
import { envOf, runCommand, runTyped } from '../../helpers/desk.js';
import { rewriteAnswers } from '../../helpers/rewritten-answers.js';
import { windows1252 } from '../../helpers/windows-1252.js';
import { type BatchDesk, openBatchDesk } from './batches.js';

let desk: BatchDesk;
beforeAll(async () => {
  desk = await openBatchDesk();
});
afterEach(() => desk.sandbox.control('DELETE', '/faults'));
afterAll(() => desk.close());

describe('batch plan', () => {
  it('says of every row what would become of it, and changes nothing', async () => {
    const [captured, other, elsewhere] = await desk.paid(3);
    const [authorised] = await desk.paid(1, 'approved', { autoCapture: false });
    const [refunded] = await desk.paid(1);
    await desk.sandbox.call('POST', `/payments/${refunded!.paymentId}/refund`);
    await desk.sandbox.settle();
    const file = desk.csv(
      'payment,amount,currency,reason',
      `${captured!.paymentId},10.50,EUR,late`,
      `${other!.referenceId},10.51,EUR,`,
      `${elsewhere!.paymentId},10.50,USD,`,
      `${authorised!.paymentId},,,`,
      `${refunded!.paymentId},10.5,,`,
      'no-such,,,',
    );
    desk.posts();
    const out = desk.path('six.json');
    const { code, json } = await desk.run('plan', [file, '--action', 'refund', '--out', out, '--json']);
    expect(code).toBe(0);
    expect(json.counts).toEqual({
      act: 1,
      check: 0,
      'failed-before': 0,
      done: 1,
      changed: 2,
      conflict: 0,
      'not-possible': 1,
      'not-found': 1,
      unreadable: 0,
    });
    expect(json.totals).toEqual({ EUR: 10.5 });
    expect(json.rows!.map((row) => [row.line, row.verdict, row.why])).toEqual([
      [2, 'act', undefined],
      [3, 'changed', 'amount differs'],
      [4, 'changed', 'currency differs'],
      [5, 'not-possible', 'Authorised: cancel instead'],
      [6, 'done', 'Refunded before'],
      [7, 'not-found', 'there is no payment no-such'],
    ]);
    expect(json.rows![0]).toMatchObject({
      state: 'Captured',
      amount: 10.5,
      reason: 'late',
      file: { amount: 10.5 },
    });
    expect(desk.posts()).toEqual([]);
    expect(JSON.parse(readFileSync(out, 'utf8'))).toMatchObject({ paydesk: 'plan', counts: json.counts });
    expect(statSync(out).mode & 0o077).toBe(0);
  });

  it('leaves out a refund that the ledger has as done, when the service shows an old copy of the payment', async () => {
    const [payment] = await desk.paid(1);
    let isStale = false;
    const url = await rewriteAnswers(desk.sandbox, (text) =>
      isStale ? text.replace('"Refunded"', '"Captured"') : text,
    );
    const env = { PAYDESK_BASE_URL: url };
    const [early, late] = [desk.path('early.json'), desk.path('late.json')];
    const plan = (out: string) => {
      const file = desk.csv('payment', payment!.paymentId);
      return desk.run('plan', [file, '--action', 'refund', '--out', out, '--json'], { env });
    };
    await plan(early);
    await runTyped(['payments', 'refund', String(payment!.paymentId), '--wait'], {
      home: desk.home,
      env: { ...envOf(desk.sandbox), ...env },
    });
    expect((await desk.sandbox.read(payment!.paymentId)).paymentState).toBe('Refunded');
    isStale = true;
    desk.posts();
    const { json } = await plan(late);
    const why = expect.stringMatching(
      /^sent .* and done, but the service shows Captured: an old copy/,
    ) as unknown;
    expect(json).toMatchObject({ counts: { act: 0, conflict: 1 }, rows: [{ verdict: 'conflict', why }] });
    for (const path of [early, late]) {
      const dry = await desk.run('apply', [path, '--dry-run', '--json'], { env });
      expect(dry.json).toMatchObject({ wouldSend: 0, conflicts: 1 });
    }
    const applied = await desk.run('apply', [late, '--json'], { env });
    expect(applied).toMatchObject({ code: 0, json: { leftOut: 1, skipped: 1, refused: 0 } });
    const notDone = await desk.run('report', [String(applied.json.id), '--not-done'], { env });
    expect(notDone.stdout.trim().split('\n')).toHaveLength(1);
    expect(desk.posts()).toEqual([]);
  });

  it('makes the payments known that it reads', async () => {
    const [captured] = await desk.paid(1);
    const [held] = await desk.paid(1, 'held');
    await desk.planned([captured!, held!]);
    const list = await runCommand(PaymentsList, ['--json'], { env: desk.env });
    const known = list.json as unknown as Array<{ paymentId: number; state: string }>;
    const stateOf = (id: number) => known.find(({ paymentId }) => paymentId === id)?.state;
    expect([stateOf(captured!.paymentId), stateOf(held!.paymentId)]).toEqual(['Captured', 'Held']);
  });

  it('shows a person the counts, the totals, what is left out and the next step', async () => {
    const [one, two] = await desk.paid(2);
    const [held] = await desk.paid(1, 'held');
    const file = desk.csv(
      'payment,amount',
      `${one!.paymentId},`,
      `${two!.paymentId},1.00`,
      `${held!.paymentId},`,
    );
    const out = desk.path('person.json');
    const args = [file, '--action', 'refund', '--out', out];
    const { code, stdout, stderr } = await desk.run('plan', args, { terminal: true, columns: 100 });
    expect(code).toBe(0);
    expect(stdout).toMatch(/^ {2}will refund +1 {3}EUR 10\.50$/m);
    expect(stdout).toMatch(/^ {2}changed +1 {3}amount differs$/m);
    expect(stdout).toMatch(/^ {2}not possible +1 {3}Held: cancel instead$/m);
    expect(stdout).toMatch(/^ +3 +\d+ +ref-\S+ +1\.00 +EUR 10\.50 +amount differs$/m);
    expect(stderr).toContain('Reading 3 payments');
    expect(stderr).toMatch(/can be\s+applied once:/);
    expect(stderr).toContain(`paydesk batch apply ${out}`);
  });

  it('keeps sentences apart that say why rows are left out', async () => {
    const [held] = await desk.paid(1, 'held');
    const [declined] = await desk.paid(1, 'declined');
    const file = desk.csv('payment', held!.paymentId, declined!.paymentId);
    const { stdout } = await desk.run('plan', [file, '--action', 'capture'], {
      terminal: true,
      columns: 200,
    });
    expect(stdout).toMatch(/^ {2}not possible +2 {3}\w+: [^;]+; \w+: [^;]+$/m);
    expect(stdout).not.toContain('.,');
  });

  it('names the lines that it skips because they are done already', async () => {
    const [one, two, three] = await desk.paid(3);
    expect((await desk.run('apply', [await desk.planned([one!, three!])])).code).toBe(0);
    await desk.sandbox.settle();
    const file = desk.csv('payment', one!.paymentId, two!.paymentId, three!.paymentId);
    const { stderr } = await desk.run('plan', [file, '--action', 'refund']);
    expect(stderr).toMatch(/already done +2 +Refunded before: skipped, lines 2, 4\n/);
  });

  it('prints rows in a pipe, and says that without --out no file was written', async () => {
    const [one] = await desk.paid(1);
    const { stdout, stderr, code } = await desk.run('plan', [
      desk.csv('payment', one!.paymentId),
      '--action',
      'refund',
    ]);
    expect(code).toBe(0);
    expect(stdout.split('\t').slice(0, 4)).toEqual(['2', String(one!.paymentId), one!.referenceId, 'act']);
    expect(stderr).toContain('This plan was not saved');
    const csv = await desk.run('plan', [desk.csv('payment', one!.paymentId), '--action', 'refund', '--csv']);
    expect(csv.stdout.split('\n')[0]).toBe('line,payment,reference,verdict,state,file,service,why');
  });

  it('reads a file as a spreadsheet saves it, and says how', async () => {
    const [one] = await desk.paid(1, 'approved', { amount: 1234.5 });
    const [two] = await desk.paid(1);
    const rows = [`Bonn;1.234,50;eur;${one!.paymentId}`, `Kiel;10,5;Eur;${two!.referenceId}`];
    const file = desk.csv('\uFEFFShop;Amount;CURRENCY;Payment', ...rows);
    const out = desk.path('sheet.json');
    const args = [file, '--action', 'refund', '--out', out];
    const { json } = await desk.run('plan', [...args, '--json']);
    expect(json.file).toEqual({
      separator: 'semicolons',
      decimalMark: 'comma',
      ignoredColumns: ['Shop'],
      headerLine: 1,
    });
    expect(json.totals).toEqual({ EUR: 1245 });
    expect(json.rows![0]!.file).toEqual({ amount: 1234.5, currency: 'EUR' });
    const { stderr } = await desk.run('plan', args);
    expect(stderr).toContain('Read the file with semicolons and a decimal comma. Ignored column: Shop.');
    expect((await desk.run('apply', [out, '--dry-run', '--json'])).json).toMatchObject({ wouldSend: 2 });
  });

  it('reads what Excel saves on a German Windows, from a file and from standard input, and says so', async () => {
    const [one] = await desk.paid(1, 'approved', { amount: 1234.5 });
    const text = `Händler;Betrag;Payment;Amount;Reason\r\nKöln;x;${one!.paymentId};1.234,50;Rückgabe für 5 €\r\n`;
    const file = desk.csv('');
    writeFileSync(file, windows1252(text));
    const args = ['--action', 'refund', '--json'];
    const planned = await desk.run('plan', [file, ...args]);
    expect(planned.stderr).toContain('The file is not UTF-8, so paydesk reads it as Windows-1252.');
    const piped = await desk.run('plan', ['-', ...args], { input: windows1252(text) });
    expect(piped.stderr).toContain('Windows-1252');
    for (const { json } of [planned, piped]) {
      expect(json.totals).toEqual({ EUR: 1234.5 });
      expect(json.rows![0]).toMatchObject({ verdict: 'act', reason: 'Rückgabe für 5 €' });
      expect(json.file).toMatchObject({ ignoredColumns: ['Händler', 'Betrag'] });
    }
    const { stderr } = await desk.run('plan', [desk.csv('payment,reason', `${one!.paymentId},für`), ...args]);
    expect(stderr).not.toContain('Windows-1252');
  });

  it('refuses a file with problems before anything is read: 2', async () => {
    desk.sandbox.lines.length = 0;
    const file = desk.csv('payment,amount', '1,x', '2,5', '2,5', '3');
    const { code, json } = await desk.run('plan', [file, '--action', 'refund', '--json']);
    expect(code).toBe(2);
    expect(json.error).toMatchObject({ code: 'bad-csv' });
    expect(json.error!.details!.map(({ input, problem }) => `${input}: ${problem}`)).toEqual([
      'line 2: amount x: must be a decimal number in major units, for example 10.23',
      'line 4: the same payment twice: names 2, as line 3 does',
      'line 5: has 1 cell, but the header has 2',
    ]);
    expect(desk.sandbox.lines).toEqual([]);
    expect((await desk.run('plan', [desk.path('none.csv'), '--action', 'refund'])).code).toBe(2);
    expect((await desk.run('plan', [file, '--action', 'charge'])).code).toBe(2);
  });

  it('refuses to write the plan over its CSV before anything is read: 2', async () => {
    const [one] = await desk.paid(1);
    const file = desk.csv('payment', one!.paymentId);
    const link = desk.path('link-to-rows.csv');
    symlinkSync(file, link);
    const before = readFileSync(file, 'utf8');
    desk.requests();
    for (const out of [file, link, relative('.', file)]) {
      const { code, json } = await desk.run('plan', [file, '--action', 'refund', '--out', out, '--json']);
      expect([code, json.error]).toEqual([
        2,
        expect.objectContaining({
          code: 'same-file',
          message: `--out ${out} is the CSV to plan. Nothing was read or written. Choose another file.`,
        }),
      ]);
    }
    expect(readFileSync(file, 'utf8')).toBe(before);
    expect(desk.requests()).toEqual([]);
    // Standard input and standard output have the same name, and are two files.
    const piped = ['-', '--action', 'refund', '--out', '-'];
    expect((await desk.run('plan', piped, { input: before })).code).toBe(0);
  });

  it('finds the same payment behind its id and its reference: 2', async () => {
    const [one] = await desk.paid(1);
    const out = desk.path('twice.json');
    const file = desk.csv('payment', one!.paymentId, one!.referenceId);
    const { code, json } = await desk.run('plan', [file, '--action', 'refund', '--out', out, '--json']);
    expect(code).toBe(2);
    expect(json.error!.details![0]!.problem).toContain('is the payment of line 2');
    expect(existsSync(out)).toBe(false);
  });

  it('goes on when one payment cannot be read, and gives up when none can: 5', async () => {
    const payments = await desk.paid(4);
    const file = desk.csv('payment', ...payments.map(({ paymentId }) => `id:${paymentId}`));
    await desk.fault({ kind: 'error-before-commit', route: 'get', next: 6 });
    const some = await desk.run('plan', [file, '--action', 'refund', '--concurrency', 1, '--json']);
    expect(some.code).toBe(0);
    expect(some.json.counts).toMatchObject({ act: 3, unreadable: 1 });
    await desk.sandbox.control('DELETE', '/faults');
    await desk.fault({ kind: 'error-before-commit', route: 'get' });
    const none = await desk.run('plan', [file, '--action', 'refund', '--json']);
    expect(none.code).toBe(5);
    expect(none.json.error).toMatchObject({
      code: 'reads-fail',
      message: expect.stringContaining('(0 read so far)') as unknown,
    });
  });

  it.each(['refund', 'charge'])('makes no plan to %s of one row that cannot be read: 5', async (action) => {
    const [one] = await desk.paid(1);
    const out = desk.path(`one-row-${action}.json`);
    const file =
      action === 'refund'
        ? desk.csv('payment', one!.paymentId)
        : desk.csv('reference,customer,amount', `r-${one!.paymentId},c1,10.50`);
    await desk.fault({ kind: 'error-before-commit' });
    const { code, json } = await desk.run('plan', [file, '--action', action, '--out', out, '--json']);
    await desk.sandbox.control('DELETE', '/faults');
    expect([code, json.error!.code]).toEqual([5, 'reads-fail']);
    expect(existsSync(out)).toBe(false);
  });

  it('waits where the service asks to, and reads all of them in the end', async () => {
    const payments = await desk.paid(30);
    const file = desk.csv('payment', ...payments.map(({ paymentId }) => paymentId));
    await desk.fault({ kind: 'rate-limit', route: 'get', probability: 0.3, retryAfterS: 0 });
    const { code, json } = await desk.run('plan', [file, '--action', 'refund', '--json']);
    expect(code).toBe(0);
    expect(json.counts!.act).toBe(30);
  });

  it('ends with 4 when the key is not accepted', async () => {
    const [one] = await desk.paid(1);
    const env = { PAYDESK_API_KEY: 'sk_wrong' };
    const { code } = await desk.run('plan', [desk.csv('payment', one!.paymentId), '--action', 'refund'], {
      env,
    });
    expect(code).toBe(4);
  });

  it('reads from standard input', async () => {
    const [one] = await desk.paid(1);
    const args = ['-', '--action', 'recheck', '--jq', '.counts.act'];
    const { stdout } = await desk.run('plan', args, { input: `payment\n${one!.paymentId}\n` });
    expect(stdout.trim()).toBe('1');
  });
});
