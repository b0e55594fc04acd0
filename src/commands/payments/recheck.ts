import { listFlagsFor } from '../../cli/flags.js';
import { namesIn, paymentArgs } from '../../cli/payment-args.js';
import { SupportCommand } from '../../cli/support-command.js';
import { endingOf } from '../../operations/endings.js';
import { recordRecheck } from '../../operations/intents.js';
import { participles } from '../../operations/legality.js';
import { readPayments } from '../../operations/named-payments.js';
import { recheckAll } from '../../operations/recheck.js';
import { recheckJson, recheckLine, recheckList } from '../../output/views/recheck.js';

export default class PaymentsRecheck extends SupportCommand {
  static override summary = 'Ask the provider again where a state may be stale.';
  static override description = 'Moves no money by itself, and may be run as often as one likes.';
  static override examples = [
    '<%= config.bin %> payments recheck 100244',
    '<%= config.bin %> payments recheck 100244 100245 --json',
  ];
  static override args = paymentArgs;
  static override flags = listFlagsFor(recheckList);

  async run(): Promise<unknown> {
    const { args, flags } = await this.parse(PaymentsRecheck);
    const desk = await this.openLookingDesk();
    const reads = await readPayments(desk.client, namesIn(args));
    const [first] = reads;
    if (reads.length === 1 && first && 'error' in first) throw first.error;
    const results = await recheckAll(desk.client, reads, (before, now) => recordRecheck(desk, before, now));
    const ending = endingOf(results, participles.recheck);
    if (ending) this.endAs(ending);
    const asTable = flags.csv || flags.columns !== undefined || results.length > 1;
    if (asTable || !this.streams.stdout.terminal) await this.showList(results, recheckList);
    else this.show(results[0], recheckLine);
    const json = results.map(recheckJson);
    return json.length === 1 ? json[0] : json;
  }
}
