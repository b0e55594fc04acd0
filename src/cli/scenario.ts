// Where the scenarios of a command run: in worlds of their own, or on the app of a profile.

import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { writeOutputFile } from '../output/file.js';
import { refuseReadOnly } from '../profiles/read-only.js';
import { checkNeeds, refuseLive } from '../scenarios/needs.js';
import { openOwnWorld, quietMsOf } from '../scenarios/own/own-world.js';
import { createProfileWorld } from '../scenarios/profile-world.js';
import type { Scenario } from '../scenarios/read.js';
import type { RunAllOptions } from '../scenarios/run-all.js';
import type { ScenarioResult } from '../scenarios/run.js';
import type { World } from '../scenarios/world.js';
import type { CommandContext } from './runtime/context.js';
import { openDesk } from './desk/desk.js';
import { sandboxAt } from './desk/sandbox.js';

export const DEFAULT_CLOCK = Date.UTC(2026, 0, 1);

type OpenWorld = RunAllOptions['openWorld'];

/** A sandbox in memory for each scenario. */
export const ownWorlds =
  ({ signal }: CommandContext): OpenWorld =>
  ({ clock, quietPeriod }, seed) =>
    openOwnWorld({ seed, clock: clock ?? DEFAULT_CLOCK, quietMs: quietMsOf(quietPeriod), signal });

/** A world as a scenario without any settings gets it. */
export const openFreshWorld = ({ signal }: CommandContext): Promise<World> =>
  openOwnWorld({ seed: 1, clock: DEFAULT_CLOCK, quietMs: quietMsOf(undefined), signal });

/** The app of the chosen profile, for all of them. Refuses what cannot run there. */
export async function profileWorlds(
  context: CommandContext,
  scenarios: readonly Scenario[],
): Promise<OpenWorld> {
  const { desk, guard, database } = await openDesk(context, { 'dry-run': true });
  refuseLive(guard.profile.kind, guard.profile.appId);
  refuseReadOnly(guard.profile);
  const sandbox = await sandboxAt(context, desk.app.baseUrl);
  checkNeeds(scenarios, sandbox ? ['sandbox'] : []);
  const store = await (await database()).store.fullStore();
  return async () => createProfileWorld({ desk: { ...desk, note: () => {} }, database: { store }, sandbox });
}

/** Writes the contents of each scenario's sandbox to a file that `sandbox start --import` takes. */
export function createSandboxExports(): {
  write(result: ScenarioResult, world: World): Promise<void>;
  files: string[];
} {
  const files: string[] = [];
  let folder: string | undefined;
  return {
    files,
    async write({ scenario }, { own }) {
      if (!own) return;
      folder ??= mkdtempSync(join(tmpdir(), 'paydesk-scenarios-'));
      const name = basename(scenario.file).replace(/\.ya?ml$/i, '');
      const path = join(folder, `${files.length + 1}-${name}.json`);
      await writeOutputFile(path, [await own.contents()]);
      files.push(path);
    },
  };
}
