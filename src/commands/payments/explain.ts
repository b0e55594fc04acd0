import { boolean, option } from '@oclif/core/flags';
import { listFlagsFor } from '../../cli/flags/flags.js';
import { namesIn, oneOrAll, pastedPaymentArgs } from '../../cli/flags/payment-args.js';
import { BaseCommand } from '../../cli/runtime/base-command.js';
import { lazyDatabase } from '../../cli/desk/desk.js';
import { suggestKnown } from '../../cli/desk/did-you-mean.js';
import { openSession } from '../../cli/desk/session.js';
import { explainOptions, openRecords } from '../../cli/desk/support-records.js';
import { endingOf } from '../../payments/endings.js';
import { explainAll } from '../../support/explain.js';
import { languages } from '../../support/reply.js';
import { explainedJson, explanationView, replyJson, replyView } from '../../output/views/explanation.js';
import { nextCommandsView, triageList } from '../../output/views/triage.js';

type ExplainJson = ReturnType<typeof explainedJson> | ReturnType<typeof replyJson>;

export default class PaymentsExplain extends BaseCommand {
  static override summary = 'Explain where a payment stands and what to do next.';
  static override description =
    'Uses the service, the ledger and the webhook inbox, and changes nothing. With several payments, or - to read ' +
    'them from stdin, it prints a table and the recommended commands.';
  static override examples = [
    '<%= config.bin %> payments explain inv-2041',
    '<%= config.bin %> payments explain 100244 --as-reply --lang de',
    '<%= config.bin %> payments explain - --csv < references.txt',
    "<%= config.bin %> payments explain 100244 --jq '.actions[0].command'",
  ];
  static override args = pastedPaymentArgs;
  static override flags = {
    'as-reply': boolean({
      summary: 'Print a reply that can be sent to the customer.',
      exclusive: ['csv', 'columns'],
    }),
    lang: option({ options: languages })({
      summary: 'Language of the reply (default en).',
      dependsOn: ['as-reply'],
    }),
    ...listFlagsFor(triageList),
  };

  async run(): Promise<ExplainJson | ExplainJson[]> {
    const { args, flags } = await this.parse(PaymentsExplain);
    const names = namesIn(args);
    const { client, profile } = await openSession(this.context);
    const database = lazyDatabase(this.context);
    const records = openRecords(this.context, database, profile);
    const entries = await explainAll(client, names, records, {
      ...explainOptions(this.context, profile, flags),
      ...(flags.lang && { language: flags.lang }),
    });
    const suggesting = { app: profile, database, verb: 'explain' } as const;
    const explained = await suggestKnown(this.context, suggesting, entries, ({ typed }) => typed);
    const [first] = explained;
    if (first && names.length === 1 && 'error' in first) throw first.error;
    const ending = endingOf(explained, 'explained');
    if (ending) this.endAs(ending);
    const asReply = flags['as-reply'];
    const asTable = flags.csv || flags.columns !== undefined || names.length > 1;
    if (asReply) this.show(explained, replyView);
    else if (asTable) {
      await this.showList(explained, triageList);
      if (!flags.csv && flags.columns === undefined) this.show(explained, nextCommandsView(this.profileName));
    } else if (first && 'explanation' in first) this.show(first.explanation, explanationView);
    const toJson = asReply ? replyJson : explainedJson;
    const json = explained.map((entry) => toJson(entry, this.profileName));
    return oneOrAll(json);
  }
}
