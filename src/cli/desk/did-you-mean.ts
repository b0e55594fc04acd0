// After a payment was not found: which known payment a person may have meant. Nothing is done to it.

import { existsSync } from 'node:fs';
import { PaydeskError } from '../../errors.js';
import { isEmbedded } from '../../ledger/database.js';
import type { PaymentRef } from '../../ledger/payment-ref.js';
import type { KnownPaymentRow } from '../../ledger/schema.js';
import { paydesk } from '../../next-command.js';
import { safeText } from '../../output/text.js';
import type { CommandContext } from '../runtime/context.js';
import type { OpenDatabase } from './desk.js';
import { databaseLocation } from './desk-database.js';
import { journalFile } from './seen-journal.js';

interface Suggesting {
  app: Pick<PaymentRef, 'appId'>;
  database: OpenDatabase;
  /** Of the command to type for the payment that may be meant. */
  verb: 'get' | 'explain';
}

/** More would be a guess. */
const MAX_SUGGESTED = 2;

/** The entries, with what may be meant in the errors of those that were not found. */
export function suggestKnown<T extends object>(
  context: CommandContext,
  suggesting: Suggesting,
  entries: readonly T[],
  typedOf: (entry: T) => string,
): Promise<T[]> {
  return Promise.all(
    entries.map(async (entry) =>
      'error' in entry && entry.error instanceof PaydeskError
        ? { ...entry, error: await withSuggestion(context, suggesting, typedOf(entry), entry.error) }
        : entry,
    ),
  );
}

export async function withSuggestion(
  context: CommandContext,
  { app, database, verb }: Suggesting,
  typed: string,
  error: PaydeskError,
): Promise<PaydeskError> {
  if (error.code !== 'not-found' || typed.startsWith('id:') || !mayKnow(context)) return error;
  const found = await findNear(database, app, typed.replace(/^ref:/, ''));
  if (found.length === 0 || found.length > MAX_SUGGESTED) return error;
  const commands = found.map(({ payment_id }) => paydesk('payments', verb, payment_id));
  return error.with({
    message: `${error.message} Did you mean ${found.map(labelOf).join(' or ')}?`,
    next: [...commands, ...error.next],
  });
}

/** A desk that has no database yet knows nothing. */
function mayKnow({ streams: { env } }: CommandContext): boolean {
  const location = databaseLocation(env);
  return !isEmbedded(location) || existsSync(location) || existsSync(journalFile(env));
}

/** Where the known payments cannot be searched, the error is told without them. */
async function findNear(
  database: OpenDatabase,
  app: Suggesting['app'],
  typed: string,
): Promise<KnownPaymentRow[]> {
  const { findNearNames } = await import('../../ledger/known/near-names.js');
  try {
    const { store } = await database();
    return await findNearNames(await store.fullStore(), app, typed);
  } catch {
    return [];
  }
}

function labelOf({ payment_id, reference_id, order_id }: KnownPaymentRow): string {
  const names = [reference_id, order_id && order_id !== reference_id ? `order ${order_id}` : null];
  const text = names.filter((name) => name !== null).join(', ');
  return text === '' ? payment_id : `${payment_id} (${safeText(text)})`;
}
