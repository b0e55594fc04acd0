import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import { createFlags, envOf, openTestDesk, runTyped, type TestDesk } from '../helpers/desk.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'paydesk-completion-'));
const home = join(folder, 'home');
const bin = join(folder, 'bin');
let desk: TestDesk;
let env: Record<string, string>;

beforeAll(async () => {
  desk = await openTestDesk();
  mkdirSync(bin);
  writeFileSync(
    join(bin, 'paydesk'),
    `#!/bin/sh\nexec '${process.execPath}' '${join(root, 'bin', 'run.js')}' "$@"\n`,
  );
  chmodSync(join(bin, 'paydesk'), 0o755);
  env = { ...envOf(desk.sandbox), PAYDESK_HOME: home, NODE_ENV: 'production' };
  const { code } = await runTyped(['payments', 'create', ...createFlags('inv-2041')], { home, env });
  expect(code).toBe(0);
  const { PAYDESK_BASE_URL: url = '', PAYDESK_APP_ID: app = '' } = env;
  const profile = ['shop-eu', '--base-url', url, '--app-id', app, '--sandbox', '--api-key-stdin'];
  await runTyped(['profiles', 'add', ...profile], { home, input: desk.sandbox.app.apiKey });
  for (const shell of Object.keys(asked)) {
    const { stdout } = await runTyped(['completion', shell], { home });
    writeFileSync(join(folder, `completion.${shell}`), stdout);
  }
});
afterAll(async () => {
  await desk.sandbox.close();
  rmSync(folder, { recursive: true, force: true });
});

/** How each shell is asked what it would offer for a line, with the cursor at its end. */
const asked = {
  bash: (words: string[]) => [
    '-c',
    'source "$HOME/completion.bash"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _paydesk; printf "%s\\n" "${COMPREPLY[@]}"',
    'bash',
    ...words,
  ],
  zsh: (words: string[]) => [
    '-c',
    'compdef() { :; }; _files() { print files; }; _describe() { print -l -- "${(@P)2%%:*}"; }; ' +
      'source "$HOME/completion.zsh"; words=("$@"); CURRENT=$#; _paydesk',
    'zsh',
    ...words,
  ],
  fish: (words: string[]) => ['-c', 'source "$HOME/completion.fish"; complete -C "$argv"', ...words],
};

type Shell = keyof typeof asked;

function offers(shell: Shell, ...words: string[]): string[] {
  const output = execFileSync(shell, asked[shell](['paydesk', ...words]), {
    encoding: 'utf8',
    env: { ...env, PATH: `${bin}:${process.env['PATH']}`, HOME: folder },
  });
  return output
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => line.split('\t')[0] as string);
}

function isThere(shell: Shell): boolean {
  try {
    // In a home of its own: a start-up file of the person who runs this may take long.
    execFileSync(shell, ['-c', 'exit 0'], { env: { ...process.env, HOME: folder } });
    return true;
  } catch {
    return false;
  }
}

describe.each(Object.keys(asked) as Shell[])('completion in %s', (shell) => {
  if (!isThere(shell)) {
    if (process.env['CI']) test(`${shell} is missing, and in CI these tests must run`, () => expect.fail());
    else test.skip(`skipped: there is no ${shell} on this machine`, () => {});
    return;
  }

  it.each<[string[], string[]]>([
    [['payments', 'wa'], ['watch']],
    [['payments', 'get', 'inv'], ['inv-2041']],
    [
      ['payments', 'watch', 'inv-2041', '--until', 'Capt'],
      ['Captured', 'Capturing'],
    ],
    [['payments', 'refund', '--tick'], ['--ticket']],
    [['-p', 'sh'], ['shop-eu']],
    [['--profile', 'sh'], ['shop-eu']],
    [['--profile', 'shop-eu', 'payments', 'wa'], ['watch']],
    [['payments', '-p', 'shop-eu', 'get', 'inv'], ['inv-2041']],
    [['scenario', 'run', 'refund-lost'], ['refund-lost-answer']],
  ])('offers for %j: %j', (words, expected) => {
    expect(offers(shell, ...words).sort()).toEqual(expected);
  });

  it('runs nothing of what was typed', () => {
    const trap = join(folder, `trap-${shell}`);
    offers(shell, 'payments', 'get', `$(touch ${trap})`);
    expect(() => execFileSync('test', ['-e', trap])).toThrow();
  });
});

describe('what it offers', () => {
  const offeredIn = async (shell: string, ...words: string[]) => {
    const { stdout, code } = await runTyped(['completion', 'words', shell, '--', ...words], { home, env });
    expect(code).toBe(0);
    return stdout.split('\n').flatMap((line) => (line === '' ? [] : [line.split(/[\t:]/)[0]!]));
  };
  const offered = (...words: string[]) => offeredIn('bash', ...words);

  it.each<[string[], string[]]>([
    [['pay'], ['payments']],
    [
      ['sandbox', 'clock', 's'],
      ['set', 'show', 'stop'],
    ],
    [['payments', 'get', '--profile', 'sh'], ['shop-eu']],
    [['profiles', 'use', 'sh'], ['shop-eu']],
    [
      ['sandbox', 'pay', 'inv-2041', '--card', 'slow'],
      ['slow-approved', 'slow-declined'],
    ],
  ])('is the same in each shell, for %j: %j', async (words, expected) => {
    for (const shell of Object.keys(asked)) {
      expect((await offeredIn(shell, ...words)).sort()).toEqual(expected);
    }
  });

  it('is quiet where nothing can be known', async () => {
    expect(await offered('nonsense', 'x')).toEqual([]);
    expect(await offered('payments', 'get', '--profile', 'none', '')).toEqual([]);
    const broken = await runTyped(['completion', 'words', 'bash', '--', 'payments', 'get', ''], {
      home,
      env: { ...env, PAYDESK_DATABASE: 'postgres://127.0.0.1:9/none' },
    });
    expect(broken).toMatchObject({ stdout: '', stderr: '', code: 0 });
  });

  it('does not offer a flag twice, or one that is hidden', async () => {
    const flags = await offered('payments', 'refund', '--reason', 'lost', '--');
    expect(flags).not.toContain('--reason');
    expect(flags).toContain('--ticket');
    expect(await offered('profiles', 'add', '--api')).toEqual(['--api-key-stdin']);
    expect(await offered('compl')).toEqual(['completion']);
    expect(await offered('completion', '')).toEqual(['bash', 'zsh', 'fish']);
  });

  it('completes a value that is joined to its flag, as bash cuts it', async () => {
    expect(await offered('sandbox', 'pay', 'x', '--card', '=', 'slow-a')).toEqual(['slow-approved']);
  });

  it('names no shell but those it knows', async () => {
    const { stderr, code } = await runTyped(['completion', 'tcsh'], { home });
    expect(stderr).toContain('one of bash, zsh, fish');
    expect(code).toBe(2);
  });
});
