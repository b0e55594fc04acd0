import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll } from 'vitest';
import { scenes } from '../../src/sandbox/seed.js';
import { openTestDesk, type Ran, temporaryHome, type TestDesk } from '../helpers/desk.js';

export const sceneNames = [...Object.keys(scenes), 'seed-charged'];

export interface Explained {
  payment: { paymentId: number; paymentState: string };
  verdict: string;
  severity: string;
  stuck: boolean;
  age: { ms: number; certainty: string } | null;
  timeline: Array<Record<string, unknown> & { event: string }>;
  actions: Array<{ operation: string; command: string; consequence: string; recommended: boolean }>;
  notPossible: Array<{ operation: string; why: string; instead?: string }>;
  mustNot: Array<{ what: string; why: string }>;
}

export interface SeededDesk extends TestDesk {
  home: string;
  explain(payment: string | number, now?: Date): Promise<Explained>;
  /** As if the quiet period of everything that was sent had passed. */
  passQuietPeriod(): void;
  /** Types a command that an explanation gave, as it is. */
  type(command: string, ...more: string[]): Promise<Ran>;
}

/** A sandbox with the seeded payments, and a desk of its own that knows nothing of them. */
export async function openSeededDesk(): Promise<SeededDesk> {
  const desk = await openTestDesk();
  const home = temporaryHome();
  afterAll(() => desk.sandbox.close());
  const { status, text } = await desk.sandbox.control('POST', '/seed');
  if (status >= 300) throw new Error(text);
  const run: TestDesk['run'] = (verb, args, options = {}) =>
    desk.run(verb, args, { now: new Date(), ...options, env: { PAYDESK_HOME: home, ...options.env } });
  return {
    ...desk,
    run,
    home,
    async explain(payment, now = new Date()) {
      const { stdout, stderr, code } = await run('explain', [payment, '--json'], { now });
      if (code !== 0) throw new Error(`${code}: ${stdout}${stderr}`);
      return JSON.parse(stdout) as Explained;
    },
    passQuietPeriod() {
      const db = new DatabaseSync(join(home, 'data', 'desk.db'));
      for (const table of ['intents', 'outcomes', 'holds']) {
        db.exec(`update ${table} set steady_ms = steady_ms - 660000`);
      }
      db.close();
    },
    type(command, ...more) {
      const [program, topic, verb, ...args] = command.split(' ');
      if (program !== 'paydesk' || topic !== 'payments') throw new Error(`not a command: ${command}`);
      return run(verb as string, [...args, ...more]);
    },
  };
}
