import { BaseCommand } from '../../cli/runtime/base-command.js';
import type { JsonObject } from '../../contract/json.js';
import { othersNote, statusView } from '../../output/views/sandbox.js';
import { openSandbox, runningSandboxes, sandboxFlags } from '../../cli/desk/sandbox.js';

export default class SandboxStatus extends BaseCommand {
  static override summary = 'Show the running sandbox and what it contains.';
  static override examples = [
    '<%= config.bin %> sandbox status',
    '<%= config.bin %> sandbox status --port 4010 --json',
  ];
  static override flags = sandboxFlags;

  async run(): Promise<JsonObject> {
    const { flags } = await this.parse(SandboxStatus);
    const sandbox = await openSandbox(this.context, flags);
    const { consoleUrl, startedTime } = sandbox.run;
    const status = { ...(await sandbox.status()), consoleUrl, startedTime };
    this.note(...othersNote(sandbox.run, await runningSandboxes(this.context)));
    return this.show(status, statusView);
  }
}
