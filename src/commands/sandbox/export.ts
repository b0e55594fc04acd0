import { BaseCommand } from '../../cli/runtime/base-command.js';
import { string } from '@oclif/core/args';
import { type JsonValue, parseJson } from '../../contract/json.js';
import { exportedView } from '../../output/views/sandbox.js';
import { namesStdout, writeOutputFile } from '../../output/file.js';
import { openSandbox, sandboxFlags } from '../../cli/desk/sandbox.js';

export default class SandboxExport extends BaseCommand {
  static override summary = 'Export the contents of the sandbox as JSON.';
  static override description = 'The export contains the keys of the apps, so only you can read the file.';
  static override examples = [
    '<%= config.bin %> sandbox export before-the-test.json',
    '<%= config.bin %> sandbox export | gzip > sandbox.json.gz',
  ];
  static override args = {
    file: string({ default: '-', description: 'File to write, or - for stdout (default).' }),
  };
  static override flags = sandboxFlags;

  async run(): Promise<JsonValue | Awaited<ReturnType<typeof writeOutputFile>> | undefined> {
    const { args, flags } = await this.parse(SandboxExport);
    const sandbox = await openSandbox(this.context, flags);
    const document = await sandbox.export();
    if (!namesStdout(args.file)) {
      return this.show(await writeOutputFile(args.file, [document], { signal: this.signal }), exportedView);
    }
    if (this.json) return parseJson(document);
    this.streams.write(document);
    return undefined;
  }
}
