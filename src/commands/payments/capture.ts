import { MoveCommand } from '../../cli/move-command.js';
import { namesIn, paymentArgs } from '../../cli/payment-args.js';

export default class PaymentsCapture extends MoveCommand {
  static override summary = 'Capture authorised payments.';
  static override description =
    'Charges the reserved money. The capture is final when the state is Captured.';
  static override examples = [
    '<%= config.bin %> payments capture inv-2041 --wait',
    '<%= config.bin %> payments capture 100231 --dry-run',
  ];
  static override args = paymentArgs;

  async run(): Promise<unknown> {
    const { args, flags } = await this.parse(PaymentsCapture);
    return this.move('capture', namesIn(args), flags);
  }
}
