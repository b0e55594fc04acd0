import { createHash } from 'node:crypto';
import { fromHundredths, toHundredths } from '../../contract/money.js';
import { numberFromText } from '../../contract/json.js';
import type { PayInfo } from '../../contract/payment.js';
import type { ExchangeRow, PaymentRow, ProviderProfileRow } from '../schema.js';
import { LATE_ANSWER_MS, testCard, type Expiry } from './cards.js';
import { findCustomer } from './customers.js';
import { feeOf } from './fee.js';
import { providerInstructions, type ProviderInstruction } from './provider-instructions.js';
import { expiryOf, payerOf } from './payer.js';
import type { Work } from './work.js';

/** What the provider makes of an instruction, and when the service hears of it. */
interface ProviderAnswer {
  done: boolean;
  reason: string;
  answer: 'now' | 'later' | 'lost';
  delayMs: number;
}

export async function providerAnswer(
  work: Work,
  payment: PaymentRow,
  instruction: ProviderInstruction,
): Promise<ProviderAnswer> {
  const card = testCard(payment.card ?? 'approved');
  const profile = await profileOf(work, payment);
  const decided: ProviderAnswer = {
    done: true,
    reason: 'done',
    answer: 'now',
    delayMs: profile?.delay_ms ?? 0,
  };
  if (instruction === 'authorize') {
    decided.done = card.verdict === 'approve';
    decided.reason = card.reason ?? 'approved';
    decided.answer = card.answer;
    if (card.answer === 'later') decided.delayMs = LATE_ANSWER_MS;
  } else if (instruction === 'capture' && card.captureFails) {
    Object.assign(decided, { done: false, reason: 'the provider could not capture' });
  } else if (instruction === 'refund' && card.refundFails) {
    Object.assign(decided, { done: false, reason: 'the provider could not refund' });
  }
  for (const fault of await work.faults.take(work.tx, ['provider-silent', 'provider-fails'], instruction)) {
    if (fault.kind === 'provider-silent') decided.answer = 'lost';
    else {
      Object.assign(decided, { done: false, reason: 'the provider failed', delayMs: 0 });
      // It fails at once: nothing would remember until a later answer that it is to fail.
      if (decided.answer === 'later') decided.answer = 'now';
    }
  }
  if (decided.answer === 'now' && decided.delayMs > 0) decided.answer = 'later';
  return decided;
}

export async function profileOf(work: Work, payment: PaymentRow): Promise<ProviderProfileRow | undefined> {
  const app = await work.apps.byId(payment.app_id, work.tx);
  return app?.profiles.find((profile) => profile.payment_profile_id === payment.payment_profile_id);
}

/** Tells the provider; what it did is noted by `noteAnswer`. */
export async function instruct(work: Work, payment: PaymentRow, kind: ProviderInstruction): Promise<number> {
  const { id } = await work.tx
    .insertInto('exchanges')
    .values({
      payment_id: payment.payment_id,
      kind,
      time: work.now,
      version: payment.version,
      done: 0,
      answer: 'pending',
      answered_time: null,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

export async function noteAnswer(work: Work, exchange: number, done: boolean, answer: string): Promise<void> {
  await work.tx
    .updateTable('exchanges')
    .set({ done: Number(done), answer, answered_time: work.now })
    .where('id', '=', exchange)
    .execute();
}

/** The instruction that the provider has not answered yet. */
export async function pendingExchange(
  work: Work,
  payment: PaymentRow,
  kind: ProviderInstruction,
): Promise<number | undefined> {
  const row = await work.tx
    .selectFrom('exchanges')
    .select('id')
    .where('payment_id', '=', payment.payment_id)
    .where('kind', '=', kind)
    .where('answer', '=', 'pending')
    .orderBy('id', 'desc')
    .executeTakeFirst();
  return row?.id;
}

/** The instruction of a kind that the provider was given last. */
export async function lastExchange(
  work: Work,
  payment: PaymentRow,
  kind: ProviderInstruction,
): Promise<ExchangeRow | undefined> {
  return work.tx
    .selectFrom('exchanges')
    .selectAll()
    .where('payment_id', '=', payment.payment_id)
    .where('kind', '=', kind)
    .orderBy('id', 'desc')
    .executeTakeFirst();
}

/** Whether the provider holds, or may come to hold, money for this payment. */
export async function mayHoldMoney(work: Work, payment: PaymentRow): Promise<boolean> {
  const row = await work.tx
    .selectFrom('exchanges')
    .select('id')
    .where('payment_id', '=', payment.payment_id)
    .where('kind', '=', 'authorize')
    .where((eb) => eb.or([eb('done', '=', 1), eb('answer', '=', 'pending')]))
    .executeTakeFirst();
  return row !== undefined;
}

export type Books = { paymentId: number } & Record<ProviderInstruction, { told: number; done: number }>;

/** How often the provider was told each thing, and how often it did it. */
export async function readBooks(work: Pick<Work, 'tx'>, paymentId: number): Promise<Books> {
  const rows = await work.tx
    .selectFrom('exchanges')
    .select(({ fn }) => ['kind', fn.countAll<number>().as('told'), fn.sum<number>('done').as('done')])
    .where('payment_id', '=', paymentId)
    .groupBy('kind')
    .execute();
  const counts = providerInstructions.map((kind) => {
    const row = rows.find((candidate) => candidate.kind === kind);
    return [kind, { told: row?.told ?? 0, done: row?.done ?? 0 }];
  });
  return { paymentId, ...Object.fromEntries(counts) } as Books;
}

/** What the service learns from the provider when it answers: brand, type and expiry of a card, never its number. */
export async function payInfoOf(work: Work, payment: PaymentRow): Promise<PayInfo> {
  const profile = await profileOf(work, payment);
  const customer = await findCustomer(work, payment.app_id, payment.customer_id);
  const card = testCard(payment.card ?? 'approved');
  const method = payment.method_id === null ? undefined : await storedExpiry(work, payment.method_id);
  const expiry = method ?? expiryOf(payment, work.now);
  const fullName =
    payerOf(payment)?.name ?? [customer?.first_name, customer?.last_name].filter(Boolean).join(' ');
  return {
    providerReferenceId: providerReference(work, payment, 'reference'),
    ...(profile && {
      paymentProfile: {
        paymentProfileId: profile.payment_profile_id,
        paymentProfileName: profile.name,
        paymentMethodTypeString: profile.method_type,
        isActive: profile.is_active === 1,
      },
    }),
    payer: {
      ...(fullName !== '' && { fullName }),
      ...(customer?.email && { email: customer.email }),
      country: 'DE',
      ...(profile?.method_type === 'CreditCard' && {
        card: {
          cardBrand: card.brand,
          cardType: card.type,
          cardExpiryMonth: expiry.month,
          cardExpiryYear: expiry.year,
        },
      }),
    },
  };
}

async function storedExpiry(work: Work, methodId: number): Promise<Expiry | undefined> {
  const row = await work.tx
    .selectFrom('methods')
    .select(['expiry_month', 'expiry_year'])
    .where('payment_method_id', '=', methodId)
    .executeTakeFirst();
  if (!row || row.expiry_month === null || row.expiry_year === null) return undefined;
  return { month: row.expiry_month, year: row.expiry_year };
}

/** An identifier of the provider's own, the same for the same payment and purpose under one seed. */
export function providerReference(
  work: Pick<Work, 'derive'>,
  payment: Pick<PaymentRow, 'payment_id' | 'version'>,
  purpose: string,
): string {
  const text = work.derive(`provider-${purpose}`, `${payment.payment_id}:${payment.version}`);
  return `${purpose.slice(0, 3)}_${createHash('sha256').update(text).digest('hex').slice(0, 16)}`;
}

export function providerFee(payment: PaymentRow): PayInfo['providerFee'] {
  return numberFromText(fromHundredths(feeOf(toHundredths(payment.amount))));
}
