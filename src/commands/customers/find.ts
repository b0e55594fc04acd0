import { string as argument } from '@oclif/core/args';
import { boolean } from '@oclif/core/flags';
import { BaseCommand } from '../../cli/runtime/base-command.js';
import { canWalk } from '../../cli/runtime/context.js';
import { lazyDatabase } from '../../cli/desk/desk.js';
import { countFlag, listFlagsFor } from '../../cli/flags/flags.js';
import { openSession } from '../../cli/desk/session.js';
import { storeIfOpen } from '../../cli/desk/support-records.js';
import { findCustomers } from '../../customers/find-customers.js';
import { createKnownSearch } from '../../ledger/known/search.js';
import {
  aboutFoundCustomers,
  incompleteSearch,
  foundCustomerJson,
  foundCustomerList,
} from '../../output/views/found-customers.js';

const DEFAULT_LIMIT = 20;
const MAX_SEARCHED = 10_000;

export default class CustomersFind extends BaseCommand {
  static override summary = 'Find customers by anything a caller says.';
  static override description =
    'Searches customer IDs, names, e-mail addresses and mobile numbers in the list of the service, and the customers ' +
    'of known payments; the reference or order number of a payment finds its customer. All words must match; the ' +
    'best match comes first. On a terminal, choose a customer with the arrow keys to see their payments.';
  static override examples = [
    '<%= config.bin %> customers find ana muller',
    '<%= config.bin %> customers find ana@example.org --json',
    '<%= config.bin %> customers find 0170 1234567 --all',
  ];
  static override args = {
    text: argument({
      multiple: true,
      required: true,
      ignoreStdin: true,
      description: 'What the caller says.',
    }),
  };
  static override flags = {
    limit: countFlag({ summary: `Maximum number to show (default ${DEFAULT_LIMIT}).` }),
    all: boolean({
      summary: `Search all customers of the service, not only the first ${MAX_SEARCHED.toLocaleString('en')}.`,
    }),
    ...listFlagsFor(foundCustomerList),
  };

  async run(): Promise<Array<ReturnType<typeof foundCustomerJson>>> {
    const { args, flags } = await this.parse(CustomersFind);
    const session = await openSession(this.context);
    const store = await storeIfOpen(this.context, lazyDatabase(this.context));
    const search = store && createKnownSearch(store, session.profile);
    const result = await findCustomers(
      { client: session.client, search },
      {
        words: args.text,
        limit: flags.limit ?? DEFAULT_LIMIT,
        maxSearched: flags.all ? undefined : MAX_SEARCHED,
      },
    );
    const { found, failure } = result;
    if (failure && found.length === 0) throw failure;
    const walks = found.length > 0 && canWalk(this.context, flags);
    if (!walks) await this.showList(found, foundCustomerList);
    if (!this.json) this.note(...aboutFoundCustomers(result));
    if (failure) this.endAs(failure);
    if (failure && walks) this.note(...incompleteSearch(failure));
    if (walks) {
      const { walkCustomers } = await import('../../cli/guided/walk-customers.js');
      await walkCustomers(this.context, session, found, store);
    }
    return found.map(foundCustomerJson);
  }
}
