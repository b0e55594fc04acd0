import { findPayment } from '../../sandbox-control/find.js';
import { BaseCommand } from '../../cli/runtime/base-command.js';
import { string as argument } from '@oclif/core/args';
import { numberJson } from '../../contract/json.js';
import { numericIdFlag } from '../../cli/flags/flags.js';
import { chosenApp, openSandbox, sandboxFlags } from '../../cli/desk/sandbox.js';
import { resentView } from '../../output/views/sandbox.js';
import { resend, type Resent } from '../../sandbox-control/resend.js';

export default class SandboxResend extends BaseCommand {
  static override summary = 'Send a webhook of a payment again.';
  static override description =
    'Sends it at once, even if it was delivered before. Exits with 3 if the receiver does not accept it.';
  static override examples = [
    '<%= config.bin %> sandbox resend inv-2041',
    '<%= config.bin %> sandbox resend 100231 --webhook 17',
  ];
  static override args = {
    payment: argument({ required: true, description: 'Payment ID or reference.' }),
  };
  static override flags = {
    ...sandboxFlags,
    webhook: numericIdFlag({ summary: 'Webhook ID, as shown in the console (default: the last one).' }),
  };

  async run(): Promise<Omit<Resent, 'paymentId'> & { paymentId: unknown }> {
    const { args, flags } = await this.parse(SandboxResend);
    const sandbox = await openSandbox(this.context, flags);
    const { id } = await findPayment(sandbox, args.payment, chosenApp(this.context));
    const { resent, ending } = await resend(sandbox, id, flags.webhook);
    if (ending) this.endAs(ending);
    this.show(resent, resentView);
    return { ...resent, paymentId: numberJson(resent.paymentId) };
  }
}
