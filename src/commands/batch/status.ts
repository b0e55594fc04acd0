import { string as argument } from '@oclif/core/args';
import { BaseCommand } from '../../cli/base-command.js';
import { createBatches } from '../../batch/batches.js';
import { createOwner } from '../../store/owner.js';
import { statusOf } from '../../batch/standing.js';
import { openDatabase } from '../../cli/desk-database.js';
import { listFlagsFor } from '../../cli/flags.js';
import { batchList } from '../../output/views/batch.js';

export default class BatchStatus extends BaseCommand {
  static override summary = 'How batches stand, the newest first.';
  static override description =
    'Done, refused, skipped, unknown and pending add up to the rows. Accepted are part of those done, failed of those refused.';
  static override examples = [
    '<%= config.bin %> batch status',
    '<%= config.bin %> batch status 20261114-a7k2mq --json',
  ];
  static override args = { id: argument({ ignoreStdin: true, description: 'One batch alone.' }) };
  static override flags = listFlagsFor(batchList);

  async run(): Promise<unknown> {
    const { args } = await this.parse(BatchStatus);
    const database = await openDatabase(this.streams.env);
    this.atEnd(database.close);
    const batches = createBatches(database.store);
    const owner = createOwner();
    const found = args.id === undefined ? await batches.list() : [await batches.find(args.id)];
    const all = await Promise.all(found.map((batch) => statusOf(database.store, batch, owner)));
    return this.showList(all, batchList);
  }
}
