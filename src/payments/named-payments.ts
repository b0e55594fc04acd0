import { type Command, paydesk } from '../next-command.js';
import type { Client } from '../client/client.js';
import { oddAnswer } from '../client/odd-answer.js';
import type { PaymentKey, PaymentRead } from '../client/payment-calls.js';
import { idText, numberText } from '../contract/json.js';
import {
  type ErrorOptions,
  GuardError,
  type PaydeskError,
  ServiceError,
  TemporaryError,
  UsageError,
} from '../errors.js';
import { mapConcurrent } from '../concurrency.js';
import { BadValue, parseId } from '../typed-values.js';
import { formatAmount } from '../contract/amount-format.js';
import { safeText } from '../output/text.js';

/** A payment as a person named it. */
export interface NamedPayment {
  typed: string;
  key: PaymentKey;
  /** The name is all digits, so it may be a reference as well as an id. */
  mayBeReference?: true;
  /** As it stands in a pasted list: if there is a payment with this very reference, that one is meant. */
  written?: string;
  /** Where it has commas: what to type if they stand between several names. */
  apart?: Command;
}

/** The names in a word with commas between them. */
export const namesApart = (word: string): string[] => word.split(/[,;\s]+/).filter(Boolean);

/** All digits are a `paymentId` or a `referenceId`, anything else is a `referenceId`; `id:` and `ref:` force it. */
export function parsePayment(typed: string): NamedPayment {
  const [, prefix, rest = typed] = /^(id|ref):(.*)$/su.exec(typed) ?? [];
  const name = parseId(rest);
  const digits = /^\d+$/.test(name);
  if (prefix === 'id' && !digits) throw new BadValue('use digits after id:, for example id:100231');
  if (!digits || prefix === 'ref') return { typed, key: { referenceId: name } };
  return { typed, key: { paymentId: name }, ...(prefix === undefined ? { mayBeReference: true } : {}) };
}

/** One payment per line; empty lines are skipped. */
export const parsePaymentLines = (text: string): NamedPayment[] =>
  parseLines(text, (line) => [line.trim()].filter(Boolean), parseOnly);

/** Only a person can say which column names the payment. */
function parseOnly(line: string): NamedPayment {
  const columns = line.split('\t').length;
  if (columns > 1) throw new BadValue(`has ${columns} columns; leave only the one that names the payment`);
  return parsePayment(line);
}

/** The payments in every line; all bad lines are reported at once. */
export function parseLines(
  text: string,
  namesIn: (line: string) => string[],
  parse: (name: string) => NamedPayment,
): NamedPayment[] {
  const bad: string[] = [];
  const names = text.split('\n').flatMap((line, index) =>
    namesIn(line).flatMap((name) => {
      try {
        return [parse(name)];
      } catch (error) {
        if (!(error instanceof BadValue)) throw error;
        bad.push(`line ${index + 1}: ${error.message}`);
        return [];
      }
    }),
  );
  if (bad.length > 0) throw new BadValue(bad.join('; '));
  if (names.length === 0) throw new BadValue('contains no payment');
  return names;
}

export type NamedRead = { name: NamedPayment; read: PaymentRead } | NotRead;

export interface NotRead {
  name: NamedPayment;
  error: PaydeskError;
}

const MAX_CONCURRENT_READS = 8;

export interface ReadOptions {
  /**
   * Whether the reference is read even where the id was found. Money moves always check both; a read may leave it out
   * while this desk knows no payment whose reference is all digits.
   */
  checkBoth?: boolean;
}

/** Reads them all, in order. What concerns one payment stays with it; what concerns all of them is thrown. */
export async function readPayments(
  client: Client,
  names: readonly NamedPayment[],
  options: ReadOptions = {},
): Promise<NamedRead[]> {
  return mapConcurrent(names, MAX_CONCURRENT_READS, (name) => readOne(client, name, options));
}

async function readOne(client: Client, name: NamedPayment, options: ReadOptions): Promise<NamedRead> {
  try {
    return { name, read: await readNamed(client, name, options) };
  } catch (error) {
    const isOfThisOne =
      error instanceof ServiceError || error instanceof TemporaryError || error instanceof GuardError;
    if (isOfThisOne) return { name, error };
    throw error;
  }
}

/** All digits are an id, or else a reference. Where they are both, of different payments, a person has to say which. */
export async function readNamed(
  client: Client,
  { key, mayBeReference, written, apart }: NamedPayment,
  { checkBoth = true }: ReadOptions = {},
): Promise<PaymentRead> {
  if (written !== undefined) {
    const exact = await orNotFound(client.getPayment({ referenceId: written }));
    if (!(exact instanceof ServiceError) && exact.fields.referenceId === written) return exact;
  }
  if (!mayBeReference || !('paymentId' in key)) {
    const read = await orNotFound(client.getPayment(key));
    if (read instanceof ServiceError) throw apart ? withCommas(read, key, apart) : read;
    return read;
  }
  const readReference = () => orNotFound(client.getPayment({ referenceId: key.paymentId }));
  const [byId, early] = await Promise.all([
    orNotFound(client.getPayment(key)),
    checkBoth ? readReference() : undefined,
  ]);
  if (early === undefined && !(byId instanceof ServiceError)) return byId;
  const byReference = early ?? (await readReference());
  // A payment that does not show this very reference was not found by it.
  if (byReference instanceof ServiceError || byReference.fields.referenceId !== key.paymentId) {
    if (byId instanceof ServiceError) throw byId;
    return byId;
  }
  if (byId instanceof ServiceError || idOf(byId) === idOf(byReference)) return byReference;
  throw twoPayments(key.paymentId, byId, byReference);
}

/** A service may refuse a name that it does not know in other ways than with a 404. */
async function orNotFound(reading: Promise<PaymentRead>): Promise<PaymentRead | ServiceError> {
  try {
    return await reading;
  } catch (error) {
    if (error instanceof ServiceError) return error;
    throw error;
  }
}

/** The key and the app are not to blame where several names were pasted as one. */
function withCommas(error: ServiceError, key: PaymentKey, apart: Command): PaydeskError {
  if (error.code !== 'not-found' || !('referenceId' in key)) return error;
  return error.with({
    message: `There is no payment with reference ${safeText(key.referenceId)}. Put spaces between payments, and no commas.`,
    next: [apart],
  });
}

/** Digits that name two payments. */
export class TwoPaymentsError extends GuardError {
  /** Undefined where the error is about several names. */
  readonly digits: string | undefined;

  constructor(message: string, options: ErrorOptions & { digits?: string }) {
    super(message, options);
    this.digits = options.digits;
  }
}

function twoPayments(digits: string, byId: PaymentRead, byReference: PaymentRead): TwoPaymentsError {
  return new TwoPaymentsError(
    `${digits} is the id of one payment and the reference of another. Nothing was sent. Say which one you mean.`,
    {
      code: 'two-payments',
      saysNothingSent: true,
      digits,
      details: [
        { input: `id:${digits}`, problem: factsOf(byId) },
        { input: `ref:${digits}`, problem: factsOf(byReference) },
      ],
      next: [paydesk('payments', 'get', `id:${digits}`), paydesk('payments', 'get', `ref:${digits}`)],
    },
  );
}

function factsOf(read: PaymentRead): string {
  const { referenceId, amount, currency } = read.fields;
  const reference = referenceId === undefined ? '' : `, reference ${safeText(referenceId)}`;
  const shown = amount === undefined ? '' : `, ${safeText(formatAmount(numberText(amount), currency))}`;
  return `payment ${idOf(read)}${reference}${shown}, ${stateText(read)}`;
}

/** Refuses a payment that was named twice, also where it was named by its id and by its reference. */
export function refuseTwice(reads: readonly NamedRead[]): void {
  const seen = new Map<string, string>();
  const details = reads.flatMap((entry) => {
    const { typed } = entry.name;
    const same = 'read' in entry ? idOf(entry.read) : typed;
    const first = seen.get(same);
    if (first === undefined) seen.set(same, typed);
    return first === undefined ? [] : [{ input: typed, problem: `is the same payment as ${first}` }];
  });
  if (details.length > 0) {
    throw new UsageError('A payment is listed twice. Nothing was sent.', {
      code: 'named-twice',
      saysNothingSent: true,
      details,
    });
  }
}

/** Whether the payment shows an id that paths and the ledger can have. */
export function hasId({ fields: { paymentId } }: PaymentRead): boolean {
  return paymentId !== undefined && /^\d{1,40}$/.test(idText(paymentId));
}

/** Whether it shows another reference than the known one: by its reference a service may show another payment than by its id. */
export function hasOtherReference(known: string | null | undefined, { fields }: PaymentRead): boolean {
  return typeof known === 'string' && fields.referenceId !== undefined && fields.referenceId !== known;
}

/** The id that paths need, and by which the ledger holds the payment; without one nothing can be done to it. */
export function idOf(read: PaymentRead): string {
  const { paymentId } = read.fields;
  if (paymentId !== undefined && hasId(read)) return idText(paymentId);
  throw oddAnswer('a payment without a usable paymentId', read.answer);
}

/** `100231 (inv-2041)`. */
export function labelOf(read: PaymentRead): string {
  const { referenceId } = read.fields;
  return referenceId === undefined ? idOf(read) : `${idOf(read)} (${safeText(referenceId)})`;
}

/** The state after "is": a name that the service made up cannot break the line. */
export function stateText(read: PaymentRead): string {
  const state = stateOf(read);
  return state === null ? 'in an unknown state' : safeText(state);
}

/** The state after "shows" or "in". */
export const shownText = (read: PaymentRead): string => safeText(stateOf(read) ?? 'no state');

/** The state as the service names it. */
export function stateOf(read: PaymentRead): string | null {
  return read.fields.paymentState ?? null;
}
