import { BaseCommand } from '../cli/base-command.js';
import { commandLines } from '../demo/command-text.js';
import { runWithin } from '../demo/run-within.js';
import { prepareTour } from '../demo/tour.js';
import { ServiceError } from '../errors.js';
import { toned } from '../output/lines.js';
import { shellLine } from '../output/shell.js';

interface TourResult {
  steps: Array<{ command: string; exit: number; output: string; webhooks: string[] }>;
}

export default class Demo extends BaseCommand {
  static override summary = 'A tour in a few seconds, on a sandbox of its own. Nothing is left behind.';
  static override examples = ['<%= config.bin %> demo', '<%= config.bin %> demo --json'];

  async run(): Promise<TourResult> {
    await this.parse(Demo);
    const { signal } = this;
    this.note('paydesk demo: a sandbox in memory, in a folder of its own.', '');
    const tour = await prepareTour(this.streams.env);
    this.atEnd(() => tour.close());
    const result: TourResult = { steps: [] };
    for (const { title, words } of tour.steps) {
      signal.throwIfAborted();
      const command = shellLine('paydesk', ...words);
      this.print(toned('dim', title), ...commandLines(words));
      const { output, exit } = await runWithin(this.config, words, {
        env: tour.env,
        colour: this.streams.stdout.colour,
      });
      this.print(...output.trimEnd().split('\n'));
      const webhooks = await tour.newWebhooks();
      if (webhooks.length > 0) this.print(toned('dim', `The shop's webhook heard: ${webhooks.join(', ')}`));
      this.print('');
      result.steps.push({ command, exit, output, webhooks });
      if (exit !== 0)
        throw new ServiceError(`The tour stopped: ${command} ended with ${exit}.`, { code: 'tour-stopped' });
    }
    this.print(
      'Everything above is gone again. To go on with a sandbox that stays:',
      ...next.map((line) => `  ${line}`),
    );
    return result;
  }
}

const next = [
  'paydesk sandbox start                    serve the whole service on this machine',
  'paydesk payments create                  asks for what it needs',
  'paydesk sandbox seed                     a payment in every state, and stuck ones',
  'paydesk --help                           everything else',
];
