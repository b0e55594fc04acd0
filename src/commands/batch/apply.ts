import { string as argument } from '@oclif/core/args';
import { boolean, custom } from '@oclif/core/flags';
import { BatchCommand } from '../../cli/batch-command.js';
import { checkPlan, openPlan } from '../../batch/apply.js';
import { createBatches } from '../../batch/batches.js';
import { dryRun } from '../../batch/dry-run.js';
import { rowsOfChecked } from '../../batch/plan-file.js';
import { findOperator } from '../../ledger/operator.js';
import { countFlag } from '../../cli/flags.js';
import { BadValue, parseAmount, parseCurrency, parsePair } from '../../typed-values.js';
import { applyQuestion, dryRunLines } from '../../output/views/batch-plan.js';
import { moneyFlags } from '../../cli/payment-flags.js';

async function parseLimit(text: string): Promise<{ currency: string; amount: string }> {
  if (!text.includes('=')) throw new BadValue('a currency and a sum, for example EUR=5000');
  const { key, value } = parsePair(text);
  return { currency: parseCurrency(key), amount: await parseAmount(value) };
}

export default class BatchApply extends BatchCommand {
  static override summary = 'Do what a plan says, once.';
  static override description =
    'Every row is recorded before it is sent, and sent once. A payment that changed since the plan is skipped. Ctrl-C ' +
    'stops sending and settles what is in flight; batch resume goes on. Ends with 0 when every row is done, accepted or ' +
    'was done before, 7 when only a part is, 6 when nothing is known to be done and something may be.';
  static override examples = [
    '<%= config.bin %> batch apply plan.json',
    '<%= config.bin %> batch apply plan.json --canary 5 --max-total EUR=5000 --stop-after-failures 10',
    '<%= config.bin %> batch apply plan.json --confirm 7f31c2 --rate 20/s --json',
  ];
  static override args = { plan: argument({ required: true, ignoreStdin: true, description: 'The plan.' }) };
  static override flags = {
    'max-total': custom<{ currency: string; amount: string }>({ helpValue: 'EUR=5000', parse: parseLimit })({
      multiple: true,
      summary: 'Refuse a plan that moves more. With any, a currency without a limit is refused too.',
    }),
    'max-rows': countFlag({ summary: 'Refuse a plan that acts on more rows.' }),
    'dry-run': boolean({ summary: 'Do every read and check, say what would be sent, and send nothing.' }),
    reason: moneyFlags.reason,
    ticket: moneyFlags.ticket,
  };

  async run(): Promise<unknown> {
    const { args, flags } = await this.parse(BatchApply);
    const database = await this.openLedger();
    const batches = createBatches(database.store);
    const { id: ledgerId, planKey } = await batches.identity();
    const header = await openPlan(args.plan, ledgerId);
    const { desk, profile } = await this.openApp(database, header, flags);
    const limits = { maxTotal: flags['max-total'] ?? [], maxRows: flags['max-rows'] };
    const plan = await checkPlan(args.plan, {
      batches,
      planKey,
      owner: this.owner,
      limits,
      signal: this.signal,
    });
    const isDry = flags['dry-run'];
    await this.confirmApp(database, profile, { ...flags, dryRun: isDry }, applyQuestion(plan, flags));
    if (isDry) {
      const { signal } = this;
      const result = await dryRun(desk.client, args.plan, {
        planKey,
        concurrency: flags.concurrency ?? 8,
        signal,
      });
      this.print(...dryRunLines(header.action, result));
      return { dryRun: true, ...result };
    }
    const batch = await batches.create(plan, rowsOfChecked(args.plan, planKey, plan), {
      owner: this.owner,
      operator: findOperator(this.streams.env),
      now: await database.ledger.now(),
      reason: flags.reason,
      ticket: flags.ticket,
    });
    if (!this.json) this.note(`Batch ${batch.id}`);
    return this.work(database, desk, batch, { ...flags, resend: false, settleAccepted: false });
  }
}
