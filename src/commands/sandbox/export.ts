import { string } from '@oclif/core/args';
import { parseJson } from '../../contract/json.js';
import { exportedView } from '../../output/views/sandbox.js';
import { writePrivateFile } from '../../sandbox-control/documents.js';
import { SandboxCommand } from '../../cli/sandbox-command.js';

export default class SandboxExport extends SandboxCommand {
  static override summary = 'Write everything that is in the sandbox as one JSON document.';
  static override description =
    'It holds the keys of the apps: a file is written for its owner alone, whole or not at all.';
  static override examples = [
    '<%= config.bin %> sandbox export before-the-test.json',
    '<%= config.bin %> sandbox export | gzip > sandbox.json.gz',
  ];
  static override args = {
    file: string({ default: '-', description: 'Where to write it; - is stdout (default).' }),
  };

  async run(): Promise<unknown> {
    const { args, flags } = await this.parse(SandboxExport);
    const sandbox = await this.sandbox(flags);
    const document = await sandbox.export();
    if (args.file !== '-') return this.show(await writePrivateFile(args.file, document), exportedView);
    if (this.json) return parseJson(document);
    return this.streams.write(document);
  }
}
