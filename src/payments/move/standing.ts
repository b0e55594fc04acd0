import { settleByRead, type SettleBefore, type SettleOperation } from '../../client/outcome.js';
import type { PaymentRead } from '../../client/payment-calls.js';
import { operationStates, type StateName } from '../../contract/states.js';

/** Where an instruction stands that was sent: what one read proves of it. */
export type Standing =
  | 'done'
  /** Carried out, and the end state is still to come. */
  | 'on-its-way'
  /** Went on its way and came back. */
  | 'bounced'
  /** In a state that excludes it. */
  | 'excluded'
  /** The read proves nothing. */
  | 'open';

export function standingOf(operation: SettleOperation, before: SettleBefore, read: PaymentRead): Standing {
  const { state } = read;
  const { capturedAmount } = read.fields;
  const shown = { state, ...(capturedAmount === undefined ? {} : { capturedAmount }) };
  switch (settleByRead(operation, before, shown)) {
    case 'carried-out':
      return isEnd(operation, state) ? 'done' : 'on-its-way';
    case 'failed':
      return 'bounced';
    case 'not-carried-out':
      return 'excluded';
    default:
      return 'open';
  }
}

/** Refunding and Refunded are reached by way of Captured. */
const beyondCapture: readonly StateName[] = ['Captured', 'Refunding', 'Refunded'];

function isEnd(operation: SettleOperation, state: StateName | undefined): boolean {
  if (state === undefined) return false;
  if (operation === 'unhold') return true;
  return operation === 'capture' ? beyondCapture.includes(state) : state === operationStates[operation].end;
}

/** The state that an operation ends in, for "wait for Refunded"; unhold leads wherever the hold stood in the way of. */
export function endStateOf(operation: SettleOperation): StateName | undefined {
  return operation === 'unhold' ? undefined : operationStates[operation].end;
}

/** Whether a read shows the operation on its way. */
export function isDuring(operation: SettleOperation, read: PaymentRead): boolean {
  return operation !== 'unhold' && read.state === operationStates[operation].during;
}
