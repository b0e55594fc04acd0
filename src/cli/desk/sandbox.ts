// The running sandbox that a command acts on.

import { custom } from '@oclif/core/flags';
import { ProfileError } from '../../errors.js';
import { movedNotes } from '../../output/views/sandbox-start.js';
import { findPaths } from '../../profiles/paths.js';
import type { SandboxProfiles } from '../../profiles/sandbox-profiles.js';
import { type ChosenApp, findRunning, noSandbox, silentSandbox } from '../../sandbox-control/find.js';
import { createRemote, type Remote } from '../../sandbox-control/remote.js';
import { createRuns, type RunningSandbox } from '../../sandbox-control/runs.js';
import type { CommandContext } from '../runtime/context.js';
import { chosenProfile } from './chosen-profile.js';
import { parsePort } from '../flags/sandbox-flags.js';

export const sandboxFlags = {
  port: custom<number>({ parse: async (text) => parsePort(text) })({
    helpValue: 'N',
    summary: "Port of the sandbox, if several are running (default: the profile's, or the newest).",
  }),
};

export async function openSandbox(
  context: CommandContext,
  { port }: { port?: number | undefined },
): Promise<Remote> {
  const [run] = await runningSandboxes(context, port);
  if (!run) throw noSandbox(port);
  if (!run.answers) throw silentSandbox(run);
  return remoteOf(context, run);
}

/** The running sandbox that serves an address; one that is slow to answer is still it. */
export async function sandboxAt(context: CommandContext, baseUrl: string): Promise<Remote | undefined> {
  const run = (await runningSandboxes(context)).find(({ url }) => url === baseUrl);
  return run && remoteOf(context, run);
}

function remoteOf(context: CommandContext, run: RunningSandbox): Remote {
  context.secrets.add(run.controlToken);
  return createRemote(run, context.signal, () => context.sent.assumeSome());
}

/** Every sandbox of this home, the one that is meant first. */
export function runningSandboxes(context: CommandContext, port?: number): Promise<RunningSandbox[]> {
  return findRunning(findPaths(context.streams.env).data, { port, app: chosenApp(context) });
}

/** After the profiles were pointed at a sandbox: says so where they pointed to another one that is still running. */
export async function noteMovedProfiles(
  { streams, note }: CommandContext,
  moved: SandboxProfiles['moved'],
): Promise<void> {
  // Others are only asked where it matters: a busy one takes its time to answer.
  if (moved.length > 0) note(...movedNotes(moved, await createRuns(findPaths(streams.env).data).running()));
}

/** A sandbox can do without a profile, but not without one that was asked for. */
export function chosenApp(context: CommandContext): ChosenApp | undefined {
  try {
    const { baseUrl, appId, sources } = chosenProfile(context);
    return { baseUrl, appId, isChosen: sources.profile !== 'default profile' };
  } catch (error) {
    if (error instanceof ProfileError && context.profileName === undefined) return undefined;
    throw error;
  }
}
