import { custom } from '@oclif/core/flags';
import { parseId } from '../../typed-values.js';
import { BaseCommand } from '../../cli/runtime/base-command.js';
import { openDesk } from '../../cli/desk/desk.js';
import { moveFlags, runMoves, showMoves } from '../../cli/money-move.js';
import { namesIn, paymentArgs } from '../../cli/flags/payment-args.js';
import type { MoveJson } from '../../output/views/moves.js';

export default class PaymentsRefund extends BaseCommand {
  static override summary = 'Refund captured payments.';
  static override description =
    'Refunds the whole payment. The refund is final when the state is Refunded. paydesk sends a refund ' +
    'once: if the answer is lost, it reads the payment and does not send again.';
  static override examples = [
    '<%= config.bin %> payments refund inv-2041 --reason "parcel lost" --ticket T-1932',
    '<%= config.bin %> payments refund 100231 --description "parcel lost" --wait --json',
    '<%= config.bin %> payments refund - --confirm 7f31c2 < payments.txt',
  ];
  static override args = paymentArgs;
  static override flags = {
    ...moveFlags,
    description: custom({ helpValue: 'TEXT', parse: async (text) => parseId(text) })({
      summary: 'Description that the service stores with the refund.',
    }),
  };

  protected override whyNoFlag(flag: string): string | undefined {
    return flag === '--amount' ? 'the service refunds whole payments only; leave out --amount' : undefined;
  }

  async run(): Promise<MoveJson | MoveJson[]> {
    const { args, flags } = await this.parse(PaymentsRefund);
    const desk = await openDesk(this.context, flags);
    const request = { ...flags, operation: 'refund', names: namesIn(args) } as const;
    const results = await runMoves(this.context, desk, request);
    return showMoves(this.context, results, flags);
  }
}
