// What is known of payments, for a scenario that repeats it.

import type { PaymentRead } from '../client/payment-calls.js';
import { isStateName } from '../contract/states.js';
import { idOf, type NamedPayment, readPayments } from '../payments/named-payments.js';
import type { Remote } from '../sandbox-control/remote.js';
import {
  type RecordedChange,
  type SentInstruction,
  type RecordedPayment,
  recordPayment,
} from '../scenarios/record.js';
import { writeScenario } from '../scenarios/write.js';
import type { Sources } from '../support/records.js';
import type { CommandContext } from './runtime/context.js';
import { lazyDatabase } from './desk/desk.js';
import { sandboxAt } from './desk/sandbox.js';
import { openSession } from './desk/session.js';
import { openRecords } from './desk/support-records.js';

/** The text of a scenario that takes payments like these to the same end. */
export async function recordScenario(
  context: CommandContext,
  names: readonly NamedPayment[],
): Promise<string> {
  const { client, profile } = await openSession(context);
  const records = openRecords(context, lazyDatabase(context), profile);
  const reads = (await readPayments(client, names)).map((entry) => {
    if ('error' in entry) throw entry.error;
    return entry.read;
  });
  const sandbox = await sandboxAt(context, profile.baseUrl);
  const sources = (await (await records)?.find(reads)) ?? [];
  const labels = reads.map((_, index) => (reads.length === 1 ? 'order' : `order${index + 1}`));
  const steps = await Promise.all(
    reads.map(async (read, index) =>
      recordPayment(await factsOf(read, sources[index], sandbox), labels[index] ?? 'order'),
    ),
  );
  const title = reads.map((read) => read.fields.referenceId ?? idOf(read)).join(', ');
  return writeScenario(`what happened to ${title}`, steps.flat());
}

async function factsOf(
  read: PaymentRead,
  sources: Sources | undefined,
  sandbox: Remote | undefined,
): Promise<RecordedPayment> {
  const key = `id:${idOf(read)}`;
  const intents = (sources?.record?.intents ?? []).map(
    ({ time, operation, reason, ticket }): SentInstruction => ({
      time,
      operation,
      reason: reason ?? undefined,
      ticket: ticket ?? undefined,
    }),
  );
  if (!sandbox) return { payment: read.object, changes: changesSeen(sources), intents };
  const changes = (await sandbox.changes(key)).flatMap(({ time, to_state, cause }): RecordedChange[] =>
    isStateName(to_state) ? [{ time, to: to_state, cause }] : [],
  );
  const { paymentId: _, ...books } = await sandbox.books(key);
  return { payment: read.object, changes, intents, books };
}

/** Without a sandbox, only what this desk saw: its own instructions and the webhooks that it received. */
function changesSeen(sources: Sources | undefined): RecordedChange[] {
  const outcomes = (sources?.record?.intents ?? []).flatMap(({ outcomes: each }) =>
    each.map(({ time, after_state: to }) => ({ time, to })),
  );
  const webhooks = (sources?.webhooks ?? [])
    .filter(({ late }) => !late)
    // A read may have been made after several changes: what the webhook reported came before that.
    .map(({ time, read, said }) => ({ time, to: said ?? read }));
  return [...outcomes, ...webhooks]
    .flatMap(({ time, to }) => (isStateName(to) ? [{ time, to }] : []))
    .sort((one, other) => one.time - other.time);
}
