// `payments get` does not load the database. It appends what it read to a small file beside it, which is imported
// whenever the database is opened.

import { appendFileSync, existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Environment } from '../../child-environment.js';
import type { PaymentRead } from '../../client/payment-calls.js';
import type { AppRef } from '../../ledger/payment-ref.js';
import type { ReadOptions } from '../../payments/named-payments.js';
import { makeFolder } from '../../home-folder.js';
import { seenPayment } from '../../payments/seen-payment.js';
import { findPaths } from '../../profiles/paths.js';

export const journalFile = (env: Environment): string => join(findPaths(env).data, 'seen.jsonl');

/** Exists once this desk knows a payment whose reference is all digits. */
const markerFile = (env: Environment): string => join(findPaths(env).data, 'numeric-references');

/** Whether this desk knows payments whose reference is all digits, so that digits may name two payments. */
export function knowsNumericReferences(env: Environment): boolean {
  return Boolean(env['PAYDESK_DATABASE']) || existsSync(markerFile(env));
}

/** For reads of payments that are named by digits alone. */
export const readOptions = (env: Environment): ReadOptions => ({ checkBoth: knowsNumericReferences(env) });

export function markNumericReferences(env: Environment): void {
  append(env, markerFile(env), '');
}

const MAX_JOURNAL_BYTES = 1_000_000;

/** Appends payments as they were just read; true when the journal is so long that it should be imported. */
export function noteSeen(
  env: Environment,
  app: AppRef,
  reads: readonly PaymentRead[],
  time: number,
): boolean {
  const file = journalFile(env);
  const lines = reads.map((read) => `${JSON.stringify({ time, seen: seenPayment(app, read) })}\n`);
  const isNoted = append(env, file, lines.join(''));
  if (reads.some(({ fields }) => /^\d+$/.test(fields.referenceId ?? ''))) markNumericReferences(env);
  return isNoted && (statSync(file, { throwIfNoEntry: false })?.size ?? 0) > MAX_JOURNAL_BYTES;
}

/** Whether it could be written: a home that cannot be written to must not prevent reads. */
function append(env: Environment, file: string, text: string): boolean {
  try {
    makeFolder(findPaths(env).data);
    appendFileSync(file, text, { mode: 0o600 });
    return true;
  } catch {
    return false;
  }
}
