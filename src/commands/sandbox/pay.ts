import { findPayment } from '../../sandbox-control/find.js';
import { BaseCommand } from '../../cli/runtime/base-command.js';
import { string as argument } from '@oclif/core/args';
import { boolean, custom, option } from '@oclif/core/flags';
import type { JsonObject } from '../../contract/json.js';
import type { CheckoutMethod } from '../../contract/checkout-methods.js';
import { numericIdFlag } from '../../cli/flags/flags.js';
import { ServiceError } from '../../errors.js';
import { type Command, paydesk } from '../../next-command.js';
import { paidView } from '../../output/views/sandbox.js';
import { textAt } from '../../output/values.js';
import { cardNames, challengeResults } from '../../sandbox/index.js';
import { parseCheckoutMethod } from '../../cli/flags/sandbox-flags.js';
import { chosenApp, openSandbox, sandboxFlags } from '../../cli/desk/sandbox.js';

/** What the customer, or the provider, can do in a state in which a payment cannot be paid. */
function nextIn(state: string, id: string): Command {
  if (state === 'ActionRequired') return paydesk('sandbox', 'pay', id, '--challenge', 'passed');
  if (state === 'Processing') return paydesk('sandbox', 'provider', id, 'confirm');
  return paydesk('payments', 'create');
}

export default class SandboxPay extends BaseCommand {
  static override summary = 'Act as the customer: pay with a test card.';
  static override examples = [
    '<%= config.bin %> sandbox pay inv-2041',
    '<%= config.bin %> sandbox pay inv-2041 --card insufficient-funds',
    '<%= config.bin %> sandbox pay id:100231 --card three-d-secure --save-method',
    '<%= config.bin %> sandbox pay id:100231 --challenge passed',
  ];
  static override args = {
    payment: argument({ required: true, description: 'Payment ID or reference.' }),
  };
  static override flags = {
    ...sandboxFlags,
    card: option({ options: cardNames })({
      helpValue: 'NAME',
      exclusive: ['challenge'],
      summary: 'Test card (default: approved).',
    }),
    method: custom<CheckoutMethod>({ parse: parseCheckoutMethod })({
      helpValue: 'CreditCard|ElectronicCheck|Crypto|Paypal',
      exclusive: ['challenge'],
      summary: 'Payment method that the customer chooses.',
    }),
    'provider-profile': numericIdFlag({ summary: 'Provider profile to pay with.' }),
    'save-method': boolean({ summary: 'Save the payment method, as the customer allows.' }),
    challenge: option({ options: challengeResults })({
      summary: 'Result of the 3-D Secure check that the payment waits for.',
    }),
  };

  async run(): Promise<JsonObject> {
    const { args, flags } = await this.parse(SandboxPay);
    const sandbox = await openSandbox(this.context, flags);
    const { id, payment: before } = await findPayment(sandbox, args.payment, chosenApp(this.context));
    const state = textAt(before, 'paymentState');
    const body = {
      card: flags.card,
      method: flags.method,
      paymentProfileId: flags['provider-profile'],
      saveMethod: flags['save-method'] || undefined,
      challenge: flags.challenge,
    };
    const payment = await sandbox.pay(id, body).catch((error: unknown) => {
      const isRefused = error instanceof ServiceError && error.code === 'operation-not-allowed';
      throw isRefused ? error.with({ next: [nextIn(state, id)] }) : error;
    });
    this.show({ before: state, payment }, paidView);
    return payment;
  }
}
