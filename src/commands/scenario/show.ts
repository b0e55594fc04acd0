import { string as argument } from '@oclif/core/args';
import { BaseCommand } from '../../cli/runtime/base-command.js';
import { findScenarios } from '../../scenarios/find.js';

export default class ScenarioShow extends BaseCommand {
  static override summary = 'Print a scenario that ships with paydesk.';
  static override description = 'Save it to a file and change it to make one of your own.';
  static override examples = [
    '<%= config.bin %> scenario show refund-lost-answer',
    '<%= config.bin %> scenario show refund-lost-answer > mine.yaml',
  ];
  static override args = {
    name: argument({ required: true, ignoreStdin: true, description: 'Name, as shown by scenario list.' }),
  };

  async run(): Promise<{ name: string; text: string }> {
    const { args } = await this.parse(ScenarioShow);
    const [found] = findScenarios([args.name], this.program.scenarios);
    const text = found?.text ?? '';
    this.printExact(text);
    return { name: args.name, text };
  }
}
