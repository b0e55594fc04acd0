import { BaseCommand } from '../../cli/runtime/base-command.js';
import { openDesk } from '../../cli/desk/desk.js';
import { moveFlags, runMoves, showMoves } from '../../cli/money-move.js';
import { namesIn, paymentArgs } from '../../cli/flags/payment-args.js';
import type { MoveJson } from '../../output/views/moves.js';

export default class PaymentsUnhold extends BaseCommand {
  static override summary = 'Approve payments that a fraud rule holds.';
  static override description =
    'The payment is authorised, and charged at once if it was created with automatic capture.';
  static override examples = [
    '<%= config.bin %> payments unhold 100244',
    '<%= config.bin %> payments unhold - < held.txt',
  ];
  static override args = paymentArgs;
  static override flags = moveFlags;

  async run(): Promise<MoveJson | MoveJson[]> {
    const { args, flags } = await this.parse(PaymentsUnhold);
    const desk = await openDesk(this.context, flags);
    const request = { ...flags, operation: 'unhold', names: namesIn(args) } as const;
    const results = await runMoves(this.context, desk, request);
    return showMoves(this.context, results, flags);
  }
}
