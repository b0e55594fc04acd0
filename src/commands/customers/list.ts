import { boolean } from '@oclif/core/flags';
import { listCustomers } from '../../customers/list-customers.js';
import { countFlag, listFlagsFor, pairFlag } from '../../cli/flags/flags.js';
import { customerListView } from '../../output/views/customer.js';
import { BaseCommand } from '../../cli/runtime/base-command.js';
import { openSession } from '../../cli/desk/session.js';

const DEFAULT_LIMIT = 50;

export default class CustomersList extends BaseCommand {
  static override summary = 'List the customers of the app.';
  static override description =
    'Prints customers as they arrive; --json prints them when the list is complete. --param passes any ' +
    'parameter to the service.';
  static override examples = [
    '<%= config.bin %> customers list',
    '<%= config.bin %> customers list --all --csv > customers.csv',
    '<%= config.bin %> customers list --limit 10 --param sort=createdTime',
  ];
  static override flags = {
    limit: countFlag({ summary: `Maximum number to show (default ${DEFAULT_LIMIT}).`, exclusive: ['all'] }),
    all: boolean({ summary: 'Show all.' }),
    param: pairFlag({ multiple: true, summary: 'Query parameter for the service.' }),
    ...listFlagsFor(customerListView),
  };

  async run(): Promise<void> {
    const { flags } = await this.parse(CustomersList);
    const limit = flags.all ? undefined : (flags.limit ?? DEFAULT_LIMIT);
    const params = Object.fromEntries((flags.param ?? []).map(({ key, value }) => [key, value]));
    const { client } = await openSession(this.context);
    let more = false;
    await this.showStream(
      listCustomers(client, { params, limit, more: () => void (more = true) }),
      customerListView,
    );
    if (more) this.note(`There are more. Show all with --all, or the first N with --limit N.`);
  }
}
