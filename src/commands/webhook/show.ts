import { custom } from '@oclif/core/args';
import { InboxCommand } from '../../cli/inbox-command.js';
import { parseNumericId } from '../../typed-values.js';
import { requestJson, webhookRequest } from '../../output/views/webhook-request.js';

export default class WebhookShow extends InboxCommand {
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

  async run(): Promise<unknown> {
    const { args } = await this.parse(WebhookShow);
    const opened = await this.openInbox();
    const shown = { ...(await this.findDelivery(opened, args.id)), secret: opened.secret };
    this.show(shown, webhookRequest);
    return requestJson(shown);
  }
}
