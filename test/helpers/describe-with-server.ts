import { afterAll, beforeAll, describe, test } from 'vitest';

interface Server {
  stop(): Promise<void>;
}

interface ServerSource<Running extends Server> {
  /** Why it cannot be started here; undefined when it can. */
  missing: string | undefined;
  start(): Promise<Running | undefined>;
}

/** A group of tests with a server; skipped with a reason where it is missing, but never in CI. */
export function describeWithServer<Running extends Server>(
  name: string,
  { missing, start }: ServerSource<Running>,
  define: (server: () => Running) => void,
): void {
  if (missing !== undefined) {
    if (process.env['CI']) {
      test(`${name}: ${missing}`, () => {
        throw new Error(`${missing}: in CI these tests must run.`);
      });
    } else {
      test.skip(`${name} (skipped: ${missing})`, () => {});
    }
    return;
  }
  describe(name, () => {
    let running: Running | undefined;
    beforeAll(async () => {
      running = await start();
    });
    afterAll(async () => {
      await running?.stop();
    });
    define(() => {
      if (!running) throw new Error('The server is started before each group: use it inside a test.');
      return running;
    });
  });
}
