import { boolean, string } from '@oclif/core/flags';
import { countFlag, listFlagsFor, sinceFlag } from '../../cli/flags/flags.js';
import { BaseCommand } from '../../cli/runtime/base-command.js';
import { statesOf } from '../../cli/desk/session.js';
import { findStates } from '../../support/list.js';
import { openInbox } from '../../cli/desk/inbox.js';
import { systemClock } from '../../client/clock.js';
import type { AppRef } from '../../ledger/payment-ref.js';
import type { Delivery } from '../../webhooks/inbox/delivery.js';
import { type DeliveryFilter, type Inbox, matches } from '../../webhooks/inbox/inbox.js';
import { followInbox } from '../../webhooks/live-deliveries.js';
import { deliveryLine, keptJson, webhookList } from '../../output/views/webhook.js';

const DEFAULT_LIMIT = 50;

export default class WebhookEvents extends BaseCommand {
  static override summary = 'List saved webhooks, newest first.';
  static override description =
    'Reads the inbox of this machine, or the one that your team shares (PAYDESK_DATABASE), and sends ' +
    'nothing. With --follow it shows new webhooks as they arrive at any desk that shares the inbox, until ' +
    'Ctrl-C or SIGTERM, and before them the ones that --since or --limit ask for, oldest first; with --json it then ' +
    'prints JSON lines: one document per webhook.';
  static override examples = [
    '<%= config.bin %> webhook events',
    '<%= config.bin %> webhook events --payment inv-2041 --json',
    '<%= config.bin %> webhook events --failed --since 24h',
    '<%= config.bin %> webhook events --follow',
  ];
  static override flags = {
    ...listFlagsFor(webhookList),
    payment: string({ helpValue: 'PAYMENT', summary: 'Only this payment (ID or reference).' }),
    state: string({ helpValue: 'STATE', summary: 'Only where the service showed this state.' }),
    since: sinceFlag({ summary: 'Only since this time.' }),
    failed: boolean({ summary: 'Only webhooks that a target did not accept.' }),
    limit: countFlag({ summary: `Maximum number to show (default ${DEFAULT_LIMIT}).`, exclusive: ['all'] }),
    all: boolean({ summary: 'Show all.' }),
    follow: boolean({
      summary: 'Keep running and show new ones.',
      exclusive: ['all', 'csv', 'columns', 'failed'],
    }),
  };

  protected override get printsJsonLines(): boolean {
    return this.argv.includes('--follow');
  }

  async run(): Promise<Array<ReturnType<typeof keptJson>> | undefined> {
    const { flags } = await this.parse(WebhookEvents);
    const { inbox, app, database, profile } = await openInbox(this.context);
    const known = { store: database.store, app, client: statesOf(profile) };
    const [state] = flags.state === undefined ? [] : await findStates(known, [flags.state]);
    const filter: DeliveryFilter = {
      payment: flags.payment?.replace(/^(id|ref):/, ''),
      state,
      since: flags.since?.getTime(),
      failed: flags.failed,
    };
    if (flags.follow) return this.#follow(inbox, app, { filter, limit: flags.limit });
    const limit = flags.all ? Infinity : (flags.limit ?? DEFAULT_LIMIT);
    let more = false;
    const found = inbox.list(app, filter, { limit, more: () => void (more = true) });
    if (this.json) return Array.fromAsync(found, keptJson);
    await this.showStream(found, webhookList);
    if (more) this.note('There are more. Show all with --all, or the newest N with --limit N.');
    return undefined;
  }

  async #follow(inbox: Inbox, app: AppRef, { filter, limit }: Earlier): Promise<never> {
    const { terminal, width } = this.streams.stdout;
    const tell = async (delivery: Delivery) => {
      await this.emit(keptJson(delivery));
      this.print(deliveryLine(delivery, { terminal, width, now: this.now() }));
    };
    const isWanted = limit !== undefined || filter.since !== undefined;
    const earlier = isWanted
      ? await Array.fromAsync(inbox.list(app, filter, { limit: limit ?? Infinity }))
      : [];
    const from = earlier[0]?.id ?? (await inbox.newestId(app));
    for (const delivery of earlier.toReversed()) await tell(delivery);
    const deliveries = followInbox(inbox, app, { from, clock: systemClock, signal: this.signal });
    for await (const delivery of deliveries) if (matches(filter, delivery)) await tell(delivery);
    throw this.signal.reason;
  }
}

/** Which of the saved webhooks come before the new ones. */
interface Earlier {
  filter: DeliveryFilter;
  limit: number | undefined;
}
