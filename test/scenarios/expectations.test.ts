import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import ScenarioRun from '../../src/commands/scenario/run.js';
import { expectation } from '../../src/scenarios/schema.js';
import { runInProcess } from '../helpers/in-process.js';

const folder = mkdtempSync(join(tmpdir(), 'paydesk-expect-'));
afterAll(() => rmSync(folder, { recursive: true }));

const before = `name: told when it is wrong
steps:
  - create: { amount: 10, currency: EUR, customer: c_1, auto-capture: false, register-auto-payment: true }
    as: order
  - pay: { payment: '\${order}', card: approved }
`;
const refused = `${before}  - refund: { payment: '\${order}' }\n    expect: `;
const looked = `${before}  - explain: { payment: '\${order}' }\n    expect: `;

/** What is expected wrongly, and the line that says so: what, expected, actual. */
const kinds: Array<[key: string, steps: string, expected: string, row: string]> = [
  [
    'payment',
    looked,
    '{ payment: nobody, state: Created }',
    'payment nobody The sandbox has no payment nobody.',
  ],
  ['state', looked, '{ state: Captured }', 'state Captured Authorised'],
  ['outcome', refused, '{ outcome: done }', 'outcome done refused'],
  ['exit', refused, '{ exit: 3 }', 'exit 3 9'],
  ['error', refused, '{ error: other-code }', 'error other-code not-possible'],
  ['amount', looked, '{ amount: 12 }', 'amount 12.00 10.00'],
  ['captured', looked, '{ captured: 10 }', 'captured 10.00 0.00'],
  ['currency', looked, '{ currency: USD }', 'currency USD EUR'],
  ['created', looked, '{ created: true }', 'created true (none)'],
  ['fields', looked, '{ fields: { fraudStatus: Unknown } }', 'fraudStatus Unknown Verified'],
  ['books', looked, '{ books: { authorize: { told: 2 } } }', 'books.authorize.told 2 1'],
  ['webhooks', looked, '{ webhooks: [Authorised, Captured] }', 'webhooks Authorised, Captured Authorised'],
  ['all-webhooks', looked, '{ all-webhooks: [Created] }', 'all-webhooks Created Created, Authorised'],
  ['answers', looked, '{ answers: [200, 500] }', 'answers 200, 500 200, 200'],
  ['verdict', looked, '{ verdict: was refunded }', 'verdict was refunded Authorised'],
  ['action', looked, '{ action: refund }', 'action refund none'],
  ['stuck', looked, '{ stuck: true }', 'stuck true false'],
  ['methods', looked, '{ customer: c_1, methods: 2 }', 'methods 2 1'],
  ['customer', looked, '{ customer: c_1, methods: [{ isActive: false }] }', 'methods.0.isActive false true'],
  [
    'rows',
    `${before}  - batch: { action: capture, rows: [{ payment: '\${order}' }] }\n    expect: `,
    '{ rows: { done: 2 } }',
    'rows.done 2 1',
  ],
];

it('every kind of expectation is here', () => {
  expect(kinds.map(([key]) => key).toSorted()).toEqual(Object.keys(expectation.shape).toSorted());
});

it.each(kinds)('%s is shown with what was expected and what was so', async (_, steps, expected, row) => {
  const file = join(folder, 'wrong.yaml');
  const junit = join(folder, 'wrong.xml');
  writeFileSync(file, `${steps}${expected}\n`);
  const ran = await runInProcess(ScenarioRun, [file, '--junit', junit], { terminal: true, columns: 120 });
  expect(ran).toMatchObject({ code: 3, stderr: 'Error: 1 of 1 scenario failed.\n' });
  const lines = ran.stdout.split('\n').map((line) => line.trim().replaceAll(/ {2,}/g, ' '));
  expect(lines[0]).toBe('✗ told when it is wrong');
  expect(lines[1]).toMatch(/wrong\.yaml:6:5, step 3: (refund|explain|batch)$/);
  expect(lines[3]).toBe('expected actual');
  expect(lines.slice(4).some((line) => line.startsWith(row))).toBe(true);
  expect(ran.stdout).toContain('1 create order: payment 100001, Created');
  expect(ran.stdout).toContain('provider 100001 told to authorize: done');
  const xml = readFileSync(junit, 'utf8');
  expect(xml).toMatch(/^<testsuites tests="1" failures="1">$/m);
  expect(xml).toContain('name="told when it is wrong"');
  expect(xml.split('\n').map((line) => line.trim().replaceAll(/ {2,}/g, ' '))).toContainEqual(
    expect.stringMatching(new RegExp(`^${row.replaceAll(/[.()[\]]/g, '\\$&')}`)),
  );
});

it('in a narrow terminal the times have lines of their own, and nothing is wider than it', async () => {
  const file = join(folder, 'narrow.yaml');
  writeFileSync(file, `${looked}{ state: Captured }\n`);
  const { stdout } = await runInProcess(ScenarioRun, [file], { terminal: true, columns: 60 });
  const lines = stdout.split('\n');
  expect(lines).toContain('    2026-01-01 00:00:00');
  expect(lines).toContain('      1 create order: payment 100001, Created');
  expect(lines.slice(2).filter((line) => line.length > 60)).toEqual([]);
});

it('a step that fails without saying so is shown with its error', async () => {
  const file = join(folder, 'unsaid.yaml');
  writeFileSync(file, `${before}  - refund: { payment: '\${order}' }\n`);
  const { stdout, code } = await runInProcess(ScenarioRun, [file], { terminal: true, columns: 100 });
  expect(code).toBe(3);
  expect(stdout).toMatch(/exit {2}0 {9}9\n/);
  expect(stdout).toContain('The step ended with not-possible (exit 9): Payment 100001');
});
