import { existsSync } from 'node:fs';
import { isEmbedded } from '../../ledger/database.js';
import type { Environment } from '../../child-environment.js';
import { resolveProfile } from '../../profiles/resolve.js';
import { openProfiles } from '../../profiles/store.js';
import { databaseLocation, openDatabaseAt } from '../desk/desk-database.js';
import type { Program } from '../runtime/program.js';
import type { CompletionCandidate, Known } from './candidates.js';

/** What the program and this desk know; whatever cannot be read is not offered. */
export function createKnown(program: Program, env: Environment): Known {
  return {
    commands: program.manifest().commands,
    topics: program.packageFile().oclif.topics,
    profiles: () =>
      unlessItFails(async () =>
        openProfiles(env)
          .list()
          .map(({ name, kind, appId }) => ({ value: name, text: `${kind}, app ${appId}` })),
      ),
    scenarios: () =>
      unlessItFails(async () => program.scenarios.names().map((value) => ({ value, text: '' }))),
    payments: (beginning, profile) => unlessItFails(() => knownPayments(env, beginning, profile)),
  };
}

const FORCED = 'ref:';

async function knownPayments(
  env: Environment,
  beginning: string,
  profile: string | undefined,
): Promise<CompletionCandidate[]> {
  const location = databaseLocation(env);
  if (isEmbedded(location) && !existsSync(location)) return [];
  const { appId } = resolveProfile({
    ...(profile && { flag: profile }),
    env,
    store: openProfiles(env),
  });
  const forced = beginning.startsWith(FORCED);
  const { knownNames } = await import('../../ledger/known/names.js');
  const database = await openDatabaseAt(env);
  try {
    const names = await knownNames(
      database.store.db,
      { appId },
      forced ? beginning.slice(FORCED.length) : beginning,
    );
    // What no shell can quote in one line is not offered, and a reference must not be taken for a flag.
    const typeable = names.filter(({ name }) => !/\p{C}|\p{Zl}|\p{Zp}/u.test(name));
    return typeable.map(({ name, state, amount, currency }) => ({
      value: forced || name.startsWith('-') ? FORCED + name : name,
      text: [state, amount === null ? '' : `${currency ?? ''} ${amount}`].join(' ').trim(),
    }));
  } finally {
    await database.close();
  }
}

/** Nobody wants an error in the middle of a line that is being typed. */
async function unlessItFails(find: () => Promise<CompletionCandidate[]>): Promise<CompletionCandidate[]> {
  try {
    return await find();
  } catch {
    return [];
  }
}
