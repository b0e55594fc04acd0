import { findPayment } from '../../sandbox-control/find.js';
import { BaseCommand } from '../../cli/runtime/base-command.js';
import { string } from '@oclif/core/args';
import type { JsonObject } from '../../contract/json.js';
import { listFlagsFor } from '../../cli/flags/flags.js';
import { bookList, booksRows } from '../../output/views/sandbox-lists.js';
import { chosenApp, openSandbox, sandboxFlags } from '../../cli/desk/sandbox.js';

export default class SandboxBooks extends BaseCommand {
  static override summary = "Show the provider's record of a payment.";
  static override examples = [
    '<%= config.bin %> sandbox books inv-2041',
    "<%= config.bin %> sandbox books id:100231 --jq '.refund.done'",
  ];
  static override args = {
    payment: string({ required: true, description: 'Payment ID or reference.' }),
  };
  static override flags = { ...sandboxFlags, ...listFlagsFor(bookList) };

  async run(): Promise<JsonObject> {
    const { args, flags } = await this.parse(SandboxBooks);
    const sandbox = await openSandbox(this.context, flags);
    const { id } = await findPayment(sandbox, args.payment, chosenApp(this.context));
    const books = await sandbox.books(id);
    await this.showList(booksRows(books), bookList);
    return books;
  }
}
