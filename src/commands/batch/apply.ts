import { string as argument } from '@oclif/core/args';
import { boolean } from '@oclif/core/flags';
import { BaseCommand } from '../../cli/runtime/base-command.js';
import {
  batchFlags,
  type BatchRunJson,
  DEFAULT_CONCURRENCY,
  limitFlags,
  workOnBatch,
} from '../../cli/batch.js';
import { openPlanToApply, type PlanToApply } from '../../cli/apply-plan.js';
import { dryRun } from '../../batch/run/dry-run.js';
import { createMarkSent } from '../../batch/plan/sent-before.js';
import { rowsOfChecked } from '../../batch/plan/plan-file.js';
import { findOperator } from '../../ledger/operator.js';
import type { BatchRecord } from '../../ledger/schema.js';
import { dryRunJson, dryRunLines, moreToSendLines, wouldSendList } from '../../output/views/batch-plan.js';
import { moneyFlags } from '../../cli/flags/payment-flags.js';
import { withLedger } from '../../payments/with-ledger.js';

type DryRunJson = ReturnType<typeof dryRunJson>;

interface RecordFlags {
  reason?: string | undefined;
  ticket?: string | undefined;
  again: boolean;
}

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
    const { args, flags } = await this.parse(BatchApply);
    const opened = await withLedger(() => openPlanToApply(this.context, args.plan, flags));
    if (flags['dry-run']) return withLedger(() => this.#dryRun(opened, flags));
    const batch = await withLedger(() => this.#record(opened, flags));
    // From here on, each row says what was sent.
    this.sent.assumeSome();
    return workOnBatch(this.context, opened, batch, { ...flags, resend: false, lookAgain: false });
  }

  async #dryRun(
    { file, plan: { header }, planKey, database, desk, profile }: PlanToApply,
    { again, concurrency = DEFAULT_CONCURRENCY }: { again: boolean; concurrency?: number | undefined },
  ): Promise<DryRunJson> {
    const { signal } = this;
    const { action } = header;
    const markSent = createMarkSent(database.store, profile, action);
    const result = await dryRun(desk.client, file, { planKey, action, again, markSent, concurrency, signal });
    // A pipe gets the rows alone.
    const tell = this.streams.stdout.terminal ? this.print : this.note;
    tell(...dryRunLines(action, result));
    if (result.first.length > 0) await this.showList(result.first, wouldSendList);
    tell(...moreToSendLines(result));
    return dryRunJson(result);
  }

  /** Makes the plan a batch: from now on it cannot be applied again. */
  async #record(
    { file, plan, planKey, batches, database, owner }: PlanToApply,
    { reason, ticket, again }: RecordFlags,
  ): Promise<BatchRecord> {
    const batch = await batches.create(plan, rowsOfChecked(file, planKey, plan), {
      owner,
      operator: findOperator(this.streams.env),
      now: await database.ledger.now(),
      reason,
      ticket,
      again,
    });
    if (!this.json) this.note(`Batch ${batch.id}`);
    return batch;
  }
}
