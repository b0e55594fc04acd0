import { custom } from '@oclif/core/args';
import { BaseCommand } from '../../cli/runtime/base-command.js';
import { openInbox } from '../../cli/desk/inbox.js';
import { openSession } from '../../cli/desk/session.js';
import { sendFlags, targetFlag, withSendFlags } from '../../cli/flags/listen-flags.js';
import { parsePayment, readNamed, type NamedPayment } from '../../payments/named-payments.js';
import { storeMadeWebhook, madeMarks, replayTo } from '../../webhooks/forwarding/replay.js';
import { endingOfReplays } from '../../webhooks/forwarding/replay-all.js';
import { createSender } from '../../webhooks/forwarding/sender.js';
import { replayedJson, replayList, targetNote } from '../../output/views/webhook-replay.js';

export default class WebhookSend extends BaseCommand {
  static override summary = 'Send a handler the current webhook of a payment.';
  static override description =
    'Reads the payment and changes nothing. The webhook has the header Paydesk-Synthetic, and is saved ' +
    'in the inbox as made by this desk.';
  static override examples = [
    '<%= config.bin %> webhook send inv-2041 --to localhost:3000/hooks',
    '<%= config.bin %> webhook send 100231 --to https://staging.shop.example/hooks --header X-Env:test --json',
  ];
  static override args = {
    payment: custom<NamedPayment>({ parse: async (text) => parsePayment(text) })({
      required: true,
      description: 'Payment ID or reference (id: or ref: in front decides).',
    }),
  };
  static override flags = {
    to: targetFlag({ required: true, summary: 'Where to send it.' }),
    ...sendFlags,
  };

  async run(): Promise<ReturnType<typeof replayedJson>> {
    const { args, flags } = await this.parse(WebhookSend);
    const { client } = await openSession(this.context);
    const read = await readNamed(client, args.payment);
    const { app, inbox, database, profile } = await openInbox(this.context);
    const sender = createSender(Date.now);
    this.atEnd(() => sender.close());
    this.sent.assumeSome();
    const target = withSendFlags(flags.to, flags);
    this.note(...targetNote(profile.kind, target.url));
    const desk = { store: database.store, inbox, app, sender, now: Date.now };
    const sent = await replayTo(desk, await storeMadeWebhook(desk, client, read), target, madeMarks);
    await this.showList([sent], replayList);
    const ending = endingOfReplays([sent]);
    if (ending) this.endAs(ending);
    return replayedJson(sent);
  }
}
