import { recordCustomerChange } from '../../customers/record-change.js';
import { openChangingSession } from '../../cli/desk/session.js';
import { BaseCommand } from '../../cli/runtime/base-command.js';
import { chosenProfile } from '../../cli/desk/chosen-profile.js';
import { lazyLedger } from '../../cli/desk/desk.js';
import type { Missing } from '../../output/report.js';
import { askForCustomer, contactFlags } from '../../cli/flags/customer-input.js';
import { contactFields } from '../../customers/contact-fields.js';
import { idFlag, listFlagsFor, numericIdFlag } from '../../cli/flags/flags.js';
import { createCustomer, type CreatedCustomer } from '../../customers/create-customer.js';
import { customerCard, customerListView } from '../../output/views/customer.js';
import { liveBanner } from '../../output/views/live.js';

export default class CustomersCreate extends BaseCommand {
  static override summary = 'Create a customer.';
  static override description =
    'If the customer exists with the same details, the exit code is 0 and "created" is false. If the ' +
    'details differ, the exit code is 1 and paydesk shows the differences. Nothing is overwritten.';
  static override examples = [
    '<%= config.bin %> customers create --customer c_881 --first-name Ada --email ada@example.org',
    '<%= config.bin %> customers create --customer c_882 --fraud-policy 2 --json',
  ];
  static override flags = {
    customer: idFlag({ required: true, summary: 'Your customer ID.' }),
    ...contactFlags,
    'fraud-policy': numericIdFlag({ summary: 'Always use this fraud policy for the customer.' }),
    ...listFlagsFor(customerListView),
  };

  protected override async ask(missing: readonly Missing[]): Promise<Record<string, unknown>> {
    // Without a profile nothing is asked for in vain.
    chosenProfile(this.context);
    return missing.some(({ name }) => name === 'customer')
      ? { customer: await askForCustomer(this.prompts()) }
      : {};
  }

  async run(): Promise<CreatedCustomer> {
    const { flags } = await this.parse(CustomersCreate);
    const { client, profile } = await openChangingSession(this.context);
    const history = { ledger: lazyLedger(this.context), note: this.note };
    this.note(...liveBanner(profile));
    const policy = flags['fraud-policy'];
    const body = {
      customerId: flags.customer,
      ...contactFields(flags),
      ...(policy === undefined ? {} : { fraudPolicyId: policy }),
    };
    const result = await createCustomer(client, body, () =>
      this.note('The first answer was lost, so the customer may have existed before.'),
    );
    if (result.created) {
      await recordCustomerChange(history, profile, {
        operation: 'customer-create',
        customerId: flags.customer,
      });
    }
    if (!result.created) this.note('The customer already exists with these details. Nothing was changed.');
    await this.showOne(result.customer, customerCard, customerListView);
    return result;
  }
}
