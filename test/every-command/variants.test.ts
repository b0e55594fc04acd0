import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AnswerChoices, answerVariants } from '../../src/sandbox/answers.js';
import { openTestDesk, type TestDesk } from '../helpers/desk.js';
import { everyCommandWorks, runOn } from './answers.js';
import { commandNames, isLocal, refusedCases, serviceCases } from './cases.js';

// What is answered differently is looked at where it belongs; here every command meets every way to answer.

const gaps = Object.entries(answerVariants);
const shapes = answerVariants.errors;
const names = Object.keys(serviceCases);
/** The commands that meet a shape of errors: each command meets two of them, and each shape many commands. */
const meeting = (shape: (typeof shapes)[number]) =>
  names.filter((_, index) => (index - shapes.indexOf(shape) + shapes.length) % shapes.length < 2);

// Batches and imports read and move payments as the commands on payments do; they and the webhooks have tests of their own.
const elsewhere = /^(batch|webhook):|^payments:import$|^reconcile/;

it('every command that asks the service has a case', () => {
  expect(commandNames.filter((name) => !isLocal(name) && !elsewhere.test(name)).toSorted()).toEqual(
    names.toSorted(),
  );
});

/** Every variant is in one of these at least. `npm run proof` tries them one by one. */
const mixtures = Array.from(
  { length: Math.max(...gaps.map(([, variants]) => variants.length - 1)) },
  (_, row) =>
    Object.fromEntries(gaps.map(([name, variants]) => [name, variants[(row + 1) % variants.length]])),
) as AnswerChoices[];

it('every variant is in a mixture', () => {
  const met = new Set(mixtures.flatMap((choices) => Object.entries(choices).map(String)));
  const others = gaps.flatMap(([name, [, ...rest]]) => rest.map((variant) => String([name, variant])));
  expect(others.filter((variant) => !met.has(variant))).toEqual([]);
});

describe.each(mixtures)('with answers %j', everyCommandWorks);

const refusedWords = (name: string): string[] =>
  refusedCases[name] ?? (['customers:list', 'doctor'].includes(name) ? [] : ['nobody']);

describe.each(shapes)('errors in the shape: %s', (shape) => {
  let desk: TestDesk;
  beforeAll(async () => {
    desk = await openTestDesk({ answers: { errors: shape } });
  });
  afterAll(() => desk.sandbox.close());

  // A list is never refused, and doctor and find ask for nothing else.
  const refusable = names.filter((name) => !['customers:list', 'customers:find', 'doctor'].includes(name));

  it.each(refusable)('%s tells a refusal', async (name) => {
    const { code, stdout, stderr } = await runOn(desk, name, refusedCases[name] ?? ['nobody']);
    expect([name, code, stderr]).toEqual([name, 1, expect.any(String)]);
    const { error } = JSON.parse(stdout) as { error: { httpStatus: number; message: string; exit: number } };
    expect(error.exit).toBe(1);
    expect(error.httpStatus).toBeGreaterThanOrEqual(400);
    expect(error.message).toMatch(/\w/);
  });

  it('a key that is not accepted is told', async () => {
    for (const name of meeting(shape)) {
      const { code, stdout, stderr } = await runOn(desk, name, refusedWords(name), {
        PAYDESK_API_KEY: 'sk_wrong',
      });
      expect([name, code]).toEqual([name, 4]);
      expect(stdout + stderr, name).toContain('does not accept the API key');
    }
  });
});

// Each command waits between its attempts, so all of them do it at once.
it('every command tells a service that is out of order, whatever the shape of errors', async () => {
  const desks = await Promise.all(shapes.map((shape) => openTestDesk({ answers: { errors: shape } })));
  // Nearly all read before they send; a customer is sent at once, and may have been made.
  const sent = ['customers:create'];
  const expectedOf = (name: string) => [name, sent.includes(name) ? 6 : 5];
  const found = await Promise.all(
    desks.map(async (desk, index) => {
      await desk.fault({ kind: 'error-before-commit', probability: 1, status: 503 });
      const codes = meeting(shapes[index]!).map(async (name) => [
        name,
        (await runOn(desk, name, refusedWords(name))).code,
      ]);
      return Promise.all(codes);
    }),
  );
  expect(found).toEqual(shapes.map((shape) => meeting(shape).map(expectedOf)));
  for (const { sandbox } of desks) await sandbox.close();
});
