import { ConfirmingCommand } from '../../cli/confirming-command.js';
import { customerArgument, registrationArgument } from '../../cli/customer-input.js';
import { findMethod, stopAutoPayment, type MethodName } from '../../customers/stored-methods.js';
import { textAt } from '../../output/values.js';
import { methodName } from '../../output/views/method.js';

interface StoppedAutoPayment {
  stopped: true;
  customerId: string;
  customerAutomaticProfileId: string;
}

export default class CustomersStopAutoPayment extends ConfirmingCommand {
  static override summary = 'Stop an auto-payment registration of a customer.';
  static override description =
    'Use it when a subscription ends. Later charges are refused; the stored method is kept.';
  static override examples = [
    '<%= config.bin %> customers stop-auto-payment c_881 4012',
    '<%= config.bin %> customers stop-auto-payment c_881 4012 --profile shop-eu --confirm 7f31c2',
  ];
  static override args = { customer: customerArgument, registration: registrationArgument };

  async run(): Promise<StoppedAutoPayment> {
    const { args, flags } = await this.parse(CustomersStopAutoPayment);
    const { client, profile } = await this.changingSession();
    const guard = this.openGuard(profile, flags.confirm);
    const name: MethodName = {
      customerId: args.customer,
      by: 'customerAutomaticProfileId',
      value: args.registration,
    };
    const method = await findMethod(client, name);
    const of = method === undefined ? '' : ` of ${methodName(textAt(method, 'paymentMethodId'), method)}`;
    const what = `auto-payment registration ${args.registration}${of}`;
    await this.askFirst(guard, `Stop ${what} for customer ${args.customer}?`);
    await stopAutoPayment(client, name);
    await this.noteCustomerChange(profile, {
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
