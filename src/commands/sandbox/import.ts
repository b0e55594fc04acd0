import { BaseCommand } from '../../cli/runtime/base-command.js';
import { string } from '@oclif/core/args';
import { importedView, profileNotes, type ImportedSandbox } from '../../output/views/sandbox.js';
import { renewSandboxProfiles } from '../../profiles/sandbox-profiles.js';
import { openProfiles } from '../../profiles/store.js';
import { readDocument } from '../../cli/files/document.js';
import { openSandbox, sandboxFlags } from '../../cli/desk/sandbox.js';

export default class SandboxImport extends BaseCommand {
  static override summary = 'Replace the contents of the sandbox with an export.';
  static override description =
    'If the file is invalid, nothing changes. The profiles local and local-live follow to the imported apps. ' +
    'The imported payments get new checkout links.';
  static override examples = [
    '<%= config.bin %> sandbox import before-the-test.json',
    'gunzip -c sandbox.json.gz | <%= config.bin %> sandbox import -',
  ];
  static override args = {
    file: string({ required: true, description: 'File from sandbox export, or - for stdin.' }),
  };
  static override flags = sandboxFlags;

  async run(): Promise<ImportedSandbox> {
    const { args, flags } = await this.parse(SandboxImport);
    const document = await readDocument(args.file, this.streams.stdin);
    const sandbox = await openSandbox(this.context, flags);
    await sandbox.import(document);
    const { payments, customers } = await sandbox.status();
    const apps = await sandbox.apps();
    const profiles = await renewSandboxProfiles(openProfiles(this.streams.env), {
      url: sandbox.run.url,
      apps,
    });
    this.note(...profileNotes(profiles));
    return this.show({ imported: true, payments, customers, profiles }, importedView);
  }
}
