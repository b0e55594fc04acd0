// The tunnel of a listener: what `--tunnel` says, confirmed where a third party could read the webhooks of a live app.

import { toned } from '../../output/lines.js';
import { thirdPartyLine } from '../../output/views/webhook.js';
import { chooseTunnel } from '../../webhooks/tunnels/choose.js';
import type { Tunnel } from '../../webhooks/tunnels/tunnel.js';
import { askToConfirm, type LiveGuard } from '../desk/live-guard.js';
import type { CommandContext } from '../runtime/context.js';

interface ChosenTunnelOptions {
  /** `--tunnel` as given. */
  text: string | undefined;
  baseUrl: string;
  /** Called for a tunnel of a third party. */
  openGuard(): Promise<LiveGuard>;
}

/** Nothing is opened yet. On a live app somebody has confirmed a tunnel of a third party when it resolves. */
export async function chosenTunnel(
  context: CommandContext,
  { text = 'auto', baseUrl, openGuard }: ChosenTunnelOptions,
): Promise<Tunnel> {
  const { tunnel, because } = await chooseTunnel({ text, baseUrl, env: context.streams.env });
  if (because !== undefined) context.note(toned('dim', because));
  if (!tunnel.thirdParty) return tunnel;
  const guard = await openGuard();
  context.note(thirdPartyLine(tunnel));
  await askToConfirm(guard, { lines: [] });
  return tunnel;
}
