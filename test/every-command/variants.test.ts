import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AnswerName, answerVariants } from '../../src/sandbox/answers.js';
import { envOf, openTestDesk, type TestDesk } from '../commands/payments/desk.js';
import { runInProcess } from '../helpers/in-process.js';
import { commandClass, commandNames, isLocal, refusedCases, serviceCases } from './cases.js';

// What is answered differently is looked at where it belongs; here every command meets every way to answer.

const others = Object.entries(answerVariants).flatMap(([name, [, ...rest]]) =>
  rest.map((variant) => [name as AnswerName, variant] as const),
);
const shapes = answerVariants.errors;
const names = Object.keys(serviceCases);
/** These print a JSON document a line. */
const streams = ['payments:watch'];

// Batches and imports read and move payments as the commands on payments do; they and the webhooks have tests of their own.
const elsewhere = /^(batch|webhook):|^payments:import$|^reconcile/;

it('every command that asks the service has a case', () => {
  expect(commandNames.filter((name) => !isLocal(name) && !elsewhere.test(name)).toSorted()).toEqual(
    names.toSorted(),
  );
});

async function run(desk: TestDesk, name: string, words: Array<string | number>, env: object = {}) {
  const Class = await commandClass(name);
  const all = { ...envOf(desk.sandbox), ...env };
  const argv = [...words.map(String), '--json'];
  const { code, stdout, stderr } = await runInProcess(Class, argv, { env: all, now: new Date() });
  return { name, code, stdout, stderr };
}

describe.each(others)('with answers %s=%s', (answer, variant) => {
  let desk: TestDesk;
  beforeAll(async () => {
    desk = await openTestDesk({ answers: { [answer]: variant } });
  });
  afterAll(() => desk.sandbox.close());

  it('every command works', async () => {
    for (const name of names) {
      const ran = await run(desk, name, await serviceCases[name]!(desk));
      expect(ran).toEqual({ name, code: 0, stdout: expect.any(String), stderr: expect.any(String) });
      const documents = streams.includes(name) ? ran.stdout.trimEnd().split('\n') : [ran.stdout];
      for (const document of documents) expect(JSON.parse(document), name).toBeTypeOf('object');
    }
  });
});

describe.each(shapes)('errors in the shape: %s', (shape) => {
  let desk: TestDesk;
  beforeAll(async () => {
    desk = await openTestDesk({ answers: { errors: shape } });
  });
  afterAll(() => desk.sandbox.close());

  // A list is never refused, and doctor and find ask for nothing else.
  const refusable = names.filter((name) => !['customers:list', 'customers:find', 'doctor'].includes(name));

  it.each(refusable)('%s tells a refusal', async (name) => {
    const { code, stdout, stderr } = await run(desk, name, refusedCases[name] ?? ['nobody']);
    expect([name, code, stderr]).toEqual([name, 1, expect.any(String)]);
    const { error } = JSON.parse(stdout) as { error: { httpStatus: number; message: string; exit: number } };
    expect(error.exit).toBe(1);
    expect(error.httpStatus).toBeGreaterThanOrEqual(400);
    expect(error.message).toMatch(/\w/);
  });

  it('every command tells a key that is not accepted', async () => {
    for (const name of names) {
      const words = refusedCases[name] ?? (['customers:list', 'doctor'].includes(name) ? [] : ['nobody']);
      const { code, stdout, stderr } = await run(desk, name, words, { PAYDESK_API_KEY: 'sk_wrong' });
      expect([name, code]).toEqual([name, 4]);
      expect(stdout + stderr, name).toContain('does not accept the API key');
    }
  });

  it('every command tells a service that is out of order', async () => {
    await desk.fault({ kind: 'error-before-commit', probability: 1, status: 503 });
    const codes = await Promise.all(
      names.map(async (name) => {
        const words = refusedCases[name] ?? (['customers:list', 'doctor'].includes(name) ? [] : ['nobody']);
        const { code } = await run(desk, name, words);
        return [name, code] as const;
      }),
    );
    // Nearly all read before they send; a customer is sent at once, and may have been made.
    const sent = ['customers:create'];
    expect(Object.fromEntries(codes)).toEqual(
      Object.fromEntries(names.map((name) => [name, sent.includes(name) ? 6 : 5])),
    );
  });
});
