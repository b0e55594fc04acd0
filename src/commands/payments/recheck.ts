import { listFlagsFor } from '../../cli/flags.js';
import { endingOf } from '../../operations/endings.js';
import { participles } from '../../operations/legality.js';
import { readPayments } from '../../operations/named-payments.js';
import { recheckAll } from '../../operations/recheck.js';
import { operationList } from '../../output/views/operation.js';
import { recheckJson, recheckLine } from '../../output/views/recheck.js';
import { namesIn, paymentArgs } from '../../cli/payment-args.js';
import { ServiceCommand } from '../../cli/service-command.js';

export default class PaymentsRecheck extends ServiceCommand {
  static override summary = 'Ask the provider again where a state may be stale.';
  static override description = 'Moves no money by itself, and may be run as often as one likes.';
  static override examples = [
    '<%= config.bin %> payments recheck 100244',
    '<%= config.bin %> payments recheck 100244 100245 --json',
  ];
  static override args = paymentArgs;
  static override flags = listFlagsFor(operationList);

  async run(): Promise<unknown> {
    const { args, flags } = await this.parse(PaymentsRecheck);
    const { client } = await this.session();
    const reads = await readPayments(client, namesIn(args));
    const [first] = reads;
    if (reads.length === 1 && first && 'error' in first) throw first.error;
    const results = await recheckAll(client, reads);
    const ending = endingOf(results, participles.recheck);
    if (ending) this.endAs(ending);
    const asTable = flags.csv || flags.columns !== undefined || results.length > 1;
    if (asTable || !this.streams.stdout.terminal) await this.showList(results, operationList);
    else this.show(results[0], recheckLine);
    const json = results.map(recheckJson);
    return json.length === 1 ? json[0] : json;
  }
}
