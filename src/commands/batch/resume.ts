import { string as argument } from '@oclif/core/args';
import { boolean } from '@oclif/core/flags';
import { BaseCommand } from '../../cli/runtime/base-command.js';
import {
  batchFlags,
  type BatchRunJson,
  confirmBatch,
  openBatchDesk,
  openBatchDatabase,
  workOnBatch,
} from '../../cli/batch.js';
import { createOwner } from '../../store/owner.js';
import { createBatches } from '../../batch/rows/batches.js';
import { countRows, leftToSend } from '../../batch/rows/counts.js';
import { liveBanner } from '../../output/views/live.js';
import { resumeQuestion } from '../../output/views/batch-plan.js';
import { withLedger } from '../../payments/with-ledger.js';

export default class BatchResume extends BaseCommand {
  static override summary = 'Continue a batch that was stopped or interrupted.';
  static override description =
    'paydesk sends the rows that are left to do, and checks rows with an unknown outcome by reading: it never sends those ' +
    'again by itself. When nothing is left to send, and with --wait, it also looks again at what the service has accepted ' +
    'or refused. ' +
    'Several processes may resume the same batch on one PostgreSQL: each row is worked on by one of them. A finished batch sends nothing.';
  static override examples = [
    '<%= config.bin %> batch resume 20261114-a7k2mq',
    '<%= config.bin %> batch resume 20261114-a7k2mq --resend-unmoved --confirm 7f31c2',
  ];
  static override args = { id: argument({ required: true, ignoreStdin: true, description: 'Batch ID.' }) };
  static override flags = {
    ...batchFlags,
    'resend-unmoved': boolean({
      summary: 'Send rows with an unknown outcome again after the quiet period, if the payment is unchanged.',
    }),
  };

  async run(): Promise<BatchRunJson> {
    const { tools, batch, options } = await withLedger(() => this.#prepare());
    // From here on, each row says what was sent.
    this.sent.assumeSome();
    return workOnBatch(this.context, tools, batch, options);
  }

  /** Everything before the run: nothing is sent. */
  async #prepare() {
    const { args, flags } = await this.parse(BatchResume);
    const database = await openBatchDatabase(this.context);
    const batches = createBatches(database.store);
    const batch = await batches.find(args.id);
    const of = { baseUrl: batch.base_url, appId: batch.app_id, profile: batch.profile };
    const { desk, profile } = await openBatchDesk(this.context, database, of, flags);
    const counts = await countRows(database.store, batch);
    const resend = flags['resend-unmoved'];
    const left =
      profile.kind === 'live'
        ? await leftToSend(batches.rows(batch.id), batch.action, { withUnknown: resend })
        : { rows: counts.pending + (resend ? counts.unknown : 0), totals: {}, withoutAmount: 0 };
    if (left.rows > 0) {
      const lines = resumeQuestion(batch, left);
      await confirmBatch(this.context, database, profile, { ...flags, lines });
    } else this.note(...liveBanner(profile));
    const tools = { database, desk, owner: createOwner() };
    return { tools, batch, options: { ...flags, resend, lookAgain: flags.wait || counts.pending === 0 } };
  }
}
