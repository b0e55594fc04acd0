import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { unprintable } from '../../helpers/printable.js';
import { type BatchDesk, type Json, openBatchDesk } from './batches.js';

let desk: BatchDesk;
let id: string;
const evil = '<script>alert(1)</script>&"\'\u202E';
beforeAll(async () => {
  desk = await openBatchDesk();
  const payments = await desk.paid(3);
  const [authorised] = await desk.paid(1, 'approved', { autoCapture: false });
  const out = desk.path('plan.json');
  const file = desk.csv(
    'payment,amount,description,reason,ticket',
    `${payments[0]!.paymentId},10.50,"=HYPERLINK(""x"")","${evil.replaceAll('"', '""')}",T-1`,
    `${payments[1]!.paymentId},10.50,,,`,
    `${payments[2]!.paymentId},99.00,"=1+1",-why,@T`,
    `${authorised!.referenceId},,,,`,
    'ref:4711,,,,',
  );
  const planned = await desk.run('plan', [file, '--action', 'refund', '--out', out]);
  expect(planned.code).toBe(0);
  id = (await desk.run('apply', [out, '--json'])).json.id!;
});
afterAll(() => desk.close());

describe('batch status', () => {
  it.each([60, 80])('says in %i columns how many rows were accepted and are left', async (columns) => {
    const { stdout } = await desk.run('status', [], { terminal: true, columns });
    expect(stdout.split('\n')[0]).toMatch(/done +accepted .*left +state/);
  });

  it('lists batches, the newest first', async () => {
    const second = (await desk.run('apply', [await desk.planned(await desk.paid(1)), '--json'])).json.id!;
    const { json, code } = await desk.run('status', ['--json']);
    expect(code).toBe(0);
    expect(json.map((each: Json) => each.id)).toEqual([second, id]);
    expect(json[1]).toMatchObject({
      action: 'refund',
      profile: null,
      rows: 5,
      done: 2,
      refused: 3,
      skipped: 0,
      unknown: 0,
      pending: 0,
      state: 'finished',
    });
    expect((await desk.run('status', [id, '--json'])).json).toHaveLength(1);
    expect((await desk.run('status', [id], { terminal: true })).stdout).toMatch(
      /^ +id +action .*\n +20\d{6}-\w+/,
    );
    expect((await desk.run('status', ['nope'])).code).toBe(2);
  });

  it('shows a person what was accepted and left out as neither done nor refused, and scripts the sums', async () => {
    const columns = ['--columns', 'id,done,accepted,refused,pending,leftOut'];
    const table = await desk.run('status', [...columns], { terminal: true, columns: 120 });
    expect(table.stdout).toMatch(/id +done +accepted +refused +left +left out\n/);
    expect(table.stdout).toMatch(new RegExp(`${id} +(0 +2|2 +0) +0 +0 +3\\n`));
    const piped = await desk.run('status', [id, '--columns', 'done,refused,skipped,leftOut']);
    expect(piped.stdout).toBe('2\t3\t0\t3\n');
    const usual = await desk.run('status', [id, '--csv']);
    expect(usual.stdout.split('\n')[0]).toBe(
      'id,action,profile,rows,done,refused,failed,skipped,unknown,pending,state,time',
    );
    for (const width of [60, 80]) {
      const { stdout } = await desk.run('status', [id], { terminal: true, columns: width });
      for (const line of stdout.split('\n')) expect(line.length).toBeLessThanOrEqual(width);
    }
  });

  it('is empty and 0 where there is none', async () => {
    const { code, json } = await desk.run('status', ['--json'], {
      env: { PAYDESK_HOME: desk.path('other') },
    });
    expect([code, json]).toEqual([0, []]);
  });
});

describe('batch report', () => {
  it('is Markdown for the page of a job: the counts, and the rows that are not done', async () => {
    const { stdout, code } = await desk.run('report', [id, '--format', 'markdown']);
    expect(code).toBe(0);
    const lines = stdout.split('\n');
    expect(lines[0]).toBe(`## Batch ${id}: refund`);
    expect(stdout).toMatch(/^\| (done|accepted) \| 2 \| EUR 21\.00 \|$/m);
    expect(stdout).toMatch(/^\| left out \| 3 \| EUR [\d.]+ \|$/m);
    const rows = lines.filter((line) => /^\| \d+ \|/.test(line));
    expect(rows).toHaveLength(3);
    expect(rows.map((row) => row.match(/(?<!\\)\|/g)?.length)).toEqual([8, 8, 8]);
    expect(rows[0]).toContain('| left out | amount differs');
    expect(stdout).not.toContain('refused');
    expect(rows[0]).toContain(String.raw`\@T`);
    expect(unprintable(stdout, '\n')).toEqual([]);
  });

  it('a plan is Markdown too, saved or not', async () => {
    const [payment] = await desk.paid(1);
    const file = desk.csv('payment,amount', `${payment!.paymentId},10.50`, 'a|b<i>*c*,5');
    const out = desk.path('markdown-plan.json');
    const words = [file, '--action', 'refund', '--format', 'markdown'];
    const { stdout, code } = await desk.run('plan', [...words, '--out', out]);
    expect(code).toBe(0);
    expect(stdout).toContain('## Plan: refund\n');
    expect(stdout).toContain('| will refund | 1 | EUR 10.50 |\n');
    expect(stdout).toContain(String.raw`| 3 | a\|b\<i\>\*c\* |`);
    expect((await desk.run('apply', [out, '--json'])).code).toBe(0);
    expect((await desk.run('plan', [...words, '--out', '-'])).code).toBe(2);
  });

  it('is a table for people, rows in a pipe, and JSON', async () => {
    const table = await desk.run('report', [id], { terminal: true, columns: 120 });
    expect(table.stdout).toMatch(/line +payment +reference +amount +before +after +outcome +why/);
    expect(table.stdout).toMatch(/left out +amount differs/);
    expect(table.stdout).not.toContain('refused');
    const rows = await desk.run('report', [id]);
    expect(rows.stdout.trimEnd().split('\n')).toHaveLength(5);
    const { json } = await desk.run('report', [id, '--format', 'json']);
    expect(json.batch).toMatchObject({ id, rows: 5 });
    expect(json.rows!.map((row) => row.outcome)).toEqual([
      expect.stringMatching(/done|accepted/),
      expect.stringMatching(/done|accepted/),
      'refused',
      'refused',
      'refused',
    ]);
    expect((await desk.run('report', [id, '--jq', '.rows | length'])).stdout.trim()).toBe('5');
  });

  it('is CSV that no spreadsheet takes for a formula', async () => {
    const { stdout } = await desk.run('report', [id, '--format', 'csv']);
    expect((await desk.run('report', [id, '--csv'])).stdout).toBe(stdout);
    expect((await desk.run('report', [id, '--csv', '--no-header'])).stdout).toBe(
      stdout.slice(stdout.indexOf('\n') + 1),
    );
    const some = await desk.run('report', [id, '--csv', '--columns', 'line,outcome']);
    expect(some.stdout).toMatch(/^line,outcome\n2,\w+\n/);
    expect(stdout.split('\n')[0]).toBe(
      'line,payment,reference,amount,currency,before,after,outcome,why,description,reason,ticket,customer,method,leftOut',
    );
    expect(stdout).toContain(`"'=HYPERLINK(""x"")"`);
    expect(stdout).not.toMatch(/(^|,)"?[=+@-]/m);
    expect(unprintable(stdout, '\n')).toEqual([]);
  });

  it('is well-formed JUnit with a test for each row', async () => {
    const { stdout } = await desk.run('report', [id, '--format', 'junit']);
    expect(stdout).toMatch(
      /^<\?xml version="1\.0" encoding="UTF-8"\?>\n<testsuites tests="5" failures="0" errors="0" skipped="3">/,
    );
    expect(stdout.match(/<testcase /g)).toHaveLength(5);
    expect(stdout.match(/<skipped message="left out by the plan: [^"<]*"\/>/g)).toHaveLength(3);
    expect(isBalanced(stdout)).toBe(true);
  });

  it('is a page of its own with nothing that runs', async () => {
    const { stdout } = await desk.run('report', [id, '--format', 'html']);
    expect(stdout).toMatch(/^<!doctype html>/);
    expect(stdout).toContain('default-src &#39;none&#39;');
    expect(stdout).not.toMatch(/<script|javascript:|https?:\/\/(?!127)/i);
    expect(stdout.match(/<tr>/g)!.length).toBeGreaterThan(5);
    expect(stdout).toMatch(/>Left out<\/th><td>3 /);
    expect(stdout.match(/<td class="skipped">left out<\/td>/g)).toHaveLength(3);
    expect(stdout).toMatch(/>Refused<\/th><td>0</);
    expect(unprintable(stdout, '\n')).toEqual([]);
  });

  it('gives what was not done as a CSV that can be planned again, as the file had it', async () => {
    const { stdout } = await desk.run('report', [id, '--not-done']);
    const lines = stdout.trimEnd().split('\n');
    expect(lines).toHaveLength(4);
    expect(lines[0]).toBe('payment,amount,currency,description,reason,ticket');
    expect(lines[1]).toMatch(/^\d+,99\.00,,'=1\+1,'-why,'@T$/);
    expect(lines[3]).toBe('ref:4711,,,,,');
    const again = await desk.run('plan', ['-', '--action', 'refund', '--json'], { input: stdout });
    expect(again.code).toBe(0);
    expect(again.json.rows![0]).toMatchObject({
      description: '=1+1',
      reason: '-why',
      ticket: '@T',
      verdict: 'changed',
    });
  });
});

/** Whether every element that is opened is closed, in order. */
function isBalanced(xml: string): boolean {
  const open: string[] = [];
  for (const [, closing, name, self] of xml.matchAll(/<(\/?)([a-z]+)(?:\s+[a-z]+="[^"<]*")*\s*(\/?)>/g)) {
    if (self === '/') continue;
    if (closing === '/') {
      if (open.pop() !== name) return false;
    } else open.push(name!);
  }
  return open.length === 0;
}
