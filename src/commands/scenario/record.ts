import { BaseCommand } from '../../cli/runtime/base-command.js';
import { namesIn, paymentArgs } from '../../cli/flags/payment-args.js';
import { recordScenario } from '../../cli/record-scenario.js';

export default class ScenarioRecord extends BaseCommand {
  static override summary = 'Print a scenario that repeats what happened to payments.';
  static override description =
    'It is made from what the sandbox, the ledger and the webhook inbox know. Running it takes payments of the same ' +
    'amounts to the same end. On another service than a sandbox, the way there may be shorter.';
  static override examples = [
    '<%= config.bin %> scenario record inv-2041 > inv-2041.yaml',
    '<%= config.bin %> scenario record inv-2041 inv-2042 > paid-twice.yaml',
  ];
  static override args = paymentArgs;

  async run(): Promise<{ text: string }> {
    const { args } = await this.parse(ScenarioRecord);
    const text = await recordScenario(this.context, namesIn(args));
    this.printExact(text);
    return { text };
  }
}
