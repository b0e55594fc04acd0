import { findPayment } from '../../sandbox-control/find.js';
import { BaseCommand } from '../../cli/runtime/base-command.js';
import { option as choice, string as argument } from '@oclif/core/args';
import { chosenApp, openSandbox, sandboxFlags } from '../../cli/desk/sandbox.js';
import type { JsonObject } from '../../contract/json.js';
import { textAt } from '../../output/values.js';
import { providerAnswers } from '../../sandbox/index.js';
import { paidView } from '../../output/views/sandbox.js';

export default class SandboxProvider extends BaseCommand {
  static override summary = 'Act as the provider: confirm, decline or hold a payment.';
  static override description =
    'confirm and decline answer for a payment that is Processing, Capturing, Refunding or Cancelling. ' +
    'hold holds an unpaid payment, as a fraud rule would.';
  static override examples = [
    '<%= config.bin %> sandbox provider inv-2041 confirm',
    '<%= config.bin %> sandbox provider 100231 decline',
    '<%= config.bin %> sandbox provider 100231 hold',
  ];
  static override args = {
    payment: argument({ required: true, description: 'Payment ID or reference.' }),
    answer: choice({ options: providerAnswers })({
      required: true,
      description: 'What the provider should do.',
    }),
  };
  static override flags = sandboxFlags;

  async run(): Promise<JsonObject> {
    const { args, flags } = await this.parse(SandboxProvider);
    const sandbox = await openSandbox(this.context, flags);
    const { id, payment: before } = await findPayment(sandbox, args.payment, chosenApp(this.context));
    const payment = await sandbox.provider(id, { answer: args.answer });
    this.show({ before: textAt(before, 'paymentState'), payment }, paidView);
    return payment;
  }
}
