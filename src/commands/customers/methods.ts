import type { JsonObject } from '../../contract/json.js';
import { customerArgument } from '../../cli/flags/customer-input.js';
import { listFlagsFor } from '../../cli/flags/flags.js';
import { methodList } from '../../output/views/method.js';
import { BaseCommand } from '../../cli/runtime/base-command.js';
import { openSession } from '../../cli/desk/session.js';

export default class CustomersMethods extends BaseCommand {
  static override summary = 'List the stored payment methods of a customer.';
  static override description = 'Charge one with: paydesk payments charge --method-id N';
  static override examples = [
    '<%= config.bin %> customers methods c_881',
    "<%= config.bin %> customers methods c_881 --jq '.[].paymentMethodId'",
  ];
  static override args = { customer: customerArgument };
  static override flags = listFlagsFor(methodList);

  async run(): Promise<readonly JsonObject[]> {
    const { args } = await this.parse(CustomersMethods);
    const { client } = await openSession(this.context);
    const { methods } = await client.paymentMethods(args.customer);
    const objects = methods.map(({ object }) => object);
    await this.showList(objects, methodList);
    return objects;
  }
}
