import type { SettleOperation } from '../../contract/states.js';
import { endingOf } from '../../payments/endings.js';
import { checkPayments } from '../../payments/check-payments.js';
import { participles } from '../../payments/move/words.js';
import { moveAll } from '../../payments/move/move-all.js';
import { recordRecheck } from '../../payments/record-created.js';
import { parsePayment, readPayments } from '../../payments/named-payments.js';
import { recheckAll } from '../../payments/recheck.js';
import type { Inputs } from '../schema.js';
import type { World } from '../world.js';
import type { StepResult } from './result.js';

type Names = Inputs['refund']['payment'];

const namesOf = (payment: Names): string[] => (Array.isArray(payment) ? payment : [payment]).map(String);

export function moveStep(operation: SettleOperation) {
  return async ({ desk }: World, input: Inputs['refund']): Promise<StepResult> => {
    const { payment, reason, ticket, description, ...flags } = input;
    const names = namesOf(payment);
    const results = await moveAll(
      desk,
      {
        operation,
        names: names.map(parsePayment),
        force: flags.force ?? false,
        again: flags.again ?? false,
        resend: flags.resend ?? false,
        wait: flags.wait ?? false,
        dryRun: false,
        description,
        reason,
        ticket: ticket === undefined ? undefined : String(ticket),
      },
      { confirm: async () => {} },
    );
    return resultOf(names, results, participles[operation]);
  };
}

export async function checkStep(
  { desk }: World,
  { payment, wait = false }: Inputs['check'],
): Promise<StepResult> {
  const names = namesOf(payment);
  const results = await checkPayments(desk, names.map(parsePayment), { wait });
  return resultOf(names, results, 'settled');
}

export async function recheckStep({ desk }: World, { payment }: Inputs['recheck']): Promise<StepResult> {
  const names = namesOf(payment);
  const reads = await readPayments(desk.client, names.map(parsePayment));
  const [first] = reads;
  if (reads.length === 1 && first && 'error' in first) throw first.error;
  const results = await recheckAll(desk.client, reads, (before, now) => recordRecheck(desk, before, now));
  return resultOf(names, results, participles.recheck);
}

type Results = Awaited<ReturnType<typeof checkPayments>> | Awaited<ReturnType<typeof recheckAll>>;

function resultOf(names: readonly string[], results: Results, what: string): StepResult {
  const outcomes = [...new Set(results.map(({ outcome }) => outcome))];
  const texts = results.map(({ before, after, outcome }) => {
    const states = before === after ? before : `${before} → ${after}`;
    return outcome === null ? `nothing to check, ${states}` : `${outcome}, ${states}`;
  });
  return {
    payments: names,
    value: results.length === 1 ? results[0]?.payment : results.map(({ payment }) => payment),
    // Several payments with different outcomes have none in common.
    outcome: outcomes.length === 1 ? (outcomes[0] ?? null) : outcomes.join(', '),
    error: endingOf(results, what),
    summary: texts.join('; '),
  };
}
