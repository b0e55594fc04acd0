import { string as argument } from '@oclif/core/args';
import { boolean } from '@oclif/core/flags';
import { BaseCommand } from '../../cli/runtime/base-command.js';
import {
  batchFlags,
  type BatchRunJson,
  confirmBatch,
  DEFAULT_CONCURRENCY,
  limitFlags,
  openBatchDesk,
  openBatchDatabase,
  refuseIdlePlan,
  workOnBatch,
} from '../../cli/batch.js';
import { createOwner } from '../../store/owner.js';
import { checkPlan, openPlan } from '../../batch/run/check-plan.js';
import { createBatches } from '../../batch/rows/batches.js';
import { dryRun } from '../../batch/run/dry-run.js';
import { createMarkSent } from '../../batch/plan/sent-before.js';
import { rowsOfChecked } from '../../batch/plan/plan-file.js';
import { findOperator } from '../../ledger/operator.js';
import {
  applyQuestion,
  dryRunJson,
  dryRunLines,
  moreToSendLines,
  wouldSendList,
} from '../../output/views/batch-plan.js';
import { moneyFlags } from '../../cli/flags/payment-flags.js';
import { withLedger } from '../../payments/with-ledger.js';

type DryRunJson = ReturnType<typeof dryRunJson>;

export default class BatchApply extends BaseCommand {
  static override summary = 'Send the instructions of a plan, once.';
  static override description =
    'paydesk records each row before it sends it, and sends it once. It skips payments that have changed since the plan ' +
    'was made. Ctrl-C stops sending and waits for the rows in flight; batch resume continues.';
  static override examples = [
    '<%= config.bin %> batch apply plan.json',
    '<%= config.bin %> batch apply plan.json --canary 5 --max-total EUR=5000 --stop-after-failures 10',
    '<%= config.bin %> batch apply plan.json --confirm 7f31c2 --rate 20/s --json',
  ];
  static override args = { plan: argument({ required: true, ignoreStdin: true, description: 'Plan file.' }) };
  static override flags = {
    ...batchFlags,
    ...limitFlags,
    again: boolean({ summary: 'Also send rows again that were sent before and failed.' }),
    'dry-run': boolean({ summary: 'Read and check everything, show what would be sent, and send nothing.' }),
    reason: moneyFlags.reason,
    ticket: moneyFlags.ticket,
  };

  async run(): Promise<BatchRunJson | DryRunJson> {
    const prepared = await withLedger(() => this.#prepare());
    if ('dryRun' in prepared) return prepared.dryRun;
    // From here on, each row says what was sent.
    this.sent.assumeSome();
    const { tools, batch, flags } = prepared;
    return workOnBatch(this.context, tools, batch, { ...flags, resend: false, lookAgain: false });
  }

  /** Everything before the run: nothing is sent. */
  async #prepare() {
    const { args, flags } = await this.parse(BatchApply);
    const database = await openBatchDatabase(this.context);
    const batches = createBatches(database.store);
    const owner = createOwner();
    const { id: ledgerId, planKey } = await batches.identity();
    const header = await openPlan(args.plan, ledgerId, flags);
    const { desk, profile } = await openBatchDesk(this.context, database, header, flags);
    const limits = { maxTotal: flags['max-total'] ?? [], maxRows: flags['max-rows'] };
    const plan = await checkPlan(args.plan, {
      batches,
      planKey,
      owner,
      limits,
      again: flags.again,
      signal: this.signal,
    });
    if (!flags['dry-run']) refuseIdlePlan(this.context, args.plan, plan);
    await confirmBatch(this.context, database, profile, { ...flags, lines: applyQuestion(plan, flags) });
    if (flags['dry-run']) {
      const { signal } = this;
      const result = await dryRun(desk.client, args.plan, {
        planKey,
        action: header.action,
        again: flags.again,
        markSent: createMarkSent(database.store, profile, header.action),
        concurrency: flags.concurrency ?? DEFAULT_CONCURRENCY,
        signal,
      });
      // A pipe gets the rows alone.
      const tell = this.streams.stdout.terminal ? this.print.bind(this) : this.note;
      tell(...dryRunLines(header.action, result));
      if (result.first.length > 0) await this.showList(result.first, wouldSendList);
      tell(...moreToSendLines(result));
      return { dryRun: dryRunJson(result) };
    }
    const batch = await batches.create(plan, rowsOfChecked(args.plan, planKey, plan), {
      owner,
      operator: findOperator(this.streams.env),
      now: await database.ledger.now(),
      reason: flags.reason,
      ticket: flags.ticket,
      again: flags.again,
    });
    if (!this.json) this.note(`Batch ${batch.id}`);
    return { tools: { database, desk, owner }, batch, flags };
  }
}
