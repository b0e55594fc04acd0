import { string } from '@oclif/core/args';
import type { JsonObject } from '../../contract/json.js';
import { listFlagsFor } from '../../cli/flags.js';
import { bookList, booksRows } from '../../output/views/sandbox-lists.js';
import { SandboxCommand } from '../../cli/sandbox-command.js';

export default class SandboxBooks extends SandboxCommand {
  static override summary = "Show the provider's record of a payment.";
  static override examples = [
    '<%= config.bin %> sandbox books inv-2041',
    "<%= config.bin %> sandbox books id:100231 --jq '.refund.done'",
  ];
  static override args = {
    payment: string({ required: true, description: 'Payment ID or reference.' }),
  };
  static override flags = listFlagsFor(bookList);

  async run(): Promise<JsonObject> {
    const { args, flags } = await this.parse(SandboxBooks);
    const sandbox = await this.sandbox(flags);
    const { id } = await this.findPayment(sandbox, args.payment);
    const books = await sandbox.books(id);
    await this.showList(booksRows(books), bookList);
    return books;
  }
}
