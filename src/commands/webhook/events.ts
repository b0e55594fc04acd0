import { boolean, string } from '@oclif/core/flags';
import { countFlag, listFlagsFor, sinceFlag } from '../../cli/flags.js';
import { InboxCommand } from '../../cli/inbox-command.js';
import { systemClock } from '../../client/clock.js';
import { type DeliveryFilter, matches } from '../../webhooks/inbox/inbox.js';
import { followInbox } from '../../webhooks/inbox/live-deliveries.js';
import { deliveryLine, keptJson, webhookList } from '../../output/views/webhook.js';

const USUAL = 50;

export default class WebhookEvents extends InboxCommand {
  static override summary = 'Webhooks that were kept, the newest first.';
  static override description =
    'From the inbox of this machine, or from the one that a team shares (PAYDESK_DATABASE). Nothing is asked of the ' +
    'service. With --follow, further ones are shown as they come, whoever receives them, until Ctrl-C or SIGTERM.';
  static override examples = [
    '<%= config.bin %> webhook events',
    '<%= config.bin %> webhook events --payment inv-2041 --json',
    '<%= config.bin %> webhook events --failed --since 24h',
    '<%= config.bin %> webhook events --follow',
  ];
  static override flags = {
    ...listFlagsFor(webhookList),
    payment: string({ helpValue: 'PAYMENT', summary: 'Of this paymentId or referenceId.' }),
    state: string({ helpValue: 'STATE', summary: 'When the service showed this state.' }),
    since: sinceFlag({ summary: 'Not older than this.' }),
    failed: boolean({ summary: 'That a target did not take.' }),
    limit: countFlag({ summary: `How many at the most (default ${USUAL}).`, exclusive: ['all'] }),
    all: boolean({ summary: 'Everything, however much.' }),
    follow: boolean({
      summary: 'Go on with those that come.',
      exclusive: ['all', 'csv', 'columns', 'failed'],
    }),
  };

  async run(): Promise<unknown> {
    const { flags } = await this.parse(WebhookEvents);
    const { inbox, place } = await this.openInbox();
    const filter: DeliveryFilter = {
      payment: flags.payment?.replace(/^(id|ref):/, ''),
      state: flags.state,
      since: flags.since?.getTime(),
      failed: flags.failed,
    };
    const limit = flags.all ? Infinity : (flags.limit ?? USUAL);
    if (flags.follow) {
      const from = await inbox.newestId(place);
      const { terminal, width } = this.streams.stdout;
      const deliveries = followInbox(inbox, place, { from, clock: systemClock, signal: this.signal });
      for await (const delivery of deliveries) {
        if (!matches(filter, delivery)) continue;
        await this.emit(keptJson(delivery));
        this.print(deliveryLine(delivery, { terminal, width, now: this.now() }));
      }
      throw this.signal.reason;
    }
    let more = false;
    const found = inbox.list(place, filter, { limit, more: () => void (more = true) });
    if (this.json) return Array.fromAsync(found, keptJson);
    await this.showStream(found, webhookList);
    if (more) this.note('… more: --all shows everything, --limit N the newest N.');
    return undefined;
  }
}
