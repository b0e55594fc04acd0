import { string as argument } from '@oclif/core/args';
import { boolean, custom, string } from '@oclif/core/flags';
import type { JsonObject } from '../../contract/json.js';
import { numericIdFlag } from '../../cli/flags.js';
import { paidView } from '../../output/views/sandbox.js';
import { textAt } from '../../output/values.js';
import { cardNames } from '../../sandbox/index.js';
import { parseMethod } from '../../cli/sandbox-flags.js';
import { SandboxCommand } from '../../cli/sandbox-command.js';

export default class SandboxPay extends SandboxCommand {
  static override summary = 'Play the customer: pay a payment with a test card, without a browser.';
  static override examples = [
    '<%= config.bin %> sandbox pay inv-2041',
    '<%= config.bin %> sandbox pay inv-2041 --card insufficient-funds',
    '<%= config.bin %> sandbox pay id:100231 --card three-d-secure --save-method',
    '<%= config.bin %> sandbox pay id:100231 --challenge passed',
  ];
  static override args = {
    payment: argument({ required: true, description: 'A paymentId (digits) or a referenceId.' }),
  };
  static override flags = {
    card: string({
      helpValue: 'NAME',
      options: cardNames,
      exclusive: ['challenge'],
      summary: 'Which test card (default: approved).',
    }),
    method: custom({ parse: parseMethod })({
      helpValue: 'CreditCard|ElectronicCheck|Crypto|Paypal',
      exclusive: ['challenge'],
      summary: 'Which kind of method the customer chooses.',
    }),
    'provider-profile': numericIdFlag({ summary: 'Which provider profile takes it.' }),
    'save-method': boolean({ summary: 'The customer lets the method be stored.' }),
    challenge: string({
      options: ['passed', 'failed'],
      summary: 'How the confirmation at the provider went, of a payment that waits for it.',
    }),
  };

  async run(): Promise<JsonObject> {
    const { args, flags } = await this.parse(SandboxPay);
    const sandbox = await this.sandbox(flags);
    const { id, payment: before } = await this.findPayment(sandbox, args.payment);
    const payment = await sandbox.pay(id, {
      card: flags.card,
      method: flags.method,
      paymentProfileId: flags['provider-profile'],
      saveMethod: flags['save-method'] || undefined,
      challenge: flags.challenge,
    });
    this.show({ before: textAt(before, 'paymentState'), payment }, paidView);
    return payment;
  }
}
