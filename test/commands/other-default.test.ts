import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openProfiles } from '../../src/profiles/store.js';
import { Secret } from '../../src/profiles/secret.js';
import { openTestDesk, runTyped, temporaryHome, type TestDesk } from '../helpers/desk.js';
import { paydeskTty } from '../helpers/run.js';

// A command that is pasted without --profile acts on the default profile, which is another app.

let desk: TestDesk;
let home: string;
beforeAll(async () => {
  desk = await openTestDesk();
});
afterAll(() => desk.sandbox.close());
beforeEach(async () => {
  home = temporaryHome();
  const { url: baseUrl, app, live } = desk.sandbox;
  const store = openProfiles({ PAYDESK_HOME: home });
  const add = (name: string, { appId, apiKey }: typeof app, kind: 'sandbox' | 'live') =>
    store.add({ name, baseUrl, appId, kind, apiKey: new Secret(apiKey) });
  await add('local-live', live, 'live');
  await add('local', app, 'sandbox');
});

const run = (...args: Array<string | number>) => runTyped([...args, '--profile', 'local'], { home });

/** Every command on payments in a text. A terminal may break one over several lines. */
const commandsIn = (text: string): string[] =>
  text.replaceAll(/\s*\\\r?\n\s*/g, ' ').match(/paydesk payments [^\n\t"]*/g) ?? [];

function expectProfile(text: string, name = 'local'): void {
  const commands = commandsIn(text);
  expect(commands).not.toEqual([]);
  expect(commands.filter((command) => !command.includes(` --profile ${name}`))).toEqual([]);
}

describe('with another default profile, next steps name the profile that was chosen', () => {
  it.each([[['--columns', 'line,next']], [['--csv', '--columns', 'next']], [['--json']]])(
    'batch plan %j',
    async (flags) => {
      const { paymentId } = await desk.paid();
      const file = join(home, 'rows.csv');
      const out = join(home, 'plan.json');
      writeFileSync(file, `payment\n${paymentId}\n`);
      const planned = await run('batch', 'plan', file, '--action', 'cancel', '--out', out, ...flags);
      expect(planned.code).toBe(0);
      expectProfile(planned.stdout);
      expectProfile(readFileSync(out, 'utf8'));
    },
  );

  it('payments resolve', async () => {
    const terminal = await paydeskTty(['payments', 'resolve', 'inv-404', '-p', 'local'], { home, rows: 60 });
    await terminal.waitFor('There is no payment');
    await terminal.waitFor('navigate');
    expectProfile(terminal.text());
    terminal.press('ctrl-c');
    await terminal.ended();
  });

  it('profiles add, where the key cannot be tried', async () => {
    const app = ['--base-url', 'http://127.0.0.1:9', '--app-id', 'a', '--sandbox', '--api-key-stdin'];
    const added = await runTyped(['profiles', 'add', 'shop', ...app], { home, input: 'key-1234\n' });
    expect(added.stderr).toContain('Try it later: paydesk doctor --profile shop\n');
  });
});
