import { execFileSync } from 'node:child_process';
import { createWriteStream, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Cell, createScreen } from '../helpers/screen.js';
import { readTerminal, type TerminalOutput } from '../helpers/terminal-output.js';

export interface Terminal {
  /** Types a command; the screen is cleared first. */
  type(command: string): void;
  /** Answers a question of the program that is running. */
  answer(text: string): void;
  lines(): string[];
  cells(): Cell[][];
  /** Whether the command has ended. */
  ended(): boolean;
  /** How it has ended; undefined while it runs. */
  exit(): number | undefined;
  until: TerminalOutput['until'];
  close(): Promise<void>;
}

// Commands are read from a pipe of their own, so that what runs has the whole terminal to itself; the end of each is
// told by a sequence that no terminal shows. `$?` is that of the command before, as in any shell. Where paydesk has the
// terminal on all three streams, one process runs all such commands; where a page sends its output elsewhere, or a
// script runs it, it is a program of its own.
const DRIVER = `base=$1 shell_commands=$2 desk= code=0
exec 3<"$base.fifo"
trap '[ -z "$desk" ] || kill -KILL "$desk"' EXIT
paydesk() {
  if ! [ -t 0 -a -t 1 -a -t 2 ]; then command paydesk "$@"; return; fi
  if [ -z "$desk" ]; then node "$shell_commands" "$base.typed" "$base.codes" < /dev/tty 3<&- & desk=$!; fi
  { printf '%s\\0' "$PWD" "$#" "$@"; env -0; } > "$base.typed"
  local code; read -r code < "$base.codes"; return "$code"
}
while IFS= read -r -d '' -u 3 command; do
  eval "(exit $code)
$command" 3<&-
  code=$?
  printf '\\033]777;ended %d\\a' "$code"
done`;
// oxlint-disable-next-line no-control-regex -- a sequence that no terminal shows
const ENDED = /\u001B\]777;ended (\d+)\u0007/;
const shellCommands = fileURLToPath(new URL('shell-commands.ts', import.meta.url));

let made = 0;

export async function openTerminal(place: {
  cwd: string;
  env: Record<string, string>;
  columns?: number;
}): Promise<Terminal> {
  const { spawn } = await import('@lydell/node-pty');
  const { cwd, env, columns = 80 } = place;
  const base = join(cwd, `.terminal-${(made += 1)}`);
  execFileSync(
    'mkfifo',
    ['fifo', 'typed', 'codes'].map((name) => `${base}.${name}`),
  );
  writeFileSync(`${base}.sh`, DRIVER);
  const pty = spawn('bash', ['--noprofile', '--norc', `${base}.sh`, base, shellCommands], {
    name: 'xterm-256color',
    cols: columns,
    rows: 24,
    cwd,
    env,
  });
  const commands = createWriteStream(`${base}.fifo`);
  const screen = createScreen(columns);
  const output = readTerminal(pty, (data) => screen.write(data));
  // As after a command: the first may be typed.
  output.raw = '\u001B]777;ended 0\u0007';
  const exit = () => {
    const [, code] = ENDED.exec(output.raw) ?? [];
    return code === undefined ? undefined : Number(code);
  };
  const ended = () => output.isOver || exit() !== undefined;

  return {
    type(command) {
      output.raw = '';
      screen.clear();
      commands.write(`${command}\0`);
    },
    answer: (text) => pty.write(`${text}\r`),
    lines: () => screen.lines(),
    cells: () => screen.cells(),
    ended,
    exit,
    until: output.until,
    async close() {
      commands.end();
      if (!output.isOver) pty.write('\u0003');
      const timer = setTimeout(() => killGroup(pty.pid), 5000);
      await output.ended;
      clearTimeout(timer);
    },
  };
}

/** With the process that runs its commands: that one stays when only its shell is killed. */
function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // It ended meanwhile.
  }
}
