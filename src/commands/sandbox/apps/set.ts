import { string } from '@oclif/core/args';
import { boolean, custom } from '@oclif/core/flags';
import { numericIdFlag, urlFlag } from '../../../cli/flags.js';
import { parseDuration } from '../../../typed-values.js';
import { appCard } from '../../../output/views/sandbox-apps.js';
import type { SandboxApp } from '../../../sandbox/index.js';
import { appChange } from '../../../sandbox-control/app-change.js';
import { parseDelay } from '../../../cli/sandbox-flags.js';
import { SandboxCommand } from '../../../cli/sandbox-command.js';

const dependsOn = ['provider-profile'];

export default class SandboxAppsSet extends SandboxCommand {
  static override summary =
    'Change an app of the sandbox: its webhook, its fraud policy, its provider profiles.';
  static override examples = [
    '<%= config.bin %> sandbox apps set app_2f45522583c8 --webhook-url http://127.0.0.1:3000/hooks',
    '<%= config.bin %> sandbox apps set app_2f45522583c8 --blocked',
    '<%= config.bin %> sandbox apps set app_2f45522583c8 --provider-profile 1 --window 2d --answer-delay 30s',
  ];
  static override args = {
    app: string({ required: true, description: 'Its App ID, as sandbox apps lists it.' }),
  };
  static override flags = {
    'webhook-url': urlFlag({ summary: 'Where webhooks go when a payment names no other place.' }),
    'no-webhook': boolean({ exclusive: ['webhook-url'], summary: 'Send no webhooks by default.' }),
    blocked: boolean({ allowNo: true, summary: 'Whether all of its requests are refused.' }),
    'fraud-policy': numericIdFlag({ summary: 'The policy of payments that name no other.' }),
    'no-fraud-policy': boolean({ exclusive: ['fraud-policy'], summary: 'No policy by default.' }),
    'provider-profile': numericIdFlag({ summary: 'Which provider profile the following flags change.' }),
    active: boolean({ allowNo: true, dependsOn, summary: 'Whether that profile takes payments.' }),
    window: custom<number>({ parse: async (text) => parseDuration(text) })({
      helpValue: 'DURATION',
      dependsOn,
      summary: 'How long an authorisation of that profile lasts.',
    }),
    'answer-delay': custom<number>({ parse: async (text) => parseDelay(text) })({
      helpValue: 'DURATION',
      dependsOn,
      summary: 'How long that provider takes to answer; 0 for at once.',
    }),
  };

  async run(): Promise<SandboxApp> {
    const { args, flags } = await this.parse(SandboxAppsSet);
    const change = appChange(flags);
    const sandbox = await this.sandbox(flags);
    return this.show(await sandbox.changeApp(args.app, change), appCard);
  }
}
