import { boolean, option, string } from '@oclif/core/flags';
import { CreateCommand } from '../../cli/create-command.js';
import {
  amountFlag,
  currencyFlag,
  idFlag,
  instantFlag,
  listFlagsFor,
  numericIdFlag,
  urlFlag,
} from '../../cli/flags.js';
import { jsonFlag } from '../../cli/json-input.js';
import { linkFlags, useLink } from '../../cli/links.js';
import { besideListenFlags } from '../../cli/listen-flags.js';
import type { CreateListening } from '../../cli/create-listening.js';
import { followPayment, targetState } from '../../payments/follow-payment.js';
import { createdJson } from '../../output/views/created.js';
import { keptJson } from '../../output/views/webhook.js';
import { paymentCard, paymentList } from '../../output/views/payment.js';
import { customerFlag, orderFlags } from '../../cli/payment-flags.js';

const flows = ['hosted-page', 'plain', 'provider-hosted-page'] as const;
const methods = ['CreditCard', 'ElectronicCheck', 'Crypto', 'Paypal'] as const;

export default class PaymentsCreate extends CreateCommand {
  static override summary = 'Create a payment and get a link to pay it.';
  static override description =
    'On a terminal it asks for missing values. You can run it again with the same --reference: the ' +
    'payment is created only once.';
  static override examples = [
    '<%= config.bin %> payments create --amount 10.23 --currency EUR --customer c_881 --return-url https://shop.example/done',
    '<%= config.bin %> payments create --body payment.json --reference inv-2041 --json',
    '<%= config.bin %> payments create --amount 10.23 --currency EUR --customer c_881 --return-url https://shop.example/done --wait',
    '<%= config.bin %> payments create --amount 10.23 --currency EUR --customer c_881 --return-url https://shop.example/done --listen --forward-to localhost:3000/hooks',
  ];
  static override flags = {
    amount: amountFlag({ summary: 'Amount, for example 49.90.' }),
    currency: currencyFlag({ summary: 'Currency, for example EUR.' }),
    customer: customerFlag,
    'return-url': urlFlag({ summary: 'Page that the customer returns to after paying.' }),
    reference: idFlag({
      helpValue: 'REF',
      summary: 'Your reference for the payment (default: generated and shown).',
    }),
    flow: option({ options: flows })({ summary: 'How the customer pays (default: hosted-page).' }),
    'provider-profile': numericIdFlag({ summary: 'Provider profile whose payment page is used.' }),
    'show-recurring': boolean({ summary: 'Offer to save the payment method at checkout.' }),
    'register-auto-payment': boolean({ summary: 'Store the payment method for later charges.' }),
    expires: instantFlag({ summary: 'When the checkout link stops working.' }),
    'offer-profile': numericIdFlag({ multiple: true, summary: 'Offer only these provider profiles.' }),
    method: option({ options: methods, multiple: true })({ summary: 'Offer only these payment methods.' }),
    ...orderFlags,
    order: jsonFlag({ helpValue: 'FILE.json', summary: 'JSON file with the customerOrder.' }),
    body: jsonFlag({ summary: 'Request body from a JSON file or stdin; flags add to it.' }),
    ...linkFlags,
    ...listFlagsFor(paymentList),
    until: string({
      helpValue: 'STATE',
      summary: 'State to wait for with --wait or --listen (default: paid).',
    }),
    listen: boolean({
      exclusive: ['webhook-url', 'wait', 'dry-run'],
      summary: 'Receive its webhooks and follow it until it is settled.',
    }),
    ...besideListenFlags,
  };

  protected override kindOf(flags: { flow?: (typeof flows)[number] }) {
    return flags.flow ?? 'hosted-page';
  }

  protected override async review(flags: Record<string, unknown>, isBad: (input: string) => boolean) {
    const found = await super.review(flags, isBad);
    if (flags['until'] !== undefined && flags['wait'] !== true && flags['listen'] !== true) {
      found.bad.push({ input: '--until', problem: 'can only be used together with --wait or --listen' });
    }
    return found;
  }

  async run(): Promise<unknown> {
    const { flags } = await this.parse(PaymentsCreate);
    let listening: CreateListening | undefined;
    const made = await this.make(flags, async (desk) => {
      targetState(desk.client, flags.until ?? 'Captured');
      listening = flags.listen ? await this.listenFor(desk, flags) : undefined;
      return listening === undefined ? {} : { 'webhook-url': listening.url };
    });
    if ('planned' in made) return made.planned;
    const {
      desk,
      made: { created, read },
    } = made;
    await this.showOne(read.object, paymentCard, paymentList);
    await useLink(read.fields.redirectUrl, flags, (...lines) => this.note(...lines));
    if (!flags.wait && listening === undefined) return createdJson({ created, payment: read.object });
    const paid = read.fields.autoCapture === false ? 'Authorised' : 'Captured';
    const until = targetState(desk.client, flags.until ?? paid);
    const end = await (listening ? listening.follow(read, until) : followPayment(desk, read, until));
    if (end.error) this.endAs(end.error);
    const deliveries = listening?.deliveries.map(keptJson);
    return { ...createdJson({ created, payment: end.read.object }, end.error), deliveries };
  }
}
