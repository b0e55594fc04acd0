import { custom } from '@oclif/core/args';
import { BaseCommand } from '../../cli/runtime/base-command.js';
import { openInbox } from '../../cli/desk/inbox.js';
import { findDelivery } from '../../webhooks/inbox/inbox.js';
import { parseNumericId } from '../../typed-values.js';
import { requestJson, webhookRequest } from '../../output/views/webhook-request.js';

export default class WebhookShow extends BaseCommand {
  static override summary = 'Show a saved webhook and where it was forwarded.';
  static override description =
    'The secret of the listener is hidden. A binary body is shown as bytes, and as base64 with --json.';
  static override examples = [
    '<%= config.bin %> webhook show 14',
    '<%= config.bin %> webhook show 14 --json',
  ];
  static override args = {
    id: custom<number>({ parse: async (text) => parseNumericId(text) })({
      required: true,
      description: 'ID as shown by webhook events.',
    }),
  };

  async run(): Promise<ReturnType<typeof requestJson>> {
    const { args } = await this.parse(WebhookShow);
    const { inbox, app, secret } = await openInbox(this.context);
    const shown = { ...(await findDelivery(inbox, app, args.id)), secret };
    this.show(shown, webhookRequest);
    return requestJson(shown);
  }
}
