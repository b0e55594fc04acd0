import { BaseCommand } from '../../../cli/runtime/base-command.js';
import { option as choice } from '@oclif/core/args';
import { boolean, custom, string } from '@oclif/core/flags';
import { countFlag } from '../../../cli/flags/flags.js';
import { kindLines, faultView } from '../../../output/views/sandbox-lists.js';
import { faultKindNames, faultKinds } from '../../../sandbox/index.js';
import type { Fault } from '../../../sandbox/index.js';
import { parseDelay, parseProbability, parseErrorStatus } from '../../../cli/flags/sandbox-flags.js';
import { openSandbox, sandboxFlags } from '../../../cli/desk/sandbox.js';

const delayFlag = custom<number>({ helpValue: 'DURATION', parse: async (text) => parseDelay(text) });

export default class SandboxFaultAdd extends BaseCommand {
  static override summary = 'Make the sandbox fail on purpose.';
  static override description = `Kinds of fault:\n${kindLines(faultKinds)}`;
  static override examples = [
    '<%= config.bin %> sandbox fault add drop-after-commit --route refund --next 1',
    '<%= config.bin %> sandbox fault add error-before-commit --probability 0.2 --status 503',
    '<%= config.bin %> sandbox fault add latency --route get --delay 3s',
    '<%= config.bin %> sandbox fault add webhook-duplicate --route Captured',
  ];
  static override args = {
    kind: choice({ options: faultKindNames })({ required: true, description: 'Kind of fault.' }),
  };
  static override flags = {
    ...sandboxFlags,
    route: string({
      helpValue: 'NAME',
      summary:
        'Where it happens: create, charge, get, capture, cancel, refund, unhold, recheck or an endpoint; ' +
        'authorize, capture, refund or void for provider faults; a state for webhook faults (default: ' +
        'everywhere).',
    }),
    next: countFlag({ exclusive: ['probability'], summary: 'Affect only the next N matching calls.' }),
    probability: custom<number>({ parse: async (text) => parseProbability(text) })({
      helpValue: '0.2',
      summary: 'Affect this share of the matching calls; the seed decides which.',
    }),
    status: custom<number>({ parse: async (text) => parseErrorStatus(text) })({
      helpValue: '503',
      summary: 'HTTP status of the error.',
    }),
    delay: delayFlag({ summary: 'Length of the delay (default: 1s for latency, 60s for webhook-delay).' }),
    'retry-after': delayFlag({ summary: 'Retry-After of a rate limit, in whole seconds; 0 sends none.' }),
    'after-commit': boolean({ summary: 'Delay the answer instead of the request.' }),
  };

  async run(): Promise<Fault> {
    const { args, flags } = await this.parse(SandboxFaultAdd);
    const sandbox = await openSandbox(this.context, flags);
    const retryAfter = flags['retry-after'];
    const fault = await sandbox.addFault({
      kind: args.kind,
      route: flags.route,
      next: flags.next,
      probability: flags.probability,
      status: flags.status,
      delayMs: flags.delay,
      retryAfterS: retryAfter === undefined ? undefined : Math.ceil(retryAfter / 1000),
      afterCommit: flags['after-commit'] || undefined,
    });
    return this.show(fault, faultView);
  }
}
