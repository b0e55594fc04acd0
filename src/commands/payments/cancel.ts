import { BaseCommand } from '../../cli/runtime/base-command.js';
import { openDesk } from '../../cli/desk/desk.js';
import { moveFlags, runMoves, showMoves } from '../../cli/money-move.js';
import { namesIn, paymentArgs } from '../../cli/flags/payment-args.js';
import type { MoveJson } from '../../output/views/moves.js';

export default class PaymentsCancel extends BaseCommand {
  static override summary = 'Cancel payments that have not been captured.';
  static override description =
    'Voids an authorisation or closes an unpaid checkout. Refund a captured payment instead.';
  static override examples = [
    '<%= config.bin %> payments cancel inv-2041',
    '<%= config.bin %> payments cancel 100231 100232 --confirm 7f31c2',
  ];
  static override args = paymentArgs;
  static override flags = moveFlags;

  async run(): Promise<MoveJson | MoveJson[]> {
    const { args, flags } = await this.parse(PaymentsCancel);
    const desk = await openDesk(this.context, flags);
    const request = { ...flags, operation: 'cancel', names: namesIn(args) } as const;
    const results = await runMoves(this.context, desk, request);
    return showMoves(this.context, results, flags);
  }
}
