import { afterAll, beforeAll, describe, test } from 'vitest';
import { missingSshd, startSshd, type Sshd } from './sshd-server.js';

/** Tests with an SSH server of their own; skipped with a reason where there is none, but never in CI. */
export function describeWithSshd(name: string, define: (sshd: () => Sshd) => void): void {
  const reason = missingSshd();
  if (reason !== undefined) {
    if (process.env['CI']) {
      test(`${name}: ${reason}`, () => {
        throw new Error(`${reason}: in CI these tests must run.`);
      });
    } else {
      test.skip(`${name} (skipped: ${reason})`, () => {});
    }
    return;
  }
  describe(name, () => {
    let running: Sshd | undefined;
    beforeAll(async () => {
      running = await startSshd();
    });
    afterAll(async () => {
      await running?.stop();
    });
    define(() => {
      if (!running) throw new Error('sshd is started before each group: use this inside a test.');
      return running;
    });
  });
}
