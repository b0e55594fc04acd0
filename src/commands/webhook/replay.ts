import { custom } from '@oclif/core/args';
import { boolean } from '@oclif/core/flags';
import { sinceFlag } from '../../cli/flags/flags.js';
import { BaseCommand } from '../../cli/runtime/base-command.js';
import { openInbox } from '../../cli/desk/inbox.js';
import { openSession } from '../../cli/desk/session.js';
import { sendFlags, targetFlag, withSendFlags } from '../../cli/flags/listen-flags.js';
import { endingOfReplays, replayAll } from '../../webhooks/forwarding/replay-all.js';
import { planReplays } from '../../webhooks/forwarding/replay-plan.js';
import { createSender } from '../../webhooks/forwarding/sender.js';
import {
  elsewhereNote,
  replayedJson,
  replayList,
  stoppedNote,
  targetNote,
} from '../../output/views/webhook-replay.js';
import { parseNumericId } from '../../typed-values.js';

export default class WebhookReplay extends BaseCommand {
  static override summary = 'Send saved webhooks again, byte for byte.';
  static override description =
    'Sends each webhook once to where it went before, or to --to, in the order of arrival, with the ' +
    'header Paydesk-Replay and its ID. With --fresh, paydesk reads the payment first and sends the ' +
    'webhook that the service would send now.';
  static override examples = [
    '<%= config.bin %> webhook replay 14',
    '<%= config.bin %> webhook replay 14 --to localhost:3000/hooks',
    '<%= config.bin %> webhook replay --failed --since 24h',
    '<%= config.bin %> webhook replay 14 --fresh --to localhost:3000/hooks',
  ];
  static override args = {
    id: custom<number>({ parse: async (text) => parseNumericId(text) })({
      multiple: true,
      description: 'IDs as shown by webhook events.',
    }),
  };
  static override flags = {
    to: targetFlag({ summary: 'Send only to this address.' }),
    since: sinceFlag({ summary: 'Replay all since this time.' }),
    failed: boolean({ summary: 'Replay all that a target did not accept, to that target.' }),
    fresh: boolean({ summary: 'Read the payment first and send its current state.' }),
    ...sendFlags,
  };

  async run(): Promise<Array<ReturnType<typeof replayedJson>>> {
    const { args, flags } = await this.parse(WebhookReplay);
    const { app, inbox, database, profile } = await openInbox(this.context);
    const sender = createSender(Date.now);
    this.atEnd(() => sender.close());
    this.sent.assumeSome();
    const { client } = flags.fresh ? await openSession(this.context) : { client: undefined };
    const desk = { store: database.store, inbox, app, sender, now: Date.now };
    const { replays, elsewhere } = await planReplays(desk, {
      ids: args.id ?? [],
      since: flags.since?.getTime(),
      failed: flags.failed,
      fresh: flags.fresh,
      to: flags.to,
      prepare: (target) => withSendFlags(target, flags),
    });
    for (const { forward, count } of elsewhere) this.note(elsewhereNote(forward, count));
    const { results, stopped } = await replayAll(desk, replays, {
      signal: this.signal,
      client,
      onTarget: ({ url }) => this.note(...targetNote(profile.kind, url)),
    });
    await this.showList(results, replayList);
    if (stopped) this.note(stoppedNote(stopped.unsent));
    const ending = stopped?.reason ?? endingOfReplays(results);
    if (ending) this.endAs(ending);
    return results.map(replayedJson);
  }
}
