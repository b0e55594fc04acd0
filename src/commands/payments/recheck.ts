import { boolean } from '@oclif/core/flags';
import { listFlagsFor } from '../../cli/flags/flags.js';
import { namesIn, oneOrAll, pastedPaymentArgs } from '../../cli/flags/payment-args.js';
import { BaseCommand } from '../../cli/runtime/base-command.js';
import { openRecheckDesk } from '../../cli/desk/desk.js';
import { readOptions } from '../../cli/desk/seen-journal.js';
import { explainOptions, storeIfOpen } from '../../cli/desk/support-records.js';
import { systemClock } from '../../client/clock.js';
import { endingOf } from '../../payments/endings.js';
import { recordRecheck } from '../../payments/record-created.js';
import { participles } from '../../payments/move/words.js';
import { idOf, type NamedRead, readPayments } from '../../payments/named-payments.js';
import { type OnAsked, recheckAll, type RecheckResult } from '../../payments/recheck.js';
import { rememberReads } from '../../payments/remember-reads.js';
import { findFailed } from '../../support/list.js';
import {
  failedLines,
  type RecheckJson,
  recheckJson,
  recheckLine,
  recheckList,
} from '../../output/views/recheck.js';

export default class PaymentsRecheck extends BaseCommand {
  static override summary = 'Check with the provider for a newer state.';
  static override description =
    'Shows the state before and after, and says if the last refund or other instruction failed. It moves no money, so ' +
    'you can run it at any time. With --watch it repeats until something changes, or exits with 8 when --timeout runs out.';
  static override examples = [
    '<%= config.bin %> payments recheck 100244',
    '<%= config.bin %> payments recheck 100244 --watch --timeout 15m',
    '<%= config.bin %> payments recheck 100244 100245 --json',
  ];
  static override args = pastedPaymentArgs;
  static override flags = {
    watch: boolean({ summary: 'Repeat at growing intervals until something changes.' }),
    ...listFlagsFor(recheckList),
  };

  async run(): Promise<RecheckJson | RecheckJson[]> {
    const { args, flags } = await this.parse(PaymentsRecheck);
    const desk = await openRecheckDesk(this.context);
    const reads = await readPayments(desk.client, namesIn(args), readOptions(this.streams.env));
    const [first] = reads;
    if (reads.length === 1 && first && 'error' in first) throw first.error;
    const store = await storeIfOpen(this.context, desk.database);
    // A payment that came back is noticed only if it was seen before.
    const before = reads.flatMap((entry) => ('read' in entry ? [entry.read] : []));
    if (store) await rememberReads(store, desk.app, before, Date.now());
    const onAsked: OnAsked = (before, now) => recordRecheck(desk, before, now);
    let results = await recheckAll(desk.client, reads, onAsked);
    if (flags.watch) results = await this.#continue(desk, store, reads, results, onAsked);
    const ending = endingOf(results, participles.recheck);
    if (ending) this.endAs(ending);
    const asTable = flags.csv || flags.columns !== undefined || results.length > 1;
    if (asTable || !this.streams.stdout.terminal) await this.showList(results, recheckList);
    else this.show(results[0], recheckLine);
    const options = {
      ...desk,
      ...explainOptions(this.context, desk.profile, flags),
    };
    const failed = store && (await findFailed({ ...options, store }, before.map(idOf)));
    if (failed && !this.json) this.note(...failedLines(failed, results.length === 1));
    const json = results.map((result) => recheckJson(result, failed, this.profileName));
    return oneOrAll(json);
  }

  async #continue(
    { client, app }: Awaited<ReturnType<typeof openRecheckDesk>>,
    store: Awaited<ReturnType<typeof storeIfOpen>>,
    reads: readonly NamedRead[],
    results: readonly RecheckResult[],
    onAsked: OnAsked,
  ): Promise<RecheckResult[]> {
    const { withWakeups } = await import('../../webhooks/inbox/wakeups.js');
    const { recheckUntilChanged } = await import('../../support/recheck-until.js');
    const { signal } = this;
    return withWakeups({ store, app, clock: systemClock }, (wakeups) =>
      recheckUntilChanged(reads, results, { client, signal, wakeups, onAsked }),
    );
  }
}
