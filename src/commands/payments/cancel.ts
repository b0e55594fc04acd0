import { MoveCommand } from '../../cli/move-command.js';
import { namesIn, paymentArgs } from '../../cli/payment-args.js';

export default class PaymentsCancel extends MoveCommand {
  static override summary = 'Cancel payments that have not been captured.';
  static override description =
    'Voids an authorisation or closes an unpaid checkout. Refund a captured payment instead.';
  static override examples = [
    '<%= config.bin %> payments cancel inv-2041',
    '<%= config.bin %> payments cancel 100231 100232 --confirm 7f31c2',
  ];
  static override args = paymentArgs;

  async run(): Promise<unknown> {
    const { args, flags } = await this.parse(PaymentsCancel);
    return this.move('cancel', namesIn(args), flags);
  }
}
