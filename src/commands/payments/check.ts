import { boolean } from '@oclif/core/flags';
import { BaseCommand } from '../../cli/runtime/base-command.js';
import { openCheckingDesk } from '../../cli/desk/desk.js';
import { listFlagsFor } from '../../cli/flags/flags.js';
import { namesIn, oneOrAll, paymentArgs } from '../../cli/flags/payment-args.js';
import { type CheckJson, checkJson, checkLines } from '../../output/views/check.js';
import { operationList } from '../../output/views/operation.js';
import { endingOf } from '../../payments/endings.js';

export default class PaymentsCheck extends BaseCommand {
  static override summary = 'Find out an unknown outcome without sending anything.';
  static override description =
    'Reads the payment, checks with the provider where needed, and records the outcome. It never sends a capture, ' +
    'cancel, refund or unhold. Exit code 0 when it is done, under way or nothing was open, 3 when it failed, 6 while it is ' +
    'still unknown, 9 when the payment contradicts what this desk has as done. When the payment cannot be read ' +
    'and nothing of it is open, the exit code is that of the read.';
  static override examples = [
    '<%= config.bin %> payments check inv-2041',
    '<%= config.bin %> payments check 100231 100232 --json',
    '<%= config.bin %> payments check inv-2041 --wait --timeout 2m',
  ];
  static override args = paymentArgs;
  static override flags = {
    wait: boolean({ summary: 'Keep checking until the outcome is known, or until --timeout (default 5m).' }),
    ...listFlagsFor(operationList),
  };

  async run(): Promise<CheckJson | CheckJson[]> {
    const { args, flags } = await this.parse(PaymentsCheck);
    const { checkPayments } = await import('../../payments/check-payments.js');
    const desk = await openCheckingDesk(this.context, flags);
    const results = await checkPayments(desk, namesIn(args), flags);
    const ending = endingOf(results, 'settled');
    if (ending) this.endAs(ending);
    const [first] = results;
    const asTable = flags.csv || flags.columns !== undefined || results.length > 1;
    if (asTable || !this.streams.stdout.terminal) await this.showList(results, operationList);
    else if (first) this.show(first, checkLines);
    const json = results.map((result) => checkJson(result, this.profileName));
    return oneOrAll(json);
  }
}
