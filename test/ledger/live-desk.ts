import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { storeSandboxProfiles } from '../../src/profiles/sandbox-profiles.js';
import { openProfiles } from '../../src/profiles/store.js';
import { type Ran, runTyped, temporaryHome } from '../helpers/desk.js';
import { paydeskTty } from '../helpers/run.js';
import { newReference, type TestSandbox } from '../helpers/sandbox.js';

/** A home with the profiles `local` and `local-live`, and paydesk in it. */
export interface LiveDesk {
  home: string;
  ledger: string;
  run(args: string[], env?: Record<string, string>): Promise<Ran>;
  /** A money move on the live app. */
  move(verb: string, payment: number | string, env?: Record<string, string>): Promise<Moved>;
  terminal(args: string[]): ReturnType<typeof paydeskTty>;
  /** The home as it is now, in another folder. */
  copy(): LiveDesk;
}

export interface Moved {
  code: number;
  outcome?: string;
  error?: { code: string; message: string; next: string[] };
}

export async function openLiveDesk(sandbox: TestSandbox): Promise<LiveDesk> {
  const desk = deskIn(sandbox, newHome());
  const apps = [sandbox.app, sandbox.live];
  await storeSandboxProfiles(openProfiles({ PAYDESK_HOME: desk.home }), { url: sandbox.url, apps });
  return desk;
}

const newHome = () => join(temporaryHome(), 'home');

function deskIn(sandbox: TestSandbox, home: string): LiveDesk {
  const run: LiveDesk['run'] = (args, env = {}) => runTyped(args, { home, env });
  return {
    home,
    ledger: join(home, 'data', 'desk.db'),
    run,
    async move(verb, payment, env) {
      const confirmed = ['--profile', 'local-live', '--confirm', sandbox.live.appId, '--json'];
      const { code, stdout } = await run(['payments', verb, String(payment), ...confirmed], env);
      const { outcome, error } = JSON.parse(stdout) as Moved;
      return { code, ...(outcome && { outcome }), ...(error && { error }) };
    },
    terminal: (args) => paydeskTty(args, { home }),
    copy() {
      const other = newHome();
      cpSync(home, other, { recursive: true });
      return deskIn(sandbox, other);
    },
  };
}

/** A captured payment of the app that poses as live, or of the sandbox app. */
export async function captured(sandbox: TestSandbox, app = sandbox.live): Promise<number> {
  const { paymentId } = await sandbox.create(
    { referenceId: newReference() },
    { appId: app.appId, key: app.apiKey },
  );
  await sandbox.pay(paymentId);
  await sandbox.settle();
  return paymentId;
}
