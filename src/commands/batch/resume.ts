import { string as argument } from '@oclif/core/args';
import { boolean } from '@oclif/core/flags';
import { BatchCommand } from '../../cli/batch-command.js';
import { createBatches } from '../../batch/batches.js';
import { pendingTotals } from '../../batch/pending.js';
import { resumeQuestion } from '../../output/views/batch-plan.js';

export default class BatchResume extends BatchCommand {
  static override summary = 'Go on with a batch after a crash, a kill or a stop.';
  static override description =
    'Rows with an open instruction are settled by reading, never sent again. Several may resume the same batch on one ' +
    'PostgreSQL: each row is worked on by one of them. A batch that is finished sends nothing.';
  static override examples = [
    '<%= config.bin %> batch resume 20261114-a7k2mq',
    '<%= config.bin %> batch resume 20261114-a7k2mq --resend-unmoved --confirm 7f31c2',
  ];
  static override args = { id: argument({ required: true, ignoreStdin: true, description: 'The batch.' }) };
  static override flags = {
    'resend-unmoved': boolean({
      summary:
        'Send anew what may have left and did not arrive, once the quiet period of the profile is over.',
    }),
  };

  async run(): Promise<unknown> {
    const { args, flags } = await this.parse(BatchResume);
    const database = await this.openLedger();
    const batches = createBatches(database.store);
    const batch = await batches.find(args.id);
    const of = { baseUrl: batch.base_url, appId: batch.app_id, profile: batch.profile };
    const { desk, profile } = await this.openApp(database, of, flags);
    const counts = await batches.counts(batch.id);
    const resend = flags['resend-unmoved'];
    const toSend = counts.pending + (resend ? counts.unknown : 0);
    if (toSend > 0) {
      const totals = profile.kind === 'live' ? await pendingTotals(batches.rows(batch.id), resend) : {};
      await this.confirmApp(
        database,
        profile,
        { ...flags, dryRun: false },
        resumeQuestion(batch, toSend, totals),
      );
    } else this.showBanner(profile);
    return this.work(database, desk, batch, { ...flags, resend, settleAccepted: counts.pending === 0 });
  }
}
