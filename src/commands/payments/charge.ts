import { BaseCommand } from '../../cli/runtime/base-command.js';
import { chosenProfile } from '../../cli/desk/chosen-profile.js';
import { reviewPayment, sendPayment } from '../../cli/create-payment.js';
import { openDesk } from '../../cli/desk/desk.js';
import { askForPayment } from '../../cli/guided/payment-prompts.js';
import { amountFlag, idFlag, listFlagsFor, numericIdFlag } from '../../cli/flags/flags.js';
import { jsonFlag } from '../../cli/flags/json-input.js';
import { ServiceError } from '../../errors.js';
import { paydesk } from '../../next-command.js';
import { followCharge } from '../../payments/charge-outcome.js';
import {
  type CreatedJson,
  createdJson,
  notFinalLines,
  type PlannedJson,
} from '../../output/views/created.js';
import type { Missing } from '../../output/report.js';
import { paymentCardIn, paymentList } from '../../output/views/payment.js';
import { customerFlag, moneyFlags, orderFlags } from '../../cli/flags/payment-flags.js';

export default class PaymentsCharge extends BaseCommand {
  static override summary = 'Charge a stored payment method of a customer.';
  static override description =
    'The customer does not need to be present. You can run it again with the same --reference: the ' +
    'customer is charged only once. It succeeded when the state is Captured, or Authorised with ' +
    '--no-auto-capture. In any other state that can still change, such as Held or Processing, the charge ' +
    'is accepted and not final: the exit code is 0, unless --wait follows it to its end.';
  static override examples = [
    '<%= config.bin %> payments charge --customer c_881 --amount 10.23 --reference inv-2042',
    '<%= config.bin %> payments charge --customer c_881 --amount 10.23 --reference inv-2042 --wait --timeout 2m --json',
  ];
  static override flags = {
    ...moneyFlags,
    customer: customerFlag,
    amount: amountFlag({ summary: 'Amount, for example 49.90.' }),
    reference: idFlag({
      helpValue: 'REF',
      summary: 'Your reference for this charge. Use the same one to retry.',
    }),
    'method-id': numericIdFlag({ summary: 'Charge this stored method.' }),
    'provider-profile': numericIdFlag({ summary: 'Use this provider profile.' }),
    ...orderFlags,
    order: jsonFlag({ helpValue: 'FILE.json', summary: 'JSON file with the customerOrder.' }),
    ...listFlagsFor(paymentList),
  };

  #wasAsked = false;

  protected override whyNoFlag(flag: string): string | undefined {
    return flag === '--currency'
      ? 'a stored method is charged in the currency that it was stored with; leave out --currency'
      : undefined;
  }

  protected override async review(flags: Record<string, unknown>, isBad: (input: string) => boolean) {
    return reviewPayment('charge', flags, { isBad, now: this.now() });
  }

  protected override async ask(missing: readonly Missing[], flags: Record<string, unknown>) {
    // Without a profile nothing is asked for in vain.
    chosenProfile(this.context);
    this.#wasAsked = true;
    return askForPayment(missing, flags, this.prompts());
  }

  async run(): Promise<CreatedJson | PlannedJson> {
    const { flags } = await this.parse(PaymentsCharge);
    const opened = await openDesk(this.context, flags);
    this.refineErrors(async (error) => {
      const isRefused = error instanceof ServiceError && error.next.length === 0;
      const { customer = '' } = flags;
      return isRefused ? error.with({ next: [paydesk('customers', 'methods', customer)] }) : error;
    });
    const request = { kind: 'charge', flags, wasAsked: this.#wasAsked } as const;
    const made = await sendPayment(this.context, opened, request);
    if ('planned' in made) return made.planned;
    const { created, read } = made;
    const wanted = { autoCapture: flags['auto-capture'] ?? true, wait: flags.wait };
    const end = await followCharge(opened.desk, read, wanted);
    const payment = end.read.object;
    await this.showOne(payment, paymentCardIn(end.read.state), paymentList);
    if (end.error) this.endAs(end.error);
    else if (end.outcome === 'accepted')
      this.note(...notFinalLines(payment, end.read.state, this.profileName));
    return createdJson({ created, payment }, { error: end.error, profile: this.profileName });
  }
}
