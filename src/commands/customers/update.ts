import { recordCustomerChange } from '../../customers/record-change.js';
import { openChangingSession } from '../../cli/desk/session.js';
import { BaseCommand } from '../../cli/runtime/base-command.js';
import { lazyLedger } from '../../cli/desk/desk.js';
import { contactFlags, customerArgument, requireSome } from '../../cli/flags/customer-input.js';
import { contactFields } from '../../customers/contact-fields.js';
import { listFlagsFor } from '../../cli/flags/flags.js';
import { updateCustomer, type UpdatedCustomer } from '../../customers/update-customer.js';
import { customerChanges, updatedCustomerList } from '../../output/views/customer.js';
import { liveBanner } from '../../output/views/live.js';

export default class CustomersUpdate extends BaseCommand {
  static override summary = 'Change the name, e-mail or mobile number of a customer.';
  static override examples = [
    '<%= config.bin %> customers update c_881 --email ada@example.org',
    "<%= config.bin %> customers update c_881 --first-name Ada --mobile '+31 6 1234 5678'",
  ];
  static override args = { customer: customerArgument };
  static override flags = { ...requireSome(contactFlags), ...listFlagsFor(updatedCustomerList) };

  async run(): Promise<UpdatedCustomer> {
    const { args, flags } = await this.parse(CustomersUpdate);
    const { client, profile } = await openChangingSession(this.context);
    const history = { ledger: lazyLedger(this.context), note: this.note };
    this.note(...liveBanner(profile));
    const updated = await updateCustomer(client, args.customer, contactFields(flags));
    await recordCustomerChange(history, profile, {
      operation: 'customer-update',
      customerId: args.customer,
      what: updated.changes.map(({ field }) => field).join(', '),
    });
    await this.showOne(updated, customerChanges, updatedCustomerList);
    return updated;
  }
}
