import { string as argument } from '@oclif/core/args';
import { string } from '@oclif/core/flags';
import { BaseCommand } from '../../cli/runtime/base-command.js';
import { openDatabase } from '../../cli/desk/desk-database.js';
import { canWalk } from '../../cli/runtime/context.js';
import { spokenAmount, spokenDate } from '../../cli/flags/find-flags.js';
import { countFlag, emailFlag, idFlag, listFlagsFor, sinceFlag } from '../../cli/flags/flags.js';
import { openApp, openSession } from '../../cli/desk/session.js';
import { explainOptions } from '../../cli/desk/support-records.js';
import { UsageError } from '../../errors.js';
import { createKnownSearch } from '../../ledger/known/search.js';
import { aboutFound, aboutNothingFound, aboutSeen, foundJson, foundList } from '../../output/views/found.js';
import { type FindFilter, findPayments } from '../../support/find/find-payments.js';
import { whyNothingFound } from '../../support/find/nothing-found.js';
import { assessFound, findStates } from '../../support/list.js';

const DEFAULT_LIMIT = 20;

export default class PaymentsFind extends BaseCommand {
  static override summary = 'Find known payments by anything a caller says.';
  static override description =
    "Searches references, IDs, order numbers, names, e-mail addresses, amounts (49.90, EUR 49.90, '~50' for about 50), " +
    'dates (yesterday, last Tuesday, 12 Nov, 17/11/2026 with the day first, 2026-11-10..12), card brands and states. All words must match; the best match comes ' +
    'first. If nothing matches, a name or reference may have one letter wrong. States are as last seen. On a terminal, choose a payment with the arrow keys to explain or resolve it.';
  static override examples = [
    '<%= config.bin %> payments find ana 49.90 yesterday',
    '<%= config.bin %> payments find inv-2041',
    "<%= config.bin %> payments find '~50' 12 Nov --state Captured",
    '<%= config.bin %> payments find --email ana@example.org --since 30d --json',
  ];
  static override args = {
    text: argument({ multiple: true, ignoreStdin: true, description: 'What the caller says.' }),
  };
  static override flags = {
    amount: spokenAmount({ summary: "Only payments of this amount; '~50' is within 5 % of 50." }),
    on: spokenDate({ summary: 'Only payments created on this day or in these days.' }),
    since: sinceFlag({ summary: 'Only payments created since then.' }),
    customer: idFlag({ summary: 'Only payments of this customer.' }),
    email: emailFlag({ summary: 'Only payments with this e-mail address.' }),
    state: string({ helpValue: 'STATE', multiple: true, summary: 'Only payments in this state.' }),
    brand: string({ helpValue: 'BRAND', summary: 'Only payments with this card brand.' }),
    limit: countFlag({ summary: `Maximum number to show (default ${DEFAULT_LIMIT}).` }),
    ...listFlagsFor(foundList),
  };

  async run(): Promise<Array<ReturnType<typeof foundJson>>> {
    const { args, flags } = await this.parse(PaymentsFind);
    const words = args.text ?? [];
    const now = this.now();
    const narrowed = [
      flags.amount,
      flags.on,
      flags.since,
      flags.customer,
      flags.email,
      flags.state,
      flags.brand,
    ];
    if (words.length === 0 && narrowed.every((flag) => flag === undefined)) {
      throw new UsageError('What should be found? Type a word, or use a flag such as --email.', {
        code: 'usage',
      });
    }
    const { client, profile } = openApp(this.context);
    const { store } = await openDatabase(this.context);
    const search = createKnownSearch(store, profile);
    const options = {
      store,
      app: profile,
      client,
      ...explainOptions(this.context, profile, flags),
    };
    const filter: FindFilter = {
      amount: flags.amount,
      on: flags.on?.(now),
      since: flags.since && { from: flags.since.getTime(), to: Number.MAX_SAFE_INTEGER },
      states: flags.state && (await findStates(options, flags.state)),
      customer: flags.customer,
      email: flags.email,
      brand: flags.brand,
    };
    const limit = flags.limit ?? DEFAULT_LIMIT;
    const { found, more } = await findPayments(search, { words, filter, limit, now });
    const items = await assessFound(options, found);
    const walks = items.length > 0 && canWalk(this.context, flags);
    if (!this.json) this.note(...aboutFound(items));
    if (!walks) await this.showList(items, foundList);
    if (!this.json) this.note(...aboutSeen(items, { now: now.getTime(), walks, profile: this.profileName }));
    if (more && !this.json) this.note('There are more. Add a word, or use --limit N.');
    if (items.length === 0 && !this.json) {
      const why = await whyNothingFound(search, { words, filter, now });
      this.note(...aboutNothingFound({ words, customer: flags.customer }, why, this.profileName));
    }
    if (walks) {
      const { walkFound } = await import('../../cli/guided/walk-found.js');
      await walkFound(this.context, await openSession(this.context, { showsApp: false }), items);
    }
    return items.map(foundJson);
  }
}
