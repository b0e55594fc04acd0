import { MoveCommand } from '../../cli/move-command.js';
import { namesIn, paymentArgs } from '../../cli/payment-args.js';

export default class PaymentsUnhold extends MoveCommand {
  static override summary = 'Approve payments that a fraud rule holds.';
  static override description =
    'The payment is authorised, and charged at once if it was created with automatic capture.';
  static override examples = [
    '<%= config.bin %> payments unhold 100244',
    '<%= config.bin %> payments unhold - < held.txt',
  ];
  static override args = paymentArgs;

  async run(): Promise<unknown> {
    const { args, flags } = await this.parse(PaymentsUnhold);
    return this.move('unhold', namesIn(args), flags);
  }
}
