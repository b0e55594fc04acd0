// Where this desk keeps its ledger: a file in the data folder, or the database that a team shares.

import type { Environment } from '../../child-environment.js';
import { addWords, otherProgram } from '../../next-command.js';
import { join } from 'node:path';
import { isCi } from '../../ci.js';
import { GuardError, UsageError } from '../../errors.js';
import { isEmbedded, type DeskDatabase, type LateDatabase } from '../../ledger/database.js';
import { makeFolder } from '../../home-folder.js';
import type { LedgerOptions } from '../../ledger/moves/ledger.js';
import type { DeskTables } from '../../ledger/schema.js';
import type { Placed } from '../../ledger/place/placed-database.js';
import { findPaths } from '../../profiles/paths.js';
import { StoreError } from '../../store/errors.js';
import type { Store } from '../../store/store.js';
import type { CommandContext } from '../runtime/context.js';
import { chosenProfile } from './chosen-profile.js';

export function databaseLocation(env: Environment): string {
  const given = env['PAYDESK_DATABASE'];
  if (!given) return join(findPaths(env).data, 'desk.db');
  if (!isEmbedded(given)) return given;
  throw new UsageError('PAYDESK_DATABASE is invalid. Nothing was sent.', {
    code: 'bad-database',
    saysNothingSent: true,
    details: [{ input: 'PAYDESK_DATABASE', problem: 'an address such as postgres://host/database' }],
  });
}

type Options = Pick<LedgerOptions, 'mayWait'>;

export async function openDatabaseAt(env: Environment): Promise<Placed<DeskDatabase>> {
  return withBuilder(await openLedgerAt(env));
}

const withBuilder = async (database: Placed<LateDatabase>): Promise<Placed<DeskDatabase>> => ({
  ...database,
  store: await database.store.fullStore(),
});

/** As far as money moves need it. */
export async function openLedgerAt(env: Environment, options: Options = {}): Promise<Placed<LateDatabase>> {
  const { markKnownReferences, importJournal } = await import('./import-journal.js');
  const placed = await openLedgerAsIs(env, options);
  const { store } = placed;
  await importJournal(store, env);
  if (env['PAYDESK_KEEP']) await forgetOld(await store.fullStore(), env['PAYDESK_KEEP']);
  await markKnownReferences(store, env);
  return {
    ...placed,
    async close() {
      await markKnownReferences(store, env);
      await placed.close();
    },
  };
}

/** The same for a command, closed when it ends. */
export async function openDatabase(
  context: CommandContext,
  options: Options = {},
): Promise<Placed<DeskDatabase>> {
  return withBuilder(await openLedger(context, options));
}

/** The same for a command, closed when it ends. The key is hidden wherever the database repeats it. */
export async function openLedger(
  context: CommandContext,
  options: Options = {},
): Promise<Placed<LateDatabase>> {
  const hidden = hideKey(context);
  const database = await openLedgerAt(context.streams.env, options);
  context.atEnd(database.close);
  await hidden;
  return database;
}

/** Somebody may have typed the key into a reference, and strangers write webhooks. */
async function hideKey(context: CommandContext): Promise<void> {
  try {
    const key = await chosenProfile(context).apiKey();
    context.secrets.addKey(key.reveal());
  } catch {
    // Without a key there is nothing to hide.
  }
}

/** As it is: nothing is taken into it, and nothing is forgotten. */
export async function openLedgerAsIs(env: Environment, options: Options = {}): Promise<Placed<LateDatabase>> {
  const location = databaseLocation(env);
  const { data, config } = findPaths(env);
  if (isEmbedded(location)) makeFolder(data);
  const { openLedgerDatabase } = await import('../../ledger/database.js');
  const { placeDatabase } = await import('../../ledger/place/placed-database.js');
  const { whereaboutsOf } = await import('../../ledger/place/whereabouts.js');
  const { findOperator } = await import('../../ledger/operator.js');
  const database = await openLedgerDatabase({ location, operator: findOperator(env), ...options });
  return placeDatabase(database, whereaboutsOf({ location, configFolder: config }));
}

/** `PAYDESK_KEEP` limits how long known payments, webhooks and unfinished imports are kept. */
async function forgetOld(store: Store<DeskTables>, keep: string): Promise<void> {
  const since = Date.now() - (await parseKeep(keep));
  const { forgetBefore } = await import('../../ledger/known/forget.js');
  const { forgetImports } = await import('../../import/import-record.js');
  try {
    await forgetBefore(store, since);
    await forgetImports(store, since);
  } catch (error) {
    // The next command that opens the database tries again.
    if (!(error instanceof StoreError)) throw error;
  }
}

async function parseKeep(keep: string): Promise<number> {
  const { parseDuration } = await import('../../typed-values.js');
  try {
    return parseDuration(keep);
  } catch (error) {
    throw new UsageError('PAYDESK_KEEP is invalid. Nothing was sent.', {
      code: 'bad-keep',
      saysNothingSent: true,
      details: [{ input: 'PAYDESK_KEEP', problem: (error as Error).message }],
    });
  }
}

/** Imports the journal of reads. If that fails now, the next command does it. */
export async function openToImportJournal(env: Environment): Promise<void> {
  try {
    const { close } = await openLedgerAt(env);
    await close();
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
  }
}

/** Whether the ledger is lost with the container of a CI job, and with it the promise that nothing is sent twice. */
export const isJobLedger = (env: Environment): boolean => isCi(env) && isEmbedded(databaseLocation(env));

/** On a live app, the ledger of a CI job needs `--local-ledger`. What is `bound` to its ledger cannot use another one. */
export function checkSharedLedger(
  { streams: { env }, typed, interactive }: CommandContext,
  { kind, appId }: { kind: 'sandbox' | 'live'; appId: string },
  { localLedger, bound = false }: { localLedger: boolean; bound?: boolean },
): void {
  if (kind !== 'live' || localLedger || !isJobLedger(env)) return;
  const isConfirmed = interactive || typed.words.some((word) => /^--confirm(=|$)/.test(word));
  const confirmed = isConfirmed ? typed : addWords(typed, '--confirm', appId);
  throw new GuardError(
    'This is a live app in CI, and the ledger is a file of this job only, so another job could send the same instruction again. Nothing was sent.',
    {
      code: 'local-ledger',
      next: [
        ...(bound ? [] : [otherProgram('PAYDESK_DATABASE=postgres://…', ...confirmed.words)]),
        addWords(confirmed, '--local-ledger'),
      ],
    },
  );
}
