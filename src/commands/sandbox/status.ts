import type { JsonObject } from '../../contract/json.js';
import { othersNote, statusView } from '../../output/views/sandbox.js';
import { SandboxCommand } from '../../cli/sandbox-command.js';

export default class SandboxStatus extends SandboxCommand {
  static override summary = 'Show the running sandbox and what it contains.';
  static override examples = [
    '<%= config.bin %> sandbox status',
    '<%= config.bin %> sandbox status --port 4010 --json',
  ];

  async run(): Promise<JsonObject> {
    const { flags } = await this.parse(SandboxStatus);
    const sandbox = await this.sandbox(flags);
    const { consoleUrl, startedTime } = sandbox.run;
    const status = { ...(await sandbox.status()), consoleUrl, startedTime };
    this.note(...othersNote(sandbox.run, await this.running(undefined)));
    return this.show(status, statusView);
  }
}
