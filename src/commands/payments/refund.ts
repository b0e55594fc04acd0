import { custom } from '@oclif/core/flags';
import { parseId } from '../../typed-values.js';
import { MoveCommand } from '../../cli/move-command.js';
import { namesIn, paymentArgs } from '../../cli/payment-args.js';

export default class PaymentsRefund extends MoveCommand {
  static override summary = 'Refund captured payments.';
  static override description =
    'The whole payment is refunded. It is final when the state is Refunded. A refund is sent once: when its answer ' +
    'is lost, the payment is read, and nothing is sent again.';
  static override examples = [
    '<%= config.bin %> payments refund inv-2041 --reason "parcel lost" --ticket T-1932',
    '<%= config.bin %> payments refund 100231 --description "parcel lost" --wait --json',
    '<%= config.bin %> payments refund - --confirm 7f31c2 < payments.txt',
  ];
  static override args = paymentArgs;
  static override flags = {
    description: custom({ helpValue: 'TEXT', parse: async (text) => parseId(text) })({
      summary: 'What the service records against the refund.',
    }),
  };

  protected override whyNoFlag(flag: string): string | undefined {
    return flag === '--amount' ? 'the service refunds whole payments: leave it out' : undefined;
  }

  async run(): Promise<unknown> {
    const { args, flags } = await this.parse(PaymentsRefund);
    return this.move('refund', namesIn(args), flags);
  }
}
