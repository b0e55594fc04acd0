import { boolean, string } from '@oclif/core/flags';
import { countFlag } from '../../cli/flags.js';
import {
  ackFlag,
  chaosFlags,
  countFromZeroFlag,
  filterFlags,
  filterOf,
  listenFlags,
  targetsOf,
} from '../../cli/listen-flags.js';
import { ListeningCommand } from '../../cli/listening-command.js';
import { targetState } from '../../payments/follow-payment.js';
import { createExpectation } from '../../webhooks/expectation.js';

export default class WebhookListen extends ListeningCommand {
  static override summary = 'Receive webhooks on this machine, look each payment up, and pass them on.';
  static override description = [
    'Each webhook is kept before it is answered. Then the payment is read from the service: what is shown is the state ' +
      'that the service itself gives, and what changed since the last read.',
    'After the address of --forward-to settings may follow, within the same quotes: state=A,B payment=P path=/prefix ' +
      '(what came after the address of the listener) header=Name:value skip-verify. A target that does not answer 2xx ' +
      'is tried three times more, within 5 s. What could not be passed on when it stopped is passed on when it listens ' +
      'again with the same target.',
    'For jobs: --until and --count end it with 0 when they are met, with 8 when nothing came in time, with 3 when a ' +
      'webhook came and the service says another state, with 1 when a target did not take one. --until counts payments, ' +
      '--count alone webhooks that are no duplicates.',
    'Otherwise it runs until it is stopped: with q or SIGTERM (exit code 0), or with Ctrl-C (130).',
  ].join('\n\n');
  static override examples = [
    '<%= config.bin %> webhook listen --forward-to localhost:3000/hooks',
    '<%= config.bin %> webhook listen --tunnel ssh:me@server.example',
    "<%= config.bin %> webhook listen --forward-to 'localhost:3000/refunds state=Refunding,Refunded' --forward-to localhost:3000/all",
    '<%= config.bin %> webhook listen --until Captured --count 2 --timeout 60s --max-duplicates 0 --json',
    '<%= config.bin %> webhook listen --forward-to localhost:3000/hooks --chaos duplicate,reorder --chaos-seed 7',
  ];
  static override flags = {
    ...listenFlags,
    ...filterFlags,
    ack: ackFlag,
    until: string({ helpValue: 'STATE', summary: 'End when the service shows this state.' }),
    count: countFlag({ summary: 'How many: of payments with --until, else of webhooks.' }),
    'max-duplicates': countFromZeroFlag({ summary: 'End with 3 when more duplicates come.' }),
    ...chaosFlags,
    inspect: boolean({ summary: 'Show each request in full, under its line; no live table.' }),
  };

  async run(): Promise<void> {
    const { flags } = await this.parse(WebhookListen);
    const session = await this.session();
    const { client } = session;
    const filter = filterOf(client, flags);
    const targets = targetsOf(client, flags);
    const until = flags.until === undefined ? undefined : targetState(client, flags.until);
    const { count, 'max-duplicates': maxDuplicates, port, ack, inspect } = flags;
    const nameOf = (said: string) => client.canonicalState(said) ?? said;
    await this.listen(session, {
      tunnel: await this.chooseWay(session, flags),
      targets,
      filter,
      port,
      ack,
      chaos: { kinds: flags.chaos, seed: flags['chaos-seed'] },
      expectation: createExpectation({ until, count, maxDuplicates, filter, nameOf }),
      inspect,
    });
  }
}
