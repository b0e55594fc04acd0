import { listFlagsFor } from '../../cli/flags/flags.js';
import { endingOf } from '../../payments/endings.js';
import { type NamedRead, readPayments } from '../../payments/named-payments.js';
import type { JsonObject } from '../../contract/json.js';
import { type FailedRead, paymentCardIn, paymentList, readJson } from '../../output/views/payment.js';
import type { AppRef } from '../../ledger/payment-ref.js';
import { namesIn, paymentArgs } from '../../cli/flags/payment-args.js';
import { keepSeen } from '../../cli/desk/keep-seen.js';
import { readOptions } from '../../cli/desk/seen-journal.js';
import { BaseCommand } from '../../cli/runtime/base-command.js';
import { openSession } from '../../cli/desk/session.js';

export default class PaymentsGet extends BaseCommand {
  static override summary = 'Show payments as the service reports them.';
  static override examples = [
    '<%= config.bin %> payments get inv-2041',
    '<%= config.bin %> payments get 100231 100232 --columns payment,state,amount',
    '<%= config.bin %> payments get inv-2041 --jq .paymentState',
    '<%= config.bin %> payments get - --csv < payments.txt',
  ];
  static override args = paymentArgs;
  static override flags = listFlagsFor(paymentList);

  async run(): Promise<JsonObject | Array<JsonObject | FailedRead> | undefined> {
    const { args, flags } = await this.parse(PaymentsGet);
    const names = namesIn(args);
    const { client, profile } = await openSession(this.context);
    const asked = await readPayments(client, names, readOptions(this.streams.env));
    const readTime = this.now().getTime();
    const reads = await this.#suggest(profile, asked);
    const [first] = reads;
    if (reads.length === 1 && first && 'error' in first) throw first.error;
    const succeeded = reads.flatMap((entry) => ('read' in entry ? [entry.read] : []));
    const found = succeeded.map(({ object }) => object);
    const asTable = flags.csv || flags.columns !== undefined || reads.length > 1;
    if (asTable) await this.showList(found, paymentList);
    else this.show(found[0], paymentCardIn(succeeded[0]?.state));
    await keepSeen(this.streams.env, profile, succeeded, readTime);
    const ending = endingOf(
      reads.map((entry) => ({
        typed: entry.name.typed,
        ...('error' in entry ? { error: entry.error } : {}),
      })),
      'read',
    );
    if (ending) this.endAs(ending);
    return reads.length === 1 ? found[0] : reads.map((entry) => readJson(entry, this.profileName));
  }

  /** Loads the database only where something was not found. */
  async #suggest(app: AppRef, reads: NamedRead[]): Promise<NamedRead[]> {
    if (reads.every((entry) => 'read' in entry)) return reads;
    const { suggestKnown } = await import('../../cli/desk/did-you-mean.js');
    const { lazyDatabase } = await import('../../cli/desk/desk.js');
    const suggesting = { app, database: lazyDatabase(this.context), verb: 'get' } as const;
    return suggestKnown(this.context, suggesting, reads, ({ name }) => name.typed);
  }
}
