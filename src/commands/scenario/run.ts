import { string as argument } from '@oclif/core/args';
import { boolean, custom, string } from '@oclif/core/flags';
import { BaseCommand } from '../../cli/runtime/base-command.js';
import { countFlag, listFlagsFor, pairFlag } from '../../cli/flags/flags.js';
import { createSandboxExports, ownWorlds, profileWorlds } from '../../cli/scenario.js';
import { NotReachedError } from '../../errors.js';
import { commandText, paydesk } from '../../next-command.js';
import { writeOutputFile } from '../../output/file.js';
import { scenarioJunit } from '../../output/views/scenario-junit.js';
import {
  failedText,
  failureView,
  runJson,
  scenarioResults,
  scenarioRunView,
} from '../../output/views/scenarios.js';
import { findScenarios, readScenarios } from '../../scenarios/find.js';
import type { ScenarioResult } from '../../scenarios/run.js';
import { runAll } from '../../scenarios/run-all.js';
import { parseCount } from '../../typed-values.js';

interface RunJson extends ReturnType<typeof runJson> {
  /** With --keep. */
  kept?: string[];
}

export default class ScenarioRun extends BaseCommand {
  static override summary = 'Run scenarios and check what they expect.';
  static override description =
    'Each scenario gets a sandbox of its own in memory, with a stopped clock and a seed, so that every run is the same. ' +
    'With --on it runs on the app of a profile instead, never on a live one. Exits with 3 when a scenario fails, and ' +
    'with 2, before the first step, when a file has a mistake.';
  static override examples = [
    '<%= config.bin %> scenario run refund-lost-answer',
    '<%= config.bin %> scenario run scenarios/ --junit scenarios.xml',
    '<%= config.bin %> scenario run checkout.yaml --set amount=12.50 --seed 7 --json',
    '<%= config.bin %> scenario run checkout.yaml --on local',
  ];
  static override args = {
    scenario: argument({
      required: true,
      multiple: true,
      ignoreStdin: true,
      description: 'File, folder, or name of a scenario that ships with paydesk.',
    }),
  };
  static override flags = {
    parallel: countFlag({ summary: 'Maximum number of scenarios at once (default 4).' }),
    set: pairFlag({ multiple: true, summary: 'Replace a value under set: in the files.' }),
    seed: custom<number>({ helpValue: 'N', parse: async (text) => parseCount(text, 0) })({
      summary: 'Seed in place of the one in the files (default 1).',
    }),
    junit: string({ helpValue: 'FILE', summary: 'Also write the results as JUnit XML.' }),
    keep: boolean({
      exclusive: ['on'],
      summary: 'Keep the sandbox of each scenario as a file for sandbox start --import.',
    }),
    on: string({ helpValue: 'PROFILE', summary: 'Run on the app of this profile.' }),
    ...listFlagsFor(scenarioResults),
  };

  async run(): Promise<RunJson> {
    const { args, flags } = await this.parse(ScenarioRun);
    const set = Object.fromEntries((flags.set ?? []).map(({ key, value }) => [key, value]));
    const texts = findScenarios(args.scenario, this.program.scenarios);
    const scenarios = readScenarios(texts, set);
    if (flags.on !== undefined) this.profileName = flags.on;
    const openWorld =
      flags.on === undefined ? ownWorlds(this.context) : await profileWorlds(this.context, scenarios);
    const kept = flags.keep ? createSandboxExports() : undefined;
    const from = performance.now();
    const results = await runAll(scenarios, {
      parallel: flags.parallel ?? 4,
      seed: flags.seed,
      openWorld,
      ...(kept && { onEnd: kept.write }),
    });
    await this.#show(results, performance.now() - from, flags);
    if (flags.junit !== undefined) {
      await writeOutputFile(flags.junit, [scenarioJunit(results)], { keepMode: true });
    }
    for (const file of kept?.files ?? []) {
      this.note(`Kept: ${commandText(paydesk('sandbox', 'start', '--memory', '--import', file))}`);
    }
    const failed = results.filter(({ failure }) => failure !== undefined).length;
    if (failed > 0) {
      this.endAs(new NotReachedError(failedText(failed, results.length), { code: 'scenario-failed' }));
    }
    return { ...runJson(results), ...(kept && { kept: kept.files }) };
  }

  async #show(
    results: readonly ScenarioResult[],
    ms: number,
    flags: { columns?: string[] | undefined; csv: boolean },
  ): Promise<void> {
    const asRows = flags.csv || flags.columns !== undefined || !this.streams.stdout.terminal;
    if (!asRows) {
      this.show({ results: [...results], ms }, scenarioRunView);
      return;
    }
    await this.showList(results, scenarioResults);
    if (this.json) return;
    const viewContext = { terminal: false, width: 100, now: this.now() };
    for (const result of results) this.note(...failureView(result, viewContext));
  }
}
