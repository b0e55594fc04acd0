import { string as argument } from '@oclif/core/args';
import { numericIdFlag } from '../../cli/flags.js';
import { SandboxCommand } from '../../cli/sandbox-command.js';
import { resentView } from '../../output/views/sandbox-resent.js';
import { resend, type Resent } from '../../sandbox-control/resend.js';

export default class SandboxResend extends SandboxCommand {
  static override summary = "Send a payment's webhook again: the last one, or the one that is named.";
  static override description =
    'Sent at once, whatever became of it before; exits with 3 when the receiver does not take it.';
  static override examples = [
    '<%= config.bin %> sandbox resend inv-2041',
    '<%= config.bin %> sandbox resend 100231 --webhook 17',
  ];
  static override args = {
    payment: argument({ required: true, description: 'A paymentId (digits) or a referenceId.' }),
  };
  static override flags = {
    webhook: numericIdFlag({ summary: 'Which one, as the console shows it (default: of the last change).' }),
  };

  async run(): Promise<Resent> {
    const { args, flags } = await this.parse(SandboxResend);
    const sandbox = await this.sandbox(flags);
    const { id } = await this.findPayment(sandbox, args.payment);
    const { resent, ending } = await resend(sandbox, id, flags.webhook);
    if (ending) this.endAs(ending);
    return this.show(resent, resentView);
  }
}
