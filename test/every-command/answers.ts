import { afterAll, beforeAll, expect, it } from 'vitest';
import type { AnswerChoices } from '../../src/sandbox/answers.js';
import { envOf, openTestDesk, type TestDesk } from '../helpers/desk.js';
import { runInProcess } from '../helpers/in-process.js';
import { commandClass, serviceCases } from './cases.js';

/** These print a JSON document a line. */
const streams = ['payments:watch'];

export async function runOn(desk: TestDesk, name: string, words: Array<string | number>, env: object = {}) {
  const Class = await commandClass(name);
  const all = { ...envOf(desk.sandbox), ...env };
  const argv = [...words.map(String), '--json'];
  const { code, stdout, stderr } = await runInProcess(Class, argv, { env: all, now: new Date() });
  return { name, code, stdout, stderr };
}

/** A test that every command on the service works with a sandbox that answers this way. */
export function everyCommandWorks(answers: Partial<AnswerChoices>): void {
  let desk: TestDesk;
  beforeAll(async () => {
    desk = await openTestDesk({ answers });
  });
  afterAll(() => desk.sandbox.close());

  it('every command works', async () => {
    for (const [name, words] of Object.entries(serviceCases)) {
      const ran = await runOn(desk, name, await words(desk));
      expect(ran).toEqual({ name, code: 0, stdout: expect.any(String), stderr: expect.any(String) });
      const documents = streams.includes(name) ? ran.stdout.trimEnd().split('\n') : [ran.stdout];
      for (const document of documents) expect(JSON.parse(document), name).toBeTypeOf('object');
    }
  });
}
