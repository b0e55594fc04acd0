// What support commands look up besides the service: the ledger and the webhooks of this desk.

import { storeProblem } from '../../errors.js';
import type { DeskTables } from '../../ledger/schema.js';
import type { Zone } from '../../output/time.js';
import type { ResolvedProfile } from '../../profiles/resolve.js';
import { StoreError } from '../../store/errors.js';
import type { Store } from '../../store/store.js';
import type { Records } from '../../support/records.js';
import type { CommandContext } from '../runtime/context.js';
import type { OpenDatabase } from './desk.js';
import { readOptions } from './seen-journal.js';

/** Undefined if it cannot be opened: then only the service is used. */
export async function storeIfOpen(
  context: CommandContext,
  database: OpenDatabase,
): Promise<Store<DeskTables> | undefined> {
  try {
    const { store } = await database();
    return await store.fullStore();
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    context.note(`paydesk cannot read its ledger, so it uses only the service. ${storeProblem(error)}`);
    return undefined;
  }
}

export async function openRecords(
  context: CommandContext,
  database: OpenDatabase,
  app: ResolvedProfile,
): Promise<Records | undefined> {
  const store = await storeIfOpen(context, database);
  if (store === undefined) return undefined;
  const { createRecords } = await import('../../support/records.js');
  return createRecords(store, app, () => Date.now());
}

/** `csv`: rows for programs are printed. */
export function explainOptions(
  context: CommandContext,
  { quietMs, sandboxQuietMs, readOnly }: Pick<ResolvedProfile, 'quietMs' | 'sandboxQuietMs' | 'readOnly'>,
  { csv = false }: { csv?: boolean } = {},
) {
  const { json, streams } = context;
  // Sentences have local times where a person reads them, as tables do.
  const zone: Zone = streams.stdout.terminal && !json && !csv ? 'local' : 'UTC';
  return {
    ...readOptions(context.streams.env),
    now: context.now().getTime(),
    quietMs,
    sandboxQuietMs,
    profile: context.profileName,
    readOnly,
    zone,
  };
}
