import { string } from '@oclif/core/args';
import { importedView, type Imported } from '../../output/views/sandbox.js';
import { readDocument } from '../../sandbox-control/documents.js';
import { SandboxCommand } from '../../cli/sandbox-command.js';

export default class SandboxImport extends SandboxCommand {
  static override summary = 'Replace everything that is in the sandbox with what was exported before.';
  static override description = 'All or nothing: a document that cannot be used changes nothing.';
  static override examples = [
    '<%= config.bin %> sandbox import before-the-test.json',
    'gunzip -c sandbox.json.gz | <%= config.bin %> sandbox import -',
  ];
  static override args = {
    file: string({ required: true, description: 'What sandbox export wrote; - reads stdin.' }),
  };

  async run(): Promise<Imported> {
    const { args, flags } = await this.parse(SandboxImport);
    const document = await readDocument(args.file, this.streams.stdin);
    const sandbox = await this.sandbox(flags);
    await sandbox.import(document);
    const { payments, customers } = await sandbox.status();
    return this.show(
      { imported: true, payments: Number(payments), customers: Number(customers) },
      importedView,
    );
  }
}
