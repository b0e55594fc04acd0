import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterEach } from 'vitest';
import type { OpenOptions } from '../../src/store/store.js';

export interface Child {
  process: ChildProcess;
  /** The next line that it says, parsed. Throws when it ended instead. */
  answer(): Promise<unknown>;
  /** All further lines until it ends. */
  rest(): Promise<unknown[]>;
  send(line: string): void;
  kill(signal?: NodeJS.Signals): Promise<void>;
}

const running = new Set<ChildProcess>();

/** Starts worker.ts as a process of its own; `through` is a command that is put in front. */
export function startChild(options: Partial<OpenOptions>, verb = 'open', through: string[] = []): Child {
  const worker = fileURLToPath(new URL('worker.ts', import.meta.url));
  const node = [process.execPath, worker, JSON.stringify(options), verb];
  const [command, ...rest] = [...through, ...node] as [string, ...string[]];
  const child = spawn(command, rest, { stdio: ['pipe', 'pipe', 'inherit'] });
  running.add(child);
  const exited = once(child, 'exit').then(() => running.delete(child));
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    process: child,
    async answer() {
      const { value, done } = await lines.next();
      if (done) throw new Error('the child process ended');
      return JSON.parse(value) as unknown;
    },
    async rest() {
      const answers: unknown[] = [];
      for (;;) {
        const { value, done } = await lines.next();
        if (done) return answers;
        answers.push(JSON.parse(value));
      }
    },
    send: (line) => void child.stdin.write(`${line}\n`),
    async kill(signal = 'SIGKILL') {
      child.kill(signal);
      await exited;
    },
  };
}

/** To be called at the top of a test file that starts children. */
export function killChildrenAfterEach(): void {
  afterEach(async () => {
    await Promise.all(
      [...running].map(async (child) => {
        const exited = once(child, 'exit');
        child.kill('SIGKILL');
        await exited;
      }),
    );
  });
}
