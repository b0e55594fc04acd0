import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { runTyped, temporaryHome } from '../helpers/desk.js';
import { startTestSandbox, type TestSandbox } from '../helpers/sandbox.js';

let sandbox: TestSandbox;
let home: string;
let before: Record<string, unknown>;
beforeAll(async () => {
  sandbox = await startTestSandbox();
  await sandbox.create();
});
afterAll(() => sandbox.close());

const run = (args: string[], input?: string) => runTyped(args, { home, ...(input && { input }) });
/** The profile, without the place of its key. */
async function shown(): Promise<Record<string, unknown>> {
  const { stdout } = await run(['profiles', 'show', 'shop', '--json']);
  return { ...(JSON.parse(stdout) as object), key: undefined };
}

/** A profile with everything that can be set. */
beforeEach(async () => {
  home = temporaryHome();
  const { url, app } = sandbox;
  const where = ['--base-url', url, '--app-id', app.appId, '--sandbox', '--api-key-stdin'];
  const settings = ['--read-only', '--quiet-period', '90s'];
  expect((await run(['profiles', 'add', 'shop', ...where, ...settings], app.apiKey)).code).toBe(0);
  await run(['profiles', 'alias', 'shop', 'OnHold=Held', 'Paid Out=Captured']);
  before = await shown();
  expect(before).toMatchObject({ readOnly: true, aliases: { OnHold: 'Held', 'Paid Out': 'Captured' } });
});

const keyFile = () => join(home, 'keys', readdirSync(join(home, 'keys'))[0]!);

/** The words of a command that was shown. */
const wordsOf = (command: string): string[] =>
  [...command.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain!).slice(1);

async function follow(commands: readonly string[]): Promise<void> {
  for (const command of commands) {
    const words = wordsOf(command);
    const isAdd = words[1] === 'add';
    const ran = await run(
      isAdd ? [...words, '--api-key-stdin'] : words,
      isAdd ? sandbox.app.apiKey : undefined,
    );
    expect([ran.code, ran.stderr]).toEqual([0, expect.any(String)]);
  }
}

const fixOf = async (check: string): Promise<string> => {
  const { checks } = (await run(['doctor', '-p', 'shop', '--json'])).json;
  return checks!.find(({ name }) => (name as string) === check)!.fix!;
};
const commandsIn = (fix: string): string[] =>
  fix.split(', then ').map((part) => part.replace(/ \(.*\)$/, ''));

it('what to type when a key is missing keeps every setting of the profile', async () => {
  rmSync(keyFile());
  const { json, code } = await run(['payments', 'get', 'id:1', '--json']);
  expect(code).toBe(4);
  const next = json.error!.next as unknown as string[];
  expect(commandsIn(await fixOf('profile'))).toEqual(next);
  await follow(next);
  expect(await shown()).toEqual(before);
});

it('so does what to type when a key is refused', async () => {
  writeFileSync(keyFile(), 'sk_wrong_key');
  await follow(commandsIn(await fixOf('key')));
  expect(await shown()).toEqual(before);
});

it('so does what to type when the app is of the other kind', async () => {
  const config = join(home, 'config.json');
  writeFileSync(config, readFileSync(config, 'utf8').replace('"kind": "sandbox"', '"kind": "live"'));
  expect((await shown()).kind).toBe('live');
  await follow(commandsIn(await fixOf('kind')));
  expect(await shown()).toEqual(before);
});
