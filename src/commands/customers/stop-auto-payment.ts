import { confirmChange, confirmFlag } from '../../confirmation.js';
import { customerArgument, registrationArgument } from '../../customer-input.js';
import { findMethod, stopAutoPayment, type MethodName } from '../../operations/stored-methods.js';
import { textAt } from '../../output/values.js';
import { methodName } from '../../output/views/method.js';
import { ServiceCommand } from '../../service-command.js';

interface StoppedAutoPayment {
  stopped: true;
  customerId: string;
  customerAutomaticProfileId: string;
}

export default class CustomersStopAutoPayment extends ServiceCommand {
  static override summary = 'Stop an auto-payment registration, for example when a subscription ends.';
  static override description = 'Later charges on it are refused. The stored method itself stays.';
  static override examples = [
    '<%= config.bin %> customers stop-auto-payment c_881 4012',
    '<%= config.bin %> customers stop-auto-payment c_881 4012 --profile shop-eu --confirm 7f31c2',
  ];
  static override args = { customer: customerArgument, registration: registrationArgument };
  static override flags = { confirm: confirmFlag };

  async run(): Promise<StoppedAutoPayment> {
    const { args, flags } = await this.parse(CustomersStopAutoPayment);
    const { client, profile } = await this.session();
    const name: MethodName = {
      customerId: args.customer,
      by: 'customerAutomaticProfileId',
      value: args.registration,
    };
    const method = await findMethod(client, name);
    const of = method === undefined ? '' : ` of ${methodName(textAt(method, 'paymentMethodId'), method)}`;
    const what = `auto-payment registration ${args.registration}${of}`;
    await confirmChange({
      profile,
      confirm: flags.confirm,
      question: `Stop ${what} for customer ${args.customer}?`,
      prompt: this.interactive ? this.promptContext : undefined,
      note: (...lines) => this.note(...lines),
    });
    await stopAutoPayment(client, name);
    return this.show(
      { stopped: true, customerId: args.customer, customerAutomaticProfileId: args.registration },
      () => [`Stopped ${what} for customer ${args.customer}.`],
    );
  }
}
