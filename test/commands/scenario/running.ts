import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import SandboxStart from '../../../src/commands/sandbox/start.js';
import { runInProcess } from '../../helpers/in-process.js';

export interface Running {
  env: Record<string, string>;
  stop(): Promise<void>;
}

/** A sandbox of a home of its own, as `sandbox start` runs it. */
export async function start(words: string[], more: Record<string, string> = {}): Promise<Running> {
  const home = mkdtempSync(join(tmpdir(), 'paydesk-home-'));
  const env = { PAYDESK_HOME: home, ...more };
  const ready = Promise.withResolvers<void>();
  let interrupt = () => {};
  const ended = runInProcess(SandboxStart, [...words, '--port', '0', '--json'], {
    env,
    now: new Date(),
    onStart: (stop) => (interrupt = stop),
    onWrite: () => ready.resolve(),
  });
  await ready.promise;
  return {
    env,
    async stop() {
      interrupt();
      await ended;
      rmSync(home, { recursive: true, force: true });
    },
  };
}
