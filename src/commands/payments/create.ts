import type { PaymentRead } from '../../client/payment-calls.js';
import { BaseCommand } from '../../cli/runtime/base-command.js';
import { showsToPerson } from '../../cli/runtime/context.js';
import { chosenProfile } from '../../cli/desk/chosen-profile.js';
import { checkoutFlags, flowOf, reviewPayment, sendPayment } from '../../cli/create-payment.js';
import { type MoneyDesk, openDesk } from '../../cli/desk/desk.js';
import { askForPayment } from '../../cli/guided/payment-prompts.js';
import { amountFlag, currencyFlag, idFlag, listFlagsFor, urlFlag } from '../../cli/flags/flags.js';
import { jsonFlag } from '../../cli/flags/json-input.js';
import type { CreateListening, CreateListeningFlags } from '../../cli/listening/create-listening.js';
import { checkoutLines, linkFlags, useLink } from '../../cli/links.js';
import { followFlags } from '../../cli/flags/listen-flags.js';
import { followPayment, targetState } from '../../payments/follow-payment.js';
import { type CreatedJson, createdJson, type PlannedJson } from '../../output/views/created.js';
import type { Missing } from '../../output/report.js';
import { keptJson } from '../../output/views/webhook.js';
import { paymentCardIn, paymentList } from '../../output/views/payment.js';
import { customerFlag, moneyFlags, orderFlags } from '../../cli/flags/payment-flags.js';

interface Created extends CreatedJson {
  /** With --listen. */
  deliveries?: Array<ReturnType<typeof keptJson>> | undefined;
}

export default class PaymentsCreate extends BaseCommand {
  static override summary = 'Create a payment and get a link to pay it.';
  static override description =
    'On a terminal it asks for missing values. You can run it again with the same --reference: the ' +
    'payment is created only once.\n\n' +
    'With --wait or --listen it waits until the payment is paid: after a decline the customer may try again with the ' +
    'same link. Exits 3 when it can no longer be paid, and 8 when --timeout is up.';
  static override examples = [
    '<%= config.bin %> payments create --amount 10.23 --currency EUR --customer c_881 --return-url https://shop.example/done',
    '<%= config.bin %> payments create --body payment.json --reference inv-2041 --json',
    '<%= config.bin %> payments create --amount 10.23 --currency EUR --customer c_881 --return-url https://shop.example/done --wait',
    '<%= config.bin %> payments create --amount 10.23 --currency EUR --customer c_881 --return-url https://shop.example/done --listen --forward-to localhost:3000/hooks',
  ];
  static override flags = {
    ...moneyFlags,
    amount: amountFlag({ summary: 'Amount, for example 49.90.' }),
    currency: currencyFlag({ summary: 'Currency, for example EUR.' }),
    customer: customerFlag,
    'return-url': urlFlag({ summary: 'Page that the customer returns to after paying.' }),
    reference: idFlag({
      helpValue: 'REF',
      summary: 'Your reference for the payment (default: generated and shown).',
    }),
    ...checkoutFlags,
    ...orderFlags,
    order: jsonFlag({ helpValue: 'FILE.json', summary: 'JSON file with the customerOrder.' }),
    body: jsonFlag({ summary: 'Request body from a JSON file or stdin; flags add to it.' }),
    ...linkFlags,
    ...listFlagsFor(paymentList),
    ...followFlags,
  };

  #wasAsked = false;

  protected override async review(flags: Record<string, unknown>, isBad: (input: string) => boolean) {
    const found = reviewPayment(flowOf(flags), flags, { isBad, now: this.now() });
    if (flags['until'] !== undefined && flags['wait'] !== true && flags['listen'] !== true) {
      found.bad.push({ input: '--until', problem: 'can only be used together with --wait or --listen' });
    }
    return found;
  }

  protected override async ask(missing: readonly Missing[], flags: Record<string, unknown>) {
    // Without a profile nothing is asked for in vain.
    chosenProfile(this.context);
    this.#wasAsked = true;
    return askForPayment(missing, flags, this.prompts());
  }

  async run(): Promise<Created | PlannedJson> {
    const { flags } = await this.parse(PaymentsCreate);
    const opened = await openDesk(this.context, flags);
    const { desk } = opened;
    targetState(desk.client, flags.until ?? 'Captured');
    const listening = flags.listen ? await this.#listen(opened, flags) : undefined;
    const made = await sendPayment(this.context, opened, {
      kind: flowOf(flags),
      flags: { ...flags, 'webhook-url': listening?.url ?? flags['webhook-url'] },
      wasAsked: this.#wasAsked,
    });
    if ('planned' in made) return made.planned;
    const { created, read } = made;
    const waits = flags.wait || listening !== undefined;
    const showsFirst = !waits || showsToPerson(this, flags);
    if (showsFirst) await this.#show(read);
    // A program gets the payment as it is at the end, and somebody has to pay before that.
    else this.note(...checkoutLines(read, this));
    await useLink(read.fields.redirectUrl, flags, this.note);
    if (!waits) return createdJson({ created, payment: read.object });
    const paid = read.fields.autoCapture === false ? 'Authorised' : 'Captured';
    const until = targetState(desk.client, flags.until ?? paid);
    const end = await (listening ? listening.follow(read, until) : followPayment(desk, read, until));
    if (!showsFirst) await this.#show(end.read);
    if (end.error) this.endAs(end.error);
    const deliveries = listening?.deliveries.map(keptJson);
    const told = { error: end.error, profile: this.profileName };
    return { ...createdJson({ created, payment: end.read.object }, told), deliveries };
  }

  #show({ object, state }: PaymentRead) {
    return this.showOne(object, paymentCardIn(state), paymentList);
  }

  /** Receives webhooks until the command ends. */
  async #listen(opened: MoneyDesk, flags: CreateListeningFlags): Promise<CreateListening> {
    const { openCreateListening } = await import('../../cli/listening/create-listening.js');
    return openCreateListening(this.context, opened, flags);
  }
}
