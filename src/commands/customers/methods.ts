import type { JsonObject } from '../../contract/json.js';
import { customerArgument } from '../../cli/customer-input.js';
import { listFlagsFor } from '../../cli/flags.js';
import { methodList } from '../../output/views/method.js';
import { ServiceCommand } from '../../cli/service-command.js';

export default class CustomersMethods extends ServiceCommand {
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
    const { client } = await this.session();
    const { methods } = await client.paymentMethods(args.customer);
    const objects = methods.map(({ object }) => object);
    await this.showList(objects, methodList);
    return objects;
  }
}
