import { boolean, string } from '@oclif/core/flags';
import { optionalPaymentArgs } from '../../cli/payment-args.js';
import { moneyFlags } from '../../cli/payment-flags.js';
import { ResolveCommand } from '../../cli/resolve-command.js';

export default class PaymentsResolve extends ResolveCommand {
  static override summary = 'Go through payments one by one: look, choose, confirm, act, look again, next.';
  static override description =
    'On a terminal. Without payments it asks for them: pasted, from a file, or those that are stuck. It can be left at ' +
    'any time; the next time it offers to go on. Money is moved as the commands move it, with the same confirmations.';
  static override examples = [
    '<%= config.bin %> payments resolve',
    '<%= config.bin %> payments resolve inv-2041 100244 --ticket T-1932',
    '<%= config.bin %> payments resolve --stuck',
    '<%= config.bin %> payments resolve --file references.txt --reason "provider outage"',
  ];
  static override args = optionalPaymentArgs;
  static override flags = {
    stuck: boolean({ summary: 'The stuck payments that this desk knows.', exclusive: ['file'] }),
    file: string({ helpValue: 'FILE', summary: 'From a file, one a line.' }),
    reason: moneyFlags.reason,
    ticket: moneyFlags.ticket,
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(PaymentsResolve);
    const named = (args.payment ?? []).flat().map(({ typed }) => typed);
    this.requireTerminal(named);
    await this.resolve(named, flags);
  }
}
