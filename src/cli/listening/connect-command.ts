// The command that connects a sandbox of this machine with a listener.

import { commandText, paydesk } from '../../next-command.js';
import { portOf } from '../../sandbox-control/run.js';
import { runningSandboxes } from '../desk/sandbox.js';
import type { CommandContext } from '../runtime/context.js';

/** The command for an address, after which the app sends all its webhooks there; undefined for any other service. */
export async function findConnectCommand(
  context: CommandContext,
  { baseUrl, appId }: { baseUrl: string; appId: string },
): Promise<((url: string) => string) | undefined> {
  const runs = await runningSandboxes(context);
  const run = runs.find(({ url }) => url === baseUrl);
  if (run === undefined) return undefined;
  const which = runs.length > 1 ? ['--port', portOf(run)] : [];
  return (url) => commandText(paydesk('sandbox', 'apps', 'set', appId, ...which, '--webhook-url', url));
}
