import { askBeforeRemoving, createGuard } from '../../cli/desk/live-guard.js';
import { confirmFlag } from '../../cli/flags/payment-flags.js';
import { recordCustomerChange } from '../../customers/record-change.js';
import { openChangingSession } from '../../cli/desk/session.js';
import { BaseCommand } from '../../cli/runtime/base-command.js';
import { lazyLedger } from '../../cli/desk/desk.js';
import { customerArgument, registrationArgument } from '../../cli/flags/customer-input.js';
import { findMethod, stopAutoPayment, type MethodName } from '../../customers/stored-methods.js';
import { textAt } from '../../output/values.js';
import { methodName } from '../../output/views/method.js';

interface StoppedAutoPayment {
  stopped: true;
  customerId: string;
  customerAutomaticProfileId: string;
}

export default class CustomersStopAutoPayment extends BaseCommand {
  static override summary = 'Stop an auto-payment registration of a customer.';
  static override description =
    'Use it when a subscription ends. Later charges are refused; the stored method is kept.';
  static override examples = [
    '<%= config.bin %> customers stop-auto-payment c_881 4012',
    '<%= config.bin %> customers stop-auto-payment c_881 4012 --profile shop-eu --confirm 7f31c2',
  ];
  static override args = { customer: customerArgument, registration: registrationArgument };
  static override flags = { confirm: confirmFlag };

  async run(): Promise<StoppedAutoPayment> {
    const { args, flags } = await this.parse(CustomersStopAutoPayment);
    const { client, profile } = await openChangingSession(this.context);
    const history = { ledger: lazyLedger(this.context), note: this.note };
    const guard = createGuard(this.context, profile, flags);
    const name: MethodName = {
      customerId: args.customer,
      by: 'customerAutomaticProfileId',
      value: args.registration,
    };
    const method = await findMethod(client, name);
    const of = method === undefined ? '' : ` of ${methodName(textAt(method, 'paymentMethodId'), method)}`;
    const what = `auto-payment registration ${args.registration}${of}`;
    await askBeforeRemoving(guard, `Stop ${what} for customer ${args.customer}?`);
    await stopAutoPayment(client, name, method);
    await recordCustomerChange(history, profile, {
      operation: 'stop-auto-payment',
      customerId: args.customer,
      what,
    });
    return this.show(
      { stopped: true, customerId: args.customer, customerAutomaticProfileId: args.registration },
      () => [`Stopped ${what} for customer ${args.customer}.`],
    );
  }
}
