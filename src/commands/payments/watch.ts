import { string } from '@oclif/core/flags';
import { durationFlag } from '../../cli/flags/flags.js';
import { namesIn, pastedPaymentArgs } from '../../cli/flags/payment-args.js';
import { BaseCommand } from '../../cli/runtime/base-command.js';
import { lazyDatabase } from '../../cli/desk/desk.js';
import { readOptions } from '../../cli/desk/seen-journal.js';
import { openSession } from '../../cli/desk/session.js';
import { openRecords, storeIfOpen } from '../../cli/desk/support-records.js';
import { systemClock } from '../../client/clock.js';
import type { PaymentRead } from '../../client/payment-calls.js';
import { InterruptedError } from '../../errors.js';
import { paydesk } from '../../next-command.js';
import { commandPiece, joinPieces } from '../../output/lines.js';
import { endingOf } from '../../payments/endings.js';
import { targetState } from '../../payments/follow-payment.js';
import { idOf, labelOf, stateText } from '../../payments/named-payments.js';
import { nounOf } from '../../payments/move/words.js';
import { withWakeups } from '../../webhooks/inbox/wakeups.js';
import { acceptedWithoutEffect, watchAll, type Until } from '../../support/watch.js';
import type { Records } from '../../support/records.js';
import { watchedJson, watchEventJson, watchLine } from '../../output/views/watch.js';

const FIRST_PAUSE_MS = 500;

export default class PaymentsWatch extends BaseCommand {
  static override summary = 'Follow payments until they are settled or reach a state.';
  static override description =
    'Prints one line per change, with how long it took. Reads at growing intervals, and at once when a webhook ' +
    'arrives at this desk. Settled means Captured, Refunded, Cancelled, Declined, Failed or Expired. Exits 3 when ' +
    'the state can no longer be reached and 8 when --timeout is up. Without --timeout it runs until Ctrl-C. ' +
    'With --json it prints JSON lines: one document per change, and one per payment at the end.';
  static override examples = [
    '<%= config.bin %> payments watch 100231',
    '<%= config.bin %> payments watch 100231 --until Refunded --timeout 10m',
    '<%= config.bin %> payments watch - --json < payments.txt',
  ];
  static override args = pastedPaymentArgs;
  static override flags = {
    until: string({ helpValue: 'STATE|settled', summary: 'State to wait for (default: settled).' }),
    interval: durationFlag({
      summary: 'First interval between two reads (default 500ms); later ones are longer.',
    }),
  };

  protected override get printsJsonLines(): boolean {
    return true;
  }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(PaymentsWatch);
    const { client, profile } = await openSession(this.context);
    const { until: typed = 'settled' } = flags;
    const until: Until = typed === 'settled' ? typed : targetState(client, typed);
    const database = lazyDatabase(this.context);
    const store = await storeIfOpen(this.context, database);
    const records = await openRecords(this.context, database, profile);
    const watched = await withWakeups({ store, app: profile, clock: systemClock }, (wakeups) =>
      watchAll(namesIn(args), {
        ...readOptions(this.streams.env),
        client,
        clock: systemClock,
        signal: this.signal,
        until,
        intervalMs: flags.interval ?? FIRST_PAUSE_MS,
        wakeups,
        onEvent: async (event) => {
          this.show(event, watchLine);
          await this.emit(watchEventJson(event));
          await records?.remember([event.read]);
          await this.#tellOfFailure(records, event.read, until);
        },
        onTrouble: (name, error) => this.note(`${name}: ${error.message} Trying again.`),
      }),
    );
    for (const end of watched) await this.emit(watchedJson(end, this.profileName));
    const { reason } = this.signal;
    if (reason instanceof InterruptedError) throw reason;
    const ending = endingOf(watched, until);
    if (ending) this.endAs(ending);
  }

  /** What was sent may have failed already: then nothing that is waited for will come. */
  async #tellOfFailure(records: Records | undefined, read: PaymentRead, until: Until): Promise<void> {
    const operation = records && (await acceptedWithoutEffect(records, read, until));
    if (operation === undefined) return;
    this.note(
      `The ${nounOf(operation)} of payment ${labelOf(read)} was accepted, but the payment is ${stateText(read)}. If it stays so, the ${nounOf(operation)} has failed:`,
      joinPieces('  ', commandPiece(paydesk('payments', 'check', idOf(read)))),
    );
  }
}
