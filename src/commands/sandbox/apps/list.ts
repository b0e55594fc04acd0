import { BaseCommand } from '../../../cli/runtime/base-command.js';
import { listFlagsFor } from '../../../cli/flags/flags.js';
import { appCards, appList } from '../../../output/views/sandbox-apps.js';
import type { SandboxApp } from '../../../sandbox/index.js';
import { openSandbox, sandboxFlags } from '../../../cli/desk/sandbox.js';

export default class SandboxAppsList extends BaseCommand {
  static override summary = 'List the apps of the sandbox and their settings.';
  static override examples = [
    '<%= config.bin %> sandbox apps list',
    '<%= config.bin %> sandbox apps list --columns app,key',
  ];
  static override flags = { ...sandboxFlags, ...listFlagsFor(appList) };

  async run(): Promise<readonly SandboxApp[]> {
    const { flags } = await this.parse(SandboxAppsList);
    const sandbox = await openSandbox(this.context, flags);
    const apps = await sandbox.apps();
    const isTable = !this.streams.stdout.terminal || flags.columns !== undefined || flags.csv;
    return isTable ? this.showList(apps, appList) : this.show(apps, appCards);
  }
}
