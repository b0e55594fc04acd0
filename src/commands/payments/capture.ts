import { BaseCommand } from '../../cli/runtime/base-command.js';
import { openDesk } from '../../cli/desk/desk.js';
import { moveFlags, runMoves, showMoves } from '../../cli/money-move.js';
import { namesIn, paymentArgs } from '../../cli/flags/payment-args.js';
import type { MoveJson } from '../../output/views/moves.js';

export default class PaymentsCapture extends BaseCommand {
  static override summary = 'Capture authorised payments.';
  static override description =
    'Charges the reserved money. The capture is final when the state is Captured.';
  static override examples = [
    '<%= config.bin %> payments capture inv-2041 --wait',
    '<%= config.bin %> payments capture 100231 --dry-run',
  ];
  static override args = paymentArgs;
  static override flags = moveFlags;

  protected override whyNoFlag(flag: string): string | undefined {
    return flag === '--amount' ? 'the service captures whole payments only; leave out --amount' : undefined;
  }

  async run(): Promise<MoveJson | MoveJson[]> {
    const { args, flags } = await this.parse(PaymentsCapture);
    const desk = await openDesk(this.context, flags);
    const request = { ...flags, operation: 'capture', names: namesIn(args) } as const;
    const results = await runMoves(this.context, desk, request);
    return showMoves(this.context, results, flags);
  }
}
