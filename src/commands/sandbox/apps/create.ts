import { BaseCommand } from '../../../cli/runtime/base-command.js';
import { custom } from '@oclif/core/args';
import { boolean } from '@oclif/core/flags';
import { parseId } from '../../../typed-values.js';
import { newAppView } from '../../../output/views/sandbox-apps.js';
import type { SandboxApp } from '../../../sandbox/index.js';
import { openSandbox, sandboxFlags } from '../../../cli/desk/sandbox.js';

export default class SandboxAppsCreate extends BaseCommand {
  static override summary = 'Add an app with its own key to the sandbox.';
  static override examples = [
    '<%= config.bin %> sandbox apps create "Second shop"',
    '<%= config.bin %> sandbox apps create "Practice shop" --live',
  ];
  static override args = {
    name: custom({ parse: async (text) => parseId(text) })({
      required: true,
      description: 'Name of the app.',
    }),
  };
  static override flags = {
    ...sandboxFlags,
    live: boolean({ summary: 'Treat it as live, for practice. No real money is used.' }),
  };

  async run(): Promise<SandboxApp> {
    const { args, flags } = await this.parse(SandboxAppsCreate);
    const sandbox = await openSandbox(this.context, flags);
    const app = await sandbox.createApp({ friendlyName: args.name, isSandbox: !flags.live });
    this.show({ app, url: sandbox.run.url }, newAppView);
    return app;
  }
}
