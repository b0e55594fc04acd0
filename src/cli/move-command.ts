import { boolean } from '@oclif/core/flags';
import type { SettleOperation } from '../contract/states.js';
import { checkSharedLedger } from './desk-database.js';
import { listFlagsFor } from './flags.js';
import { askToConfirm } from './live-guard.js';
import { MoneyCommand, reasonLines } from './money-command.js';
import { endingOf } from '../payments/endings.js';
import { participles } from '../payments/move/legality.js';
import { moveAll, type PlannedMove } from '../payments/move/plan.js';
import type { NamedPayment } from '../payments/named-payments.js';
import { moveJson, moveQuestion, nextStepLines, plannedLines } from '../output/views/moves.js';
import { operationLine, operationList } from '../output/views/operation.js';
import { localLedgerFlag, type MoneyFlags } from './payment-flags.js';

interface MoveFlags extends MoneyFlags {
  force: boolean;
  columns?: string[] | undefined;
  csv: boolean;
  description?: string | undefined;
  again: boolean;
  resend: boolean;
  'local-ledger': boolean;
}

/** capture, cancel, refund and unhold: the same care, whatever the verb. */
export abstract class MoveCommand extends MoneyCommand {
  static override baseFlags = {
    ...MoneyCommand.baseFlags,
    ...listFlagsFor(operationList),
    force: boolean({ summary: 'Send even if the state does not allow it.' }),
    again: boolean({ summary: 'Send again what was sent before and failed.' }),
    resend: boolean({
      summary: 'Send again after the quiet period, if the outcome is unknown and the payment unchanged.',
      exclusive: ['again'],
    }),
    'local-ledger': localLedgerFlag,
  };

  protected async move(
    operation: SettleOperation,
    names: readonly NamedPayment[],
    flags: MoveFlags,
  ): Promise<unknown> {
    const { desk, guard } = await this.openDesk(flags);
    const dryRun = flags['dry-run'];
    checkSharedLedger(this.streams.env, guard.profile.kind, flags['local-ledger'] || dryRun, this.typed);
    const { force, wait, description, again, resend, reason, ticket } = flags;
    const request = { operation, names, description, force, wait, dryRun, again, resend, reason, ticket };
    const results = await moveAll(desk, request, {
      confirm: (plan) => {
        const { lines, amount } = moveQuestion(plan);
        return askToConfirm(guard, { lines: [...lines, ...reasonLines(flags)], amount });
      },
    });
    await this.#present(results, flags);
    const ending = endingOf(results, participles[operation]);
    if (ending) this.endAs(ending);
    const json = results.map(moveJson);
    return json.length === 1 ? json[0] : json;
  }

  async #present(results: readonly PlannedMove[], flags: MoveFlags): Promise<void> {
    const [first] = results;
    const asTable = flags.csv || flags.columns !== undefined || results.length > 1;
    if (first === undefined) return;
    if (first.request && !asTable) return this.print(...plannedLines(first));
    if (asTable || !this.streams.stdout.terminal) await this.showList(results, operationList);
    else this.show(first, operationLine);
    if (!this.json) this.note(...nextStepLines(results, this.profileName));
  }
}
