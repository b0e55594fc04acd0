// Payments that the service shows as captured or refunded in the period, and that no line of the file names. One that
// could not be read may be one of them, and needs attention as well.

import { wasCaptured } from '../contract/states.js';
import {
  expectedIds,
  type ExpectedKind,
  type Period,
  settledByIds,
  type SettledRow,
} from '../ledger/known/settled.js';
import { isExact, negated } from '../contract/exact.js';
import type { Exception } from './exception.js';
import { buildException, type ExplainTools, type FreshPayment, readFresh } from './explain-exceptions.js';
import { factsOf, type Pass, type PassTools } from './pass.js';
import type { CandidateStaging } from './staging.js';
import { createSettlementTally, type SettlementTally } from './tally.js';
import { type PaymentFacts, settledAmount } from './verdict.js';

const PAGE_SIZE = 2_000;
const CHUNK_SIZE = 200;

export interface MissingPayments {
  totals: SettlementTally;
  /** Payments that the file may lack: the service did not show them. */
  unreadable: number;
}

/** Only payments of the provider profiles in the file count: another provider has a file of its own. */
export async function findMissing(
  tools: ExplainTools & Pick<PassTools, 'store' | 'app' | 'signal'>,
  staging: CandidateStaging,
  pass: Pass,
  period: Period,
): Promise<MissingPayments> {
  const totals = createSettlementTally();
  let unreadable = 0;
  const { seen, profiles } = pass;
  const isOfProvider = (profile: string | undefined | null) =>
    profiles.size === 0 || !profile || profiles.has(profile);
  for (const kind of ['capture', 'refund'] as const) {
    for await (const ids of unseenPages(tools, kind, period, (id) => !seen.has(kind, id))) {
      const rows = (await settledByIds(tools.store, ids)).filter((row) => isOfProvider(row.provider_profile));
      const fresh = await readFresh(
        tools,
        rows.map((row) => row.payment_id),
      );
      tools.onRead(rows.length);
      const exceptions: Exception[] = [];
      for (const row of rows) {
        const payment = fresh.get(row.payment_id);
        if (payment === undefined || 'problem' in payment) {
          // The file and the service agree about a payment that neither of them has.
          if (payment?.isMissing === true) continue;
          unreadable += 1;
          exceptions.push(unreadableException(kind, row, payment?.problem, tools.options.profile));
          continue;
        }
        const profile = payment.read.fields.payInfo?.paymentProfile?.paymentProfileId?.toString();
        if (!stillExpected(kind, payment) || !isOfProvider(profile)) continue;
        const exception = missingException(kind, row, payment, tools.options.profile);
        totals.add('file', { ...exception, fee: undefined });
        exceptions.push(exception);
      }
      await staging.keep(exceptions);
    }
  }
  return { totals, unreadable };
}

/** Numbers of payments, as many at once as are read at once. */
async function* unseenPages(
  { store, app, signal }: Pick<PassTools, 'store' | 'app' | 'signal'>,
  kind: ExpectedKind,
  period: Period,
  isUnseen: (id: number) => boolean,
): AsyncGenerator<number[]> {
  let waiting: number[] = [];
  for (let after = 0; ;) {
    signal.throwIfAborted();
    const ids = await expectedIds(store, app, kind, { period, after, limit: PAGE_SIZE });
    waiting.push(...ids.filter(isUnseen));
    while (waiting.length >= CHUNK_SIZE) {
      yield waiting.slice(0, CHUNK_SIZE);
      waiting = waiting.slice(CHUNK_SIZE);
    }
    if (ids.length < PAGE_SIZE) break;
    after = ids.at(-1) ?? after;
  }
  if (waiting.length > 0) yield waiting;
}

const stillExpected = (kind: ExpectedKind, { facts: { state } }: FreshPayment): boolean =>
  kind === 'capture' ? wasCaptured(state) : state === 'Refunded';

const missingException = (
  kind: ExpectedKind,
  row: SettledRow,
  payment: FreshPayment,
  profile: string | undefined,
): Exception =>
  buildException(missingLine(kind, row, payment.facts), { exception: 'not-in-file', payment, profile });

const unreadableException = (
  kind: ExpectedKind,
  row: SettledRow,
  problem: string | undefined,
  profile: string | undefined,
): Exception =>
  buildException(missingLine(kind, row), {
    exception: 'unreadable',
    paymentId: row.payment_id,
    problem,
    profile,
  });

/** What the file should have, from what the service shows or else from what this desk knows. */
function missingLine(kind: ExpectedKind, row: SettledRow, facts?: PaymentFacts) {
  const shown = settledAmount(facts ?? factsOf(row)) ?? '0';
  const amount = isExact(shown) && !shown.startsWith('-') ? shown : '0';
  return {
    line: null,
    kind,
    amount: kind === 'refund' ? negated(amount) : amount,
    currency: facts?.currency ?? row.currency ?? '',
    providerReference: row.provider_reference ?? undefined,
    operationId: kind === 'capture' ? (row.capture_id ?? undefined) : undefined,
    reference: row.reference_id ?? undefined,
  };
}
