// One money operation on one or several payments: all are read and checked before the first is sent.

import type { SettleOperation } from '../client/outcome.js';
import { operationEndpoints, type PaymentRead } from '../client/payment-calls.js';
import { exitCodeOf, GuardError, PaydeskError } from '../errors.js';
import { checkApp } from './app-check.js';
import type { Desk } from './desk.js';
import { forbidden } from './legality.js';
import { carryOut } from './move.js';
import { type Move, type MoveResult, unknownState } from './move-result.js';
import {
  idOf,
  type NamedPayment,
  type NamedRead,
  readPayments,
  refuseTwice,
  stateOf,
} from './named-payments.js';
import { requestOf, type PlannedRequest } from './planned-request.js';

export interface MovesRequest {
  operation: SettleOperation;
  names: readonly NamedPayment[];
  description?: string | undefined;
  force: boolean;
  wait: boolean;
  dryRun: boolean;
}

/** What would be done, for whoever confirms it. */
export interface MovesPlan {
  operation: SettleOperation;
  /** The payments that it is possible for. */
  reads: PaymentRead[];
  leftOut: Array<{ typed: string; error: PaydeskError }>;
}

export interface PlannedMove extends MoveResult {
  request?: PlannedRequest;
}

/** `confirm` throws when it is not to be done; `onResult` hears of each as it comes. */
export async function moveAll(
  desk: Desk,
  request: MovesRequest,
  steps: { confirm: (plan: MovesPlan) => Promise<void>; onResult?: (result: MoveResult) => void },
): Promise<PlannedMove[]> {
  const { operation, names } = request;
  const reads = await readPayments(desk.client, names);
  refuseTwice(reads);
  const checked = reads.map((entry) => check(desk, request, entry));
  const possible = checked.filter((entry) => 'read' in entry);
  const leftOut = checked.flatMap(({ name, ...rest }) =>
    'error' in rest ? [{ typed: name.typed, error: rest.error }] : [],
  );
  const [only] = leftOut;
  if (names.length === 1 && only) throw only.error;
  await checkApp(desk.client, possible[0]?.read.fields.customerId);
  if (possible.length > 0) {
    await steps.confirm({ operation, reads: possible.map(({ read }) => read), leftOut });
  }

  const results: PlannedMove[] = [];
  for (const entry of checked) {
    const result = await one(desk, request, entry);
    results.push(result);
    steps.onResult?.(result);
  }
  return results;
}

type Checked =
  { name: NamedPayment; read: PaymentRead } | { name: NamedPayment; error: PaydeskError; seen?: PaymentRead };

function check(desk: Desk, { operation, force }: MovesRequest, entry: NamedRead): Checked {
  if ('error' in entry) return entry;
  if (entry.read.state === undefined) desk.note(unknownState(entry.read));
  const refusal = force ? undefined : forbidden(operation, entry.read);
  return refusal ? { name: entry.name, error: refusal, seen: entry.read } : entry;
}

async function one(desk: Desk, request: MovesRequest, entry: Checked): Promise<PlannedMove> {
  const { operation, description, force, wait } = request;
  const { typed } = entry.name;
  if ('error' in entry) return notMoved(typed, operation, entry.error, entry.seen);
  const { read } = entry;
  const move: Move = { typed, operation, read, description, force, wait };
  if (request.dryRun) return planned(desk, move);
  try {
    desk.signal.throwIfAborted();
    return await carryOut(desk, move);
  } catch (error) {
    // Nothing was sent for this one; those before it keep their results.
    if (request.names.length === 1 || !(error instanceof PaydeskError)) throw error;
    return notMoved(typed, operation, error, read);
  }
}

/** A payment that nothing was sent for: refused by a guard or the service, or not sent for now. */
function notMoved(
  typed: string,
  operation: SettleOperation,
  error: PaydeskError,
  read?: PaymentRead,
): MoveResult {
  const refused = error instanceof GuardError || exitCodeOf(error) === 1;
  const state = read === undefined ? null : stateOf(read);
  return {
    typed,
    operation,
    payment: read?.object ?? null,
    before: state,
    after: state,
    outcome: refused ? 'refused' : 'unsent',
    error,
  };
}

function planned({ client }: Desk, { typed, operation, read, description }: Move): PlannedMove {
  const state = stateOf(read);
  return {
    typed,
    operation,
    payment: read.object,
    before: state,
    after: state,
    outcome: 'unsent',
    request: requestOf(
      operationEndpoints[operation],
      { appId: client.appId, paymentId: idOf(read) },
      operation === 'refund' ? { description } : {},
    ),
  };
}
