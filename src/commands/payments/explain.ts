import { boolean } from '@oclif/core/flags';
import { listFlagsFor } from '../../cli/flags.js';
import { namesIn, paymentArgs } from '../../cli/payment-args.js';
import { SupportCommand } from '../../cli/support-command.js';
import { endingOf } from '../../payments/endings.js';
import { explainAll } from '../../support/explain-all.js';
import {
  explainedJson,
  explanationView,
  replyJson,
  replyView,
  triageList,
} from '../../output/views/explanation.js';

export default class PaymentsExplain extends SupportCommand {
  static override summary = 'Say where payments stand, why, what happened so far and what can be done now.';
  static override description =
    'From the service, the ledger and the webhook inbox; nothing is changed. Several payments, or - for a list on ' +
    'stdin, give a table with the recommended command of each.';
  static override examples = [
    '<%= config.bin %> payments explain inv-2041',
    '<%= config.bin %> payments explain 100244 --as-reply',
    '<%= config.bin %> payments explain - --csv < references.txt',
    "<%= config.bin %> payments explain 100244 --jq '.actions[0].command'",
  ];
  static override args = paymentArgs;
  static override flags = {
    'as-reply': boolean({
      summary: 'A short text for the customer, without anything that is not for them.',
      exclusive: ['csv', 'columns'],
    }),
    ...listFlagsFor(triageList),
  };

  async run(): Promise<unknown> {
    const { args, flags } = await this.parse(PaymentsExplain);
    const names = namesIn(args);
    const { client, profile } = await this.session();
    const explained = await explainAll(client, names, this.records(profile), this.explainOptions(profile));
    const [first] = explained;
    if (first && names.length === 1 && 'error' in first) throw first.error;
    const ending = endingOf(explained, 'explained');
    if (ending) this.endAs(ending);
    const asReply = flags['as-reply'];
    const asTable = flags.csv || flags.columns !== undefined || names.length > 1;
    if (asReply) this.show(explained, replyView);
    else if (asTable) await this.showList(explained, triageList);
    else if (first && 'explanation' in first) this.show(first.explanation, explanationView);
    const json = explained.map(asReply ? replyJson : explainedJson);
    return json.length === 1 ? json[0] : json;
  }
}
