import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import SandboxSettlement from '../../../src/commands/sandbox/settlement.js';
import type { SettlementReport } from '../../../src/sandbox/index.js';
import { paydeskTty } from '../../helpers/run.js';
import { createPerson, type Person } from './person.js';
import { createHome } from './processes.js';

let person: Person;
beforeAll(async () => {
  const home = await createHome();
  person = createPerson(home, await home.serve('--memory', '--seed', '7', '--clock', '2026-11-15T08:00:00Z'));
  await person.control('POST', '/seed');
});
afterAll(() => person.home.remove());

const HEADER = 'booked_at,type,provider_reference,capture_id,merchant_reference,amount,fee,net,currency\n';

test('the file goes to stdout, and what was planted to stderr', async () => {
  const clean = await person.pipe('settlement');
  expect(clean.startsWith(HEADER)).toBe(true);
  expect(clean).toMatch(/\n\S+,refund,ref_\w+,cap_\w+,seed-refunded,-22\.00,0\.00,-22\.00,EUR\n/);
  const words = ['sandbox', 'settlement', '--defects', 'missing,amount', '--seed', '3'];
  const { stdout, stderr, code } = await person.home.run(words);
  expect(code).toBe(0);
  expect(stdout.split('\n')).toHaveLength(clean.split('\n').length - 1);
  expect(stderr).toMatch(/^Planted 2 defects in 7 lines \(seed 3\):\n/);
  expect(stderr).toMatch(/\n {2}no line {2}missing {2}seed-\w+ +left out, EUR [\d.]+\n/);
  expect(stderr).toMatch(
    /\n {2}line \d +amount {3}seed-\w+ +EUR [\d.]+ in the file, EUR [\d.]+ in the service\n/,
  );
});

test('a file is for its owner alone, and --json says what was planted where', async () => {
  const file = join(person.home.path, 'statement.xml');
  const words = ['settlement', file, '--format', 'camt', '--defects', 'refunded'];
  const report = await person.json<SettlementReport & { file: string; bytes: number }>(...words);
  const text = readFileSync(file, 'utf8');
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(report).toMatchObject({ file, bytes: text.length, lines: 9, seed: 1 });
  const [planted] = report.planted;
  expect(planted).toMatchObject({ kind: 'refunded', paymentId: expect.any(Number) });
  const entries = text.split('\n').filter((line) => line.startsWith('<Ntry>'));
  expect(entries).toHaveLength(9);
  expect(entries[planted!.line! - 1]).toContain(`<EndToEndId>${planted!.referenceId}</EndToEndId>`);
  expect(entries[planted!.line! - 1]).toContain('<CdtDbtInd>DBIT</CdtDbtInd>');
});

test('on a terminal it says where the file is and what to find in it', async () => {
  const file = join(person.home.path, 'settlement.csv');
  const tty = await paydeskTty(['sandbox', 'settlement', file, '--defects', 'fee'], {
    home: person.home.path,
  });
  expect(await tty.ended()).toBe(0);
  expect(tty.text()).toMatch(
    /^Wrote 8 lines \(\d+ bytes\) to\s+\S+settlement\.csv\.\nPlanted 1 defect in 8 lines/,
  );
  expect(await person.pipe('settlement', file)).toBe(`${file}\t${statSync(file).size}\t8\n`);
});

test('what cannot be done is refused with what to type', async () => {
  expect(await person.failure(2, 'settlement')).toMatchObject({ code: 'no-file' });
  const all = ['settlement', join(person.home.path, 'x.csv'), '--defects', 'all'];
  expect((await person.failure(1, ...all)).message).toContain('12 defects need 12 captured payments');
  expect((await person.failure(2, 'settlement', '--defects', 'amuont')).details).toMatchObject([
    { input: '--defects', problem: expect.stringContaining('Did you mean amount?') },
  ]);
  expect((await person.failure(2, 'settlement', 'x.csv', '--provider', 'nobody')).details).toMatchObject([
    { input: '--provider', problem: expect.stringContaining('Northbank') },
  ]);
  expect((await person.failure(2, 'settlement', '--since', '7d')).details).toMatchObject([
    { problem: expect.stringContaining('ISO time') },
  ]);
});

test.each(SandboxSettlement.examples.map((example) => example.replace('<%= config.bin %> ', '')))(
  'the example works with the sample payments: %s',
  async (example) => {
    const [typed = ''] = example.split(' > ');
    const words = typed.split(' ').map((word) => (/\.\w+$/.test(word) ? join(person.home.path, word) : word));
    expect(await person.home.run(words)).toMatchObject({ code: 0 });
  },
);

test('too few captured payments: it says how many, and the commands that make one', async () => {
  interface Refused {
    error: { message: string; next: string[] };
  }
  const ask = async (defects: string) => {
    const file = join(person.home.path, 'few.csv');
    const words = ['sandbox', 'settlement', file, '--defects', defects, '--json'];
    const { stdout, code } = await person.home.run(words);
    return { code, ...(JSON.parse(stdout) as Refused) };
  };
  const { code, error } = await ask('all');
  expect(code).toBe(1);
  expect(error.message).toMatch(
    /^12 defects need 12 captured payments, but the file has (\d+)\. Plant fewer defects, or add \d+ more captured payments\.$/,
  );
  const there = Number(/has (\d+)/.exec(error.message)?.[1]);
  for (const command of error.next) {
    const [program, ...words] = command.split(' ');
    expect(program).toBe('paydesk');
    expect((await person.home.run(words)).code).toBe(0);
  }
  expect((await ask('all')).error.message).toContain(`the file has ${there + 1}.`);
});
