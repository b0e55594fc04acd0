import { boolean } from '@oclif/core/flags';
import { BaseCommand } from '../../cli/runtime/base-command.js';
import { customerArgument } from '../../cli/flags/customer-input.js';
import { openDatabase } from '../../cli/desk/desk-database.js';
import { openSession } from '../../cli/desk/session.js';
import { counted } from '../../contract/amount-format.js';
import { InterruptedError, UsageError } from '../../errors.js';
import { countOf, customersNamed, type Forgotten, forgetCustomer } from '../../ledger/known/forget.js';
import { addWords, paydesk } from '../../next-command.js';
import { safeText } from '../../output/text.js';

type ForgottenCustomer = Forgotten & { customerId: string };

export default class CustomersForget extends BaseCommand {
  static override summary = 'Remove what this desk keeps about a customer.';
  static override description =
    'Removes the customer ID, names, e-mail addresses, card brands and order details from the known payments and ' +
    'their search index, and deletes the webhooks of these payments from the inbox. The service and the history of ' +
    'money moves stay as they are; the history keeps the customer ID. Reading a payment again makes it known again.';
  static override examples = [
    '<%= config.bin %> customers forget c_881',
    '<%= config.bin %> customers forget c_881 --yes --json',
  ];
  static override args = { customer: customerArgument };
  static override flags = { yes: boolean({ char: 'y', summary: 'Do not ask.' }) };

  async run(): Promise<ForgottenCustomer> {
    const { args, flags } = await this.parse(CustomersForget);
    const { profile } = await openSession(this.context);
    if (!flags.yes && !this.interactive) {
      throw new UsageError('Removing data must be confirmed. Nothing was removed.', {
        code: 'not-confirmed',
        next: [addWords(this.typed, '--yes')],
      });
    }
    const { store } = await openDatabase(this.context);
    const { payments, known } = await countOf(store, profile, args.customer);
    if (known === 0) refuseName(args.customer, await customersNamed(store, profile, args.customer));
    if (!flags.yes && payments > 0) await this.#ask(args.customer, known);
    this.sent.assumeSome();
    const forgotten = await forgetCustomer(store, profile, args.customer);
    return this.show({ customerId: args.customer, ...forgotten }, resultLines);
  }

  async #ask(customer: string, known: number): Promise<void> {
    const { confirm } = await import('../../prompts.js');
    const message = `Remove what this desk keeps about customer ${safeText(customer)} (${counted(known, 'known payment')})?`;
    if (await confirm({ message, default: false }, this.prompts())) return;
    throw new InterruptedError('Nothing was removed.', { code: 'declined' });
  }
}

/** A name or an address that somebody has must not look as if it had been removed. */
function refuseName(typed: string, customers: readonly string[]): void {
  if (customers.length === 0) return;
  const [kind, it] = typed.includes('@') ? ['an e-mail address', 'this address'] : ['a name', 'this name'];
  throw new UsageError(
    `${safeText(typed)} is ${kind}, and not the ID of a customer. Nothing was removed. ` +
      `${customers.length === 1 ? 'Customer' : 'Customers'} with ${it}: ${customers.map(safeText).join(', ')}.`,
    {
      code: 'not-a-customer',
      saysNothingSent: true,
      next: customers.map((id) => paydesk('customers', 'forget', id)),
    },
  );
}

function resultLines({ customerId, payments, webhooks, webhooksInProgress }: ForgottenCustomer): string[] {
  if (payments === 0 && webhooks === 0 && webhooksInProgress === 0) {
    return [
      `This desk has no known payments or webhooks of customer ${safeText(customerId)}. There was nothing to remove.`,
    ];
  }
  const stay =
    webhooksInProgress === 1
      ? 'is being read or forwarded now and was'
      : 'are being read or forwarded now and were';
  return [
    `Removed the personal data of ${counted(payments, 'known payment')} and deleted ${counted(webhooks, 'webhook')}. ` +
      'The service keeps what it has, and a command that reads one of these payments makes it known again.',
    ...(webhooksInProgress === 0
      ? []
      : [
          `${counted(webhooksInProgress, 'webhook')} ${stay} not deleted. Run the command again in a minute.`,
        ]),
  ];
}
