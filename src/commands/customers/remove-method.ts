import { askBeforeRemoving, createGuard } from '../../cli/desk/live-guard.js';
import { confirmFlag } from '../../cli/flags/payment-flags.js';
import { recordCustomerChange } from '../../customers/record-change.js';
import { openChangingSession } from '../../cli/desk/session.js';
import { BaseCommand } from '../../cli/runtime/base-command.js';
import { lazyLedger } from '../../cli/desk/desk.js';
import { numberFromText, type JsonNumber } from '../../contract/json.js';
import { customerArgument, methodArgument } from '../../cli/flags/customer-input.js';
import { findMethod, removeMethod, type MethodName } from '../../customers/stored-methods.js';
import { methodName } from '../../output/views/method.js';

interface RemovedMethod {
  removed: true;
  customerId: string;
  paymentMethodId: JsonNumber;
}

export default class CustomersRemoveMethod extends BaseCommand {
  static override summary = 'Remove a stored payment method of a customer.';
  static override description = 'The method can no longer be charged. This cannot be undone.';
  static override examples = [
    '<%= config.bin %> customers remove-method c_881 12',
    '<%= config.bin %> customers remove-method c_881 12 --profile shop-eu --confirm 7f31c2',
  ];
  static override args = { customer: customerArgument, method: methodArgument };
  static override flags = { confirm: confirmFlag };

  async run(): Promise<RemovedMethod> {
    const { args, flags } = await this.parse(CustomersRemoveMethod);
    const { client, profile } = await openChangingSession(this.context);
    const history = { ledger: lazyLedger(this.context), note: this.note };
    const guard = createGuard(this.context, profile, flags);
    const name: MethodName = { customerId: args.customer, by: 'paymentMethodId', value: args.method };
    const method = await findMethod(client, name);
    const what = methodName(args.method, method);
    await askBeforeRemoving(guard, `Remove ${what} of customer ${args.customer}?`);
    await removeMethod(client, name, method);
    await recordCustomerChange(history, profile, {
      operation: 'remove-method',
      customerId: args.customer,
      what,
    });
    return this.show(
      { removed: true, customerId: args.customer, paymentMethodId: numberFromText(args.method) },
      () => [`Removed ${what} of customer ${args.customer}.`],
    );
  }
}
