import { BaseCommand } from '../../../cli/runtime/base-command.js';
import { string } from '@oclif/core/args';
import { boolean, custom } from '@oclif/core/flags';
import { numericIdFlag, urlFlag } from '../../../cli/flags/flags.js';
import { parseDuration } from '../../../typed-values.js';
import { appCard, webhookNotes } from '../../../output/views/sandbox-apps.js';
import type { SandboxApp } from '../../../sandbox/index.js';
import { appChange } from '../../../sandbox-control/app-change.js';
import { parseDelay } from '../../../cli/flags/sandbox-flags.js';
import { openSandbox, sandboxFlags } from '../../../cli/desk/sandbox.js';

const dependsOn = ['provider-profile'];

export default class SandboxAppsSet extends BaseCommand {
  static override summary = 'Change the settings of an app of the sandbox.';
  static override examples = [
    '<%= config.bin %> sandbox apps set app_2f45522583c8 --webhook-url http://127.0.0.1:3000/hooks',
    '<%= config.bin %> sandbox apps set app_2f45522583c8 --blocked',
    '<%= config.bin %> sandbox apps set app_2f45522583c8 --provider-profile 1 --window 2d --answer-delay 30s',
  ];
  static override args = {
    app: string({ required: true, description: 'App ID, as shown by sandbox apps list.' }),
  };
  static override flags = {
    ...sandboxFlags,
    'webhook-url': urlFlag({ summary: 'Where to send webhooks, unless the payment has its own address.' }),
    'no-webhook': boolean({ exclusive: ['webhook-url'], summary: 'Send no webhooks by default.' }),
    blocked: boolean({ allowNo: true, summary: 'Refuse all requests of this app.' }),
    'fraud-policy': numericIdFlag({ summary: 'Default fraud policy.' }),
    'no-fraud-policy': boolean({ exclusive: ['fraud-policy'], summary: 'Use no fraud policy by default.' }),
    'provider-profile': numericIdFlag({ summary: 'Provider profile that the flags below change.' }),
    active: boolean({ allowNo: true, dependsOn, summary: 'Whether that profile accepts payments.' }),
    window: custom<number>({ parse: async (text) => parseDuration(text) })({
      helpValue: 'DURATION',
      dependsOn,
      summary: 'How long an authorisation of that profile lasts.',
    }),
    'answer-delay': custom<number>({ parse: async (text) => parseDelay(text) })({
      helpValue: 'DURATION',
      dependsOn,
      summary: 'How long that provider takes to answer; 0 means at once.',
    }),
  };

  async run(): Promise<SandboxApp> {
    const { args, flags } = await this.parse(SandboxAppsSet);
    const change = appChange(flags);
    const sandbox = await openSandbox(this.context, flags);
    const app = await sandbox.changeApp(args.app, change);
    if (change.webhookUrl) {
      const { webhookHosts } = await sandbox.status();
      this.note(...webhookNotes(change.webhookUrl, webhookHosts));
    }
    return this.show(app, appCard);
  }
}
