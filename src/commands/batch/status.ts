import { string as argument } from '@oclif/core/args';
import { BaseCommand } from '../../cli/runtime/base-command.js';
import { createBatches } from '../../batch/rows/batches.js';
import { withLedger } from '../../payments/with-ledger.js';
import { batchJson } from '../../output/views/batch-report.js';
import { createOwner } from '../../store/owner.js';
import { statusOf } from '../../batch/rows/status.js';
import { openDatabase } from '../../cli/desk/desk-database.js';
import { listFlagsFor } from '../../cli/flags/flags.js';
import { remainingOf } from '../../batch/rows/remaining.js';
import { batchList, batchSummary, resumeLines } from '../../output/views/batch.js';

type BatchStatusJson = ReturnType<typeof batchJson>;

export default class BatchStatus extends BaseCommand {
  static override summary = 'List batches and their progress, newest first.';
  static override description =
    'A terminal shows accepted rows apart from those done, and rows that the plan left out apart from those refused; ' +
    '"left" are those still to do. In JSON, in CSV and in a pipe done, refused, failed, skipped, unknown and pending (left) ' +
    'add up to the rows: there, accepted rows are counted as done, and rows left out (leftOut) as refused, failed or ' +
    'skipped. Throttled rows, which the service did not take (425 or 429), are among those left: batch resume tries them again.';
  static override examples = [
    '<%= config.bin %> batch status',
    '<%= config.bin %> batch status 20261114-a7k2mq --json',
  ];
  static override args = {
    id: argument({ ignoreStdin: true, description: 'Show only this batch, with its totals.' }),
  };
  static override flags = listFlagsFor(batchList);

  run(): Promise<BatchStatusJson[]> {
    return withLedger(() => this.#status());
  }

  async #status(): Promise<BatchStatusJson[]> {
    const { args, flags } = await this.parse(BatchStatus);
    const database = await openDatabase(this.context);
    const batches = createBatches(database.store);
    const owner = createOwner();
    const found = args.id === undefined ? await batches.list() : [await batches.find(args.id)];
    const all = await Promise.all(found.map((batch) => statusOf(database.store, batch, owner)));
    await this.showList(all, batchList);
    const [only] = all;
    const [batch] = found;
    const isTable = this.streams.stdout.terminal && !flags.csv && flags.columns === undefined;
    if (args.id !== undefined && only && batch && isTable) {
      this.show(only, batchSummary);
      this.print(...resumeLines(only, await remainingOf(database.store, database.ledger, batch)));
    }
    return all.map(batchJson);
  }
}
