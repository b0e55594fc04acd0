import { boolean, string } from '@oclif/core/flags';
import { countFlag } from '../../cli/flags/flags.js';
import {
  ackFlag,
  chaosFlags,
  countFromZeroFlag,
  filterFlags,
  filterOf,
  listenFlags,
  listenPort,
  targetsOf,
} from '../../cli/flags/listen-flags.js';
import { BaseCommand } from '../../cli/runtime/base-command.js';
import { listen, listenTunnel } from '../../cli/listening/listen.js';
import { confirmFlag } from '../../cli/flags/payment-flags.js';
import { openSession } from '../../cli/desk/session.js';
import { UsageError } from '../../errors.js';
import { targetState } from '../../payments/follow-payment.js';
import { createWebhookExpectation } from '../../webhooks/expectation.js';
import type { Filter } from '../../webhooks/forwarding/targets.js';

function refuseNeverMet(until: string | undefined, { states }: Filter): void {
  if (until === undefined || states.length === 0 || states.includes(until)) return;
  throw new UsageError(`--until ${until} is never met: --state leaves its webhooks out.`, {
    code: 'usage',
    details: [{ input: '--state', problem: `leave it out, or add --state ${until}` }],
  });
}

export default class WebhookListen extends BaseCommand {
  static override summary = 'Receive webhooks on this machine and forward them.';
  static override description = [
    'paydesk saves each webhook, reads the payment from the service, and shows what changed since the last read. It runs ' +
      'until --until or --count is met, or until you stop it with q or Ctrl-C. If you stop it before --until or --count ' +
      'is met, the exit code is 130.',
    'A --forward-to address can be followed by settings, in the same quotes: state=A,B payment=P path=/prefix ' +
      'header=Name:value skip-verify.',
    'With --json it prints JSON lines: one document when it is ready, and one per webhook.',
  ].join('\n\n');
  static override examples = [
    '<%= config.bin %> webhook listen --forward-to localhost:3000/hooks',
    '<%= config.bin %> webhook listen --tunnel ssh:me@server.example',
    "<%= config.bin %> webhook listen --forward-to 'localhost:3000/refunds state=Refunding,Refunded' --forward-to localhost:3000/all",
    '<%= config.bin %> webhook listen --until Captured --count 2 --timeout 60s --max-duplicates 0 --json',
    '<%= config.bin %> webhook listen --forward-to localhost:3000/hooks --chaos duplicate,reorder --chaos-seed 7',
  ];
  static override flags = {
    confirm: confirmFlag,
    ...listenFlags,
    ...filterFlags,
    ack: ackFlag,
    until: string({ helpValue: 'STATE', summary: 'Stop when the service shows this state.' }),
    count: countFlag({ summary: 'Number of payments with --until, otherwise of webhooks.' }),
    'max-duplicates': countFromZeroFlag({ summary: 'Exit with 3 if more duplicates arrive.' }),
    ...chaosFlags,
    inspect: boolean({ summary: 'Show each request in full instead of the live table.' }),
  };

  protected override get printsJsonLines(): boolean {
    return true;
  }

  async run(): Promise<void> {
    const { flags } = await this.parse(WebhookListen);
    const session = await openSession(this.context, { showsWaiting: false });
    const { client } = session;
    const filter = filterOf(client, flags);
    const targets = targetsOf(client, flags);
    const until = flags.until === undefined ? undefined : targetState(client, flags.until);
    refuseNeverMet(until, filter);
    const { count, 'max-duplicates': maxDuplicates, port, ack, inspect } = flags;
    const nameOf = (said: string) => client.canonicalState(said) ?? said;
    const tunnel = await listenTunnel(this.context, session, flags);
    // What it forwards goes to targets: at the service it changes nothing.
    this.onlyReads();
    await listen(this.context, session, {
      tunnel,
      targets,
      filter,
      ...listenPort(port),
      ack,
      chaos: { kinds: flags.chaos, seed: flags['chaos-seed'] },
      expectation: createWebhookExpectation({ until, count, maxDuplicates, filter, nameOf }),
      inspect,
    });
  }
}
