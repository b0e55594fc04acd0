// capture, cancel, refund and unhold: the same care, whatever the verb.

import { boolean } from '@oclif/core/flags';
import type { SettleOperation } from '../contract/states.js';
import { shellWord } from '../next-command.js';
import { looksLikeAmount, looksLikeIds } from '../contract/spoken-amount.js';
import {
  type MoveJson,
  moveJson,
  moveQuestion,
  nextStepLines,
  plannedView,
  reasonLines,
} from '../output/views/moves.js';
import { PaydeskError, UsageError } from '../errors.js';
import { operationLine, operationList } from '../output/views/operation.js';
import { endingOf } from '../payments/endings.js';
import { participles } from '../payments/move/words.js';
import { moveAll } from '../payments/move/move-all.js';
import type { MoveResult } from '../payments/move/result.js';
import type { NamedPayment } from '../payments/named-payments.js';
import type { CommandContext } from './runtime/context.js';
import type { MoneyDesk } from './desk/desk.js';
import { checkSharedLedger } from './desk/desk-database.js';
import { listFlagsFor } from './flags/flags.js';
import { suggestKnown, withSuggestion } from './desk/did-you-mean.js';
import { askToConfirm } from './desk/live-guard.js';
import { oneOrAll } from './flags/payment-args.js';
import { localLedgerFlag, type MoneyFlags, moneyFlags } from './flags/payment-flags.js';

export const moveFlags = {
  ...moneyFlags,
  ...listFlagsFor(operationList),
  force: boolean({ summary: 'Send even if the state does not allow it.' }),
  again: boolean({ summary: 'Send again what was sent before and failed.' }),
  resend: boolean({
    summary: 'Send again after the quiet period, if the outcome is unknown and the payment unchanged.',
    exclusive: ['again'],
  }),
  'local-ledger': localLedgerFlag,
};

interface MoveRequest extends MoneyFlags {
  operation: SettleOperation;
  names: readonly NamedPayment[];
  description?: string | undefined;
  force?: boolean;
  again?: boolean;
  resend?: boolean;
  'local-ledger': boolean;
}

function refuseIds({ typed, apart }: NamedPayment): void {
  if (apart === undefined || !looksLikeIds(typed)) return;
  throw new UsageError(`${typed} looks like several payments. Nothing was sent.`, {
    code: 'several-given',
    saysNothingSent: true,
    details: [
      {
        input: typed,
        problem: `put spaces between payments; write ${shellWord(`ref:${typed}`)} if it is one reference`,
      },
    ],
    next: [apart],
  });
}

/** `refund inv-1 15.00` would refund all of inv-1. */
function refuseAmounts(operation: SettleOperation, names: readonly NamedPayment[]): void {
  const amount = names.find(({ typed }) => looksLikeAmount(typed))?.typed;
  if (amount === undefined) return;
  throw new UsageError(`${amount} looks like an amount. Nothing was sent.`, {
    code: 'amount-given',
    saysNothingSent: true,
    details: [
      {
        input: amount,
        problem: `the service can ${operation} whole payments only; write ${shellWord(`ref:${amount}`)} if it is a reference`,
      },
    ],
  });
}

/** Asks where a live app needs it, and sends. */
export async function runMoves(
  context: CommandContext,
  { desk, guard, database }: MoneyDesk,
  request: MoveRequest,
): Promise<MoveResult[]> {
  const { operation, names, description, force = false, again = false, resend = false } = request;
  const { wait, reason, ticket, 'dry-run': dryRun, 'local-ledger': localLedger } = request;
  names.forEach(refuseIds);
  refuseAmounts(operation, names);
  checkSharedLedger(context, guard.profile, { localLedger: localLedger || dryRun });
  // A payment that may be meant is only shown: nothing is done to it.
  const suggesting = { app: desk.app, database, verb: 'get' } as const;
  const results = await moveAll(
    desk,
    { operation, names, description, force, wait, dryRun, again, resend, reason, ticket },
    {
      confirm: (plan) => {
        const { lines, amount } = moveQuestion(plan);
        return askToConfirm(guard, { lines: [...lines, ...reasonLines(request)], amount });
      },
    },
  ).catch(async (error: unknown) => {
    const [only, ...others] = names;
    throw error instanceof PaydeskError && only && others.length === 0
      ? await withSuggestion(context, suggesting, only.typed, error)
      : error;
  });
  return suggestKnown(context, suggesting, results, ({ typed }) => typed);
}

/** Shows the results, and returns what `--json` prints. */
export async function showMoves(
  context: CommandContext,
  results: readonly MoveResult[],
  flags: { columns?: string[] | undefined; csv: boolean; 'dry-run': boolean },
): Promise<MoveJson | MoveJson[]> {
  const [first] = results;
  const { terminal } = context.streams.stdout;
  const asTable = flags.csv || flags.columns !== undefined || results.length > 1;
  if (first === undefined) return [];
  const planned = results.some(({ request }) => request !== undefined);
  const asRows = flags.csv || flags.columns !== undefined || (results.length > 1 && !terminal);
  if (planned && !asRows) context.show(results, plannedView);
  else {
    if (asTable || !terminal) await context.showList(results, operationList);
    else context.show(first, operationLine);
    if (!context.json) context.note(...nextStepLines(results, context.profileName));
  }
  const ending = endingOf(results, participles[first.operation], { dryRun: flags['dry-run'] });
  if (ending) context.endAs(ending);
  const json = results.map((result) => moveJson(result, context.profileName));
  return oneOrAll(json);
}
