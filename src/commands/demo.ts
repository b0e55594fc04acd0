import { commandText, paydesk } from '../next-command.js';
import { BaseCommand } from '../cli/runtime/base-command.js';
import { runWithin } from '../demo/run-within.js';
import { prepareTour } from '../demo/tour.js';
import { ServiceError } from '../errors.js';
import { commandLines } from '../output/fit.js';
import { joinPieces, type Line, toned } from '../output/lines.js';
import { pad } from '../output/text.js';

interface TourResult {
  steps: Array<{ command: string; exit: number; output: string; webhooks: string[] }>;
}

export default class Demo extends BaseCommand {
  static override summary = 'Take a short tour on a temporary sandbox.';
  static override examples = ['<%= config.bin %> demo', '<%= config.bin %> demo --json'];

  async run(): Promise<TourResult> {
    await this.parse(Demo);
    const { signal } = this;
    const { colour, width } = this.streams.stdout;
    this.note('paydesk demo: a temporary sandbox, in memory.', '');
    const tour = await prepareTour(this.streams.env);
    this.atEnd(() => tour.close());
    const result: TourResult = { steps: [] };
    for (const { title, words } of tour.steps) {
      signal.throwIfAborted();
      const command = commandText(paydesk(...words));
      this.print(toned('dim', title), ...commandLines(`$ ${command}`, width));
      const { output, exit } = await runWithin(this.config, words, {
        env: tour.env,
        colour,
        width,
      });
      // The command has made it safe to print; its colours are kept.
      this.printExact(`${output.trimEnd()}\n`);
      const webhooks = await tour.newWebhooks();
      if (webhooks.length > 0) this.print(toned('dim', `Webhooks the shop received: ${webhooks.join(', ')}`));
      this.print('');
      result.steps.push({ command, exit, output, webhooks });
      if (exit !== 0)
        throw new ServiceError(`The tour stopped: ${command} exited with ${exit}.`, { code: 'tour-stopped' });
    }
    this.print('The demo sandbox is gone. To continue with your own:', ...next);
    return result;
  }
}

const next: Line[] = [
  { command: paydesk('sandbox', 'start'), text: 'start a sandbox on this machine' },
  { command: paydesk('payments', 'create'), text: 'create a payment' },
  { command: paydesk('sandbox', 'seed'), text: 'add sample payments' },
  { command: paydesk('--help'), text: 'see everything else' },
].map(({ command, text }) => joinPieces('  ', pad(commandText(command), 25), toned('dim', text)));
