import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { spawn } from '@lydell/node-pty';
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import { createFlags, envOf, openTestDesk, runTyped, type TestDesk } from '../helpers/desk.js';
import { eventually } from '../helpers/sandbox.js';

// References that strangers chose, completed with Tab and run with Enter in the real shells, on a real terminal.

const root = fileURLToPath(new URL('../..', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'paydesk-quoting-'));
const [home, bin, trap, got] = ['home', 'bin', 'trap', 'got'].map((name) => join(folder, name)) as [
  string,
  string,
  string,
  string,
];
let desk: TestDesk;
let env: Record<string, string>;

/** What is typed, and the reference that it is to be completed to. */
const references: ReadonlyArray<[typed: string, reference: string]> = [
  ['xa', `xa;touch ${trap};#`],
  ['xb', `xb$(touch ${trap})`],
  ['xc', `xc\`touch ${trap}\``],
  ['xd', `xd'q"r`],
  ['xe', `xe two  words`],
  ['xf', String.raw`xf\back\\slash`],
  ['xg', 'xg&|<>*?[a]{b,c}~!!^%'],
  ['xh', 'xh:a;b:c'],
  ['xi', 'xi$HOME é漢'],
  ['ref:-', `-xj;touch ${trap}`],
];

beforeAll(async () => {
  desk = await openTestDesk();
  mkdirSync(bin);
  // Completes as paydesk does, and only notes what else it is called with.
  writeFileSync(
    join(bin, 'paydesk'),
    `#!/bin/sh
if [ "$1" = completion ]; then exec '${process.execPath}' '${join(root, 'bin', 'run.js')}' "$@"; fi
printf '%s\\n' "$@" > '${got}.new'; mv '${got}.new' '${got}'
`,
    { mode: 0o755 },
  );
  env = { ...envOf(desk.sandbox), PAYDESK_HOME: home, NODE_ENV: 'production' };
  for (const reference of [...references.map(([, each]) => each), 'xk']) {
    const run = await runTyped(['payments', 'create', ...createFlags(reference)], { home, env });
    expect([reference, run.code, run.stderr]).toEqual([reference, 0, expect.any(String)]);
  }
  for (const shell of Object.keys(shells)) {
    const { stdout } = await runTyped(['completion', shell], { home });
    writeFileSync(join(folder, `completion.${shell}`), stdout);
  }
  // One that another client of the service could have made, and that came by a webhook.
  const database = new DatabaseSync(join(home, 'data', 'desk.db'));
  database.exec("update known_payments set reference_id = 'xk' || char(10) || 'y' where reference_id = 'xk'");
  database.close();
});
afterAll(async () => {
  await desk.sandbox.close();
  rmSync(folder, { recursive: true, force: true });
});

const shells = {
  bash: {
    args: ['--norc', '-i'],
    setUp: "PS1='ready> '; source completion.bash",
    sum: (one: number) => `$((${one} + 1))`,
  },
  zsh: {
    args: ['-f', '-i'],
    setUp: "autoload -Uz compinit; compinit -u -D; PS1='ready> '; source ./completion.zsh",
    sum: (one: number) => `$((${one} + 1))`,
  },
  fish: {
    args: ['--no-config', '-i'],
    setUp: "function fish_prompt; echo 'ready> '; end; source completion.fish",
    sum: (one: number) => `(math ${one} + 1)`,
  },
};

type Shell = keyof typeof shells;

function isThere(shell: Shell): boolean {
  try {
    execFileSync(shell, ['-c', 'exit 0']);
    return true;
  } catch {
    return false;
  }
}

interface Session {
  /** Types the line, and gives back the words that paydesk was run with. */
  run(line: string): Promise<string[]>;
  close(): Promise<void>;
}

async function openShell(shell: Shell): Promise<Session> {
  const { args, setUp, sum } = shells[shell];
  const pty = spawn(shell, args, {
    name: 'xterm',
    cols: 200,
    rows: 40,
    cwd: folder,
    env: { ...env, PATH: `${bin}:${process.env['PATH']}`, HOME: folder, TERM: 'xterm', LANG: 'C.UTF-8' },
  });
  let seen = '';
  pty.onData((data) => {
    seen += data;
    // fish asks what kind of terminal this is.
    if (data.includes('\u001B[c') || data.includes('\u001B[0c')) pty.write('\u001B[?62;c');
  });
  const ended = new Promise<void>((resolve) => pty.onExit(() => resolve()));
  pty.write(`${setUp}\r`);
  await eventually(() => expect(seen).toMatch(/ready> (?!')/));
  let lines = 0;
  return {
    async run(line) {
      rmSync(got, { force: true });
      pty.write(line);
      await eventually(() => expect(existsSync(got) || seen).toBe(true));
      // Only the shell can write the sum: the prompt after it waits for the next line.
      lines += 1;
      pty.write(`echo sum-${sum(1000 + lines)}\r`);
      await eventually(() => expect(seen).toMatch(new RegExp(`sum-${1001 + lines}[^]*ready> `)));
      return readFileSync(got, 'utf8').trimEnd().split('\n');
    },
    async close() {
      pty.kill('SIGKILL');
      await ended;
    },
  };
}

describe.each(Object.keys(shells) as Shell[])('a reference completed in %s', (shell) => {
  if (!isThere(shell)) {
    if (process.env['CI']) test(`${shell} is missing, and in CI these tests must run`, () => expect.fail());
    else test.skip(`skipped: there is no ${shell} on this machine`, () => {});
    return;
  }

  let session: Session;
  beforeAll(async () => {
    session = await openShell(shell);
  });
  afterAll(() => session.close());

  it.each(references)('%s is one word that runs nothing: %s', async (typed, reference) => {
    const word = typed.startsWith('ref:') ? `ref:${reference}` : reference;
    expect(await session.run(`paydesk payments get ${typed}\t\r`)).toEqual(['payments', 'get', word]);
    expect(existsSync(trap)).toBe(false);
  });

  it('is not offered when it has a line break', async () => {
    expect(await session.run('paydesk payments get xk\t\r')).toEqual(['payments', 'get', 'xk']);
  });
});
