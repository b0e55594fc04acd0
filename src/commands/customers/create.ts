import type { Missing } from '../../cli/command-line.js';
import { askForCustomer, contactFields, contactFlags } from '../../cli/customer-input.js';
import { idFlag, listFlagsFor, numericIdFlag } from '../../cli/flags.js';
import { createCustomer, type CreatedCustomer } from '../../customers/create-customer.js';
import { customerCard, customerList } from '../../output/views/customer.js';
import { liveBanner } from '../../output/views/live.js';
import { ServiceCommand } from '../../cli/service-command.js';

export default class CustomersCreate extends ServiceCommand {
  static override summary = 'Create a customer.';
  static override description =
    'The identifier is the key: a customer who is there already is compared with what was asked for. ' +
    'The same is exit 0 with "created": false, another is exit 1 with the differences.';
  static override examples = [
    '<%= config.bin %> customers create --customer c_881 --first-name Ada --email ada@example.org',
    '<%= config.bin %> customers create --customer c_882 --fraud-policy 2 --json',
  ];
  static override flags = {
    customer: idFlag({ required: true, summary: 'Your identifier of the customer.' }),
    ...contactFlags,
    'fraud-policy': numericIdFlag({ summary: 'Pin the customer to this fraud policy.' }),
    ...listFlagsFor(customerList),
  };

  protected override async ask(missing: readonly Missing[]): Promise<Record<string, unknown>> {
    return missing.some(({ name }) => name === 'customer')
      ? { customer: await askForCustomer(this.promptContext) }
      : {};
  }

  async run(): Promise<CreatedCustomer> {
    const { flags } = await this.parse(CustomersCreate);
    const { client, profile } = await this.changingSession();
    this.note(...liveBanner(profile));
    const policy = flags['fraud-policy'];
    const body = {
      customerId: flags.customer,
      ...contactFields(flags),
      ...(policy === undefined ? {} : { fraudPolicyId: policy }),
    };
    const result = await createCustomer(client, body, () =>
      this.note('An answer was lost on the way: the customer may have been there before.'),
    );
    if (!result.created) this.note('The customer was there already, and is as asked for.');
    await this.showOne(result.customer, customerCard, customerList);
    return result;
  }
}
