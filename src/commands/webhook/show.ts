import { custom } from '@oclif/core/args';
import { InboxCommand } from '../../cli/inbox-command.js';
import { parseNumericId } from '../../typed-values.js';
import { requestJson, webhookRequest } from '../../output/views/webhook-request.js';

export default class WebhookShow extends InboxCommand {
  static override summary = 'Show a kept webhook in full: the request, what the service said, every forward.';
  static override description =
    'The secret of the listener is taken out of what is shown. A body that is no text is shown as bytes, and given in ' +
    'base64 with --json.';
  static override examples = [
    '<%= config.bin %> webhook show 14',
    '<%= config.bin %> webhook show 14 --json',
  ];
  static override args = {
    id: custom<number>({ parse: async (text) => parseNumericId(text) })({
      required: true,
      description: 'As webhook events shows it.',
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
