import { boolean, string } from '@oclif/core/flags';
import { optionalPaymentArgs } from '../../cli/flags/payment-args.js';
import { moneyFlags } from '../../cli/flags/payment-flags.js';
import { BaseCommand } from '../../cli/runtime/base-command.js';
import { openDesk } from '../../cli/desk/desk.js';
import { requireTerminal, resolvePayments } from '../../cli/guided/resolve.js';

export default class PaymentsResolve extends BaseCommand {
  static override summary = 'Resolve payments one by one in a guided session.';
  static override description =
    'Needs a terminal. Without payments it asks which ones: pasted, from a file, or known payments that need ' +
    'attention. You can quit at any time and resume later. Every action that moves money asks for a confirmation.';
  static override examples = [
    '<%= config.bin %> payments resolve',
    '<%= config.bin %> payments resolve inv-2041 100244 --ticket T-1932',
    '<%= config.bin %> payments resolve --stuck',
    '<%= config.bin %> payments resolve --file references.txt --reason "provider outage"',
  ];
  static override args = optionalPaymentArgs;
  static override flags = {
    stuck: boolean({ summary: 'Known payments that need attention.', exclusive: ['file'] }),
    file: string({ helpValue: 'FILE', summary: 'Read payments from a file, one per line.' }),
    reason: moneyFlags.reason,
    ticket: moneyFlags.ticket,
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(PaymentsResolve);
    const named = (args.payment ?? []).flat().map(({ typed }) => typed);
    requireTerminal(this.context, named);
    const desk = await openDesk(this.context, {});
    await resolvePayments(this.context, desk, { named, flags });
  }
}
