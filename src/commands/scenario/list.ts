import { BaseCommand } from '../../cli/runtime/base-command.js';
import { listFlagsFor } from '../../cli/flags/flags.js';
import { type ListedScenario, scenarioList } from '../../output/views/scenarios.js';
import { listShipped } from '../../scenarios/find.js';

export default class ScenarioList extends BaseCommand {
  static override summary = 'List the scenarios that ship with paydesk.';
  static override examples = ['<%= config.bin %> scenario list', '<%= config.bin %> scenario list --json'];
  static override flags = listFlagsFor(scenarioList);

  async run(): Promise<readonly ListedScenario[]> {
    await this.parse(ScenarioList);
    return this.showList(listShipped(this.program.scenarios), scenarioList);
  }
}
