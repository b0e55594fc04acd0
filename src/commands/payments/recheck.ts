import { boolean } from '@oclif/core/flags';
import { listFlagsFor } from '../../cli/flags.js';
import { namesIn, oneOrAll, paymentArgs } from '../../cli/payment-args.js';
import { BaseCommand } from '../../cli/base-command.js';
import { openReadingDesk } from '../../cli/desk.js';
import { readOptions } from '../../cli/seen-journal.js';
import { storeIfOpen } from '../../cli/support-records.js';
import { systemClock } from '../../client/clock.js';
import { endingOf } from '../../payments/endings.js';
import { recordRecheck } from '../../payments/record-made.js';
import { participles } from '../../payments/move/legality.js';
import { type NamedRead, readPayments } from '../../payments/named-payments.js';
import { type OnAsked, recheckAll, type RecheckResult } from '../../payments/recheck.js';
import { type RecheckJson, recheckJson, recheckLine, recheckList } from '../../output/views/recheck.js';

export default class PaymentsRecheck extends BaseCommand {
  static override summary = 'Check with the provider for a newer state.';
  static override description =
    'Shows the state before and after. It moves no money, so you can run it at any time. With --watch it ' +
    'repeats until something changes, or exits with 8 when --timeout runs out.';
  static override examples = [
    '<%= config.bin %> payments recheck 100244',
    '<%= config.bin %> payments recheck 100244 --watch --timeout 15m',
    '<%= config.bin %> payments recheck 100244 100245 --json',
  ];
  static override args = paymentArgs;
  static override flags = {
    watch: boolean({ summary: 'Repeat at growing intervals until something changes.' }),
    ...listFlagsFor(recheckList),
  };

  async run(): Promise<RecheckJson | RecheckJson[]> {
    const { args, flags } = await this.parse(PaymentsRecheck);
    const desk = await openReadingDesk(this.context);
    const reads = await readPayments(desk.client, namesIn(args), readOptions(this.streams.env));
    const [first] = reads;
    if (reads.length === 1 && first && 'error' in first) throw first.error;
    const onAsked: OnAsked = (before, now) => recordRecheck(desk, before, now);
    let results = await recheckAll(desk.client, reads, onAsked);
    if (flags.watch) results = await this.#continue(desk, reads, results, onAsked);
    const ending = endingOf(results, participles.recheck);
    if (ending) this.endAs(ending);
    const asTable = flags.csv || flags.columns !== undefined || results.length > 1;
    if (asTable || !this.streams.stdout.terminal) await this.showList(results, recheckList);
    else this.show(results[0], recheckLine);
    const json = results.map((result) => recheckJson(result, this.profileName));
    return oneOrAll(json);
  }

  async #continue(
    { client, place, database }: Awaited<ReturnType<typeof openReadingDesk>>,
    reads: readonly NamedRead[],
    results: readonly RecheckResult[],
    onAsked: OnAsked,
  ): Promise<RecheckResult[]> {
    const { withWakeups } = await import('../../webhooks/inbox/wakeups.js');
    const { recheckUntilChanged } = await import('../../support/recheck-until.js');
    const { signal } = this;
    const store = await storeIfOpen(this.context, database);
    return withWakeups({ store, place, clock: systemClock }, (wakeups) =>
      recheckUntilChanged(reads, results, { client, signal, wakeups, onAsked }),
    );
  }
}
