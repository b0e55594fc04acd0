import type { JsonObject } from '../../contract/json.js';
import { customerArgument } from '../../cli/flags/customer-input.js';
import { listFlagsFor } from '../../cli/flags/flags.js';
import { customerCard, customerListView } from '../../output/views/customer.js';
import { BaseCommand } from '../../cli/runtime/base-command.js';
import { openSession } from '../../cli/desk/session.js';

export default class CustomersGet extends BaseCommand {
  static override summary = 'Show a customer.';
  static override examples = [
    '<%= config.bin %> customers get c_881',
    '<%= config.bin %> customers get c_881 --jq .email',
  ];
  static override args = { customer: customerArgument };
  static override flags = listFlagsFor(customerListView);

  async run(): Promise<JsonObject> {
    const { args } = await this.parse(CustomersGet);
    const { client } = await openSession(this.context);
    const { object } = await client.getCustomer(args.customer);
    await this.showOne(object, customerCard, customerListView);
    return object;
  }
}
