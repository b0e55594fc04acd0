// One transaction, or an entry without any, as a line of money.

import { shortText } from '../../spreadsheet/problems.js';
import { exactProblem, fromUnits, toUnits } from '../../contract/exact.js';
import type { SettlementLine } from '../line.js';
import type { Charge, Fields } from './fields.js';
import { kindOf, type Direction } from './kinds.js';

interface Booked {
  /** Of the entry in the file, from 1. */
  number: number;
  entry: Fields;
  transaction: Fields | undefined;
  /** Whether what the entry says holds for the transaction as well. */
  isOnly: boolean;
}

type Tell = (problem: string) => void;

interface Money {
  units: bigint;
  currency: string;
}

/** What is pending or announced is in a statement for information. */
export const isBooked = (entry: Fields): boolean => (entry.get('Sts/Cd', 'Sts') ?? 'BOOK') === 'BOOK';

/** Undefined when something is wrong with it, which was told. */
export function settlementLineOf(booked: Booked, tell: Tell): SettlementLine | undefined {
  if (isBooked(booked.entry)) return bookedLine(booked, tell);
  // It may announce that a charge is taken back. An amount that is not known yet is no reason to refuse the file.
  const line = bookedLine(booked, () => {});
  const unreadable = { line: booked.number, kind: 'unreadable', amount: '0', currency: '' };
  return { ...(line ?? { ...unreadable, ...idsIn(booked) }), isNotBooked: true };
}

function bookedLine(booked: Booked, tell: Tell): SettlementLine | undefined {
  const { entry, transaction, number } = booked;
  let isRight = true;
  const wrong = (problem: string): void => {
    isRight = false;
    tell(problem);
  };
  const direction = directionOf(booked, wrong);
  const at = dateOf(entry, wrong);
  const money = direction === undefined ? undefined : amountsOf(booked, direction, wrong);
  if (!isRight || direction === undefined || money === undefined) return undefined;
  const all = transaction ? [transaction, entry] : [entry];
  const isReversal = /^(true|1)$/.test(entry.get('RvslInd') ?? '');
  return {
    line: number,
    kind: kindOf(all, direction, isReversal),
    amount: fromUnits(money.amount.units),
    currency: money.amount.currency,
    fee: money.fee === undefined ? undefined : fromUnits(money.fee),
    at,
    ...(money.booked && {
      booked: { amount: fromUnits(money.booked.units), currency: money.booked.currency },
    }),
    ...idsIn(booked),
  };
}

const idsIn = ({
  entry,
  transaction,
  isOnly,
}: Booked): Pick<SettlementLine, 'providerReference' | 'operationId' | 'reference'> => ({
  providerReference:
    given(transaction, 'Refs/AcctSvcrTxId', 'Refs/AcctSvcrRef') ??
    given(isOnly ? entry : undefined, 'AcctSvcrRef'),
  operationId: given(
    transaction,
    'Refs/TxId',
    'Refs/PrcgId',
    'Refs/Prtry/Ref',
    'Refs/ClrSysRef',
    'Refs/InstrId',
  ),
  reference: given(transaction, 'Refs/EndToEndId', 'RmtInf/Strd/CdtrRefInf/Ref'),
});

/** A reference that is one: banks fill those that they do not have. */
function given(fields: Fields | undefined, ...paths: string[]): string | undefined {
  for (const path of paths) {
    const found = fields?.get(path);
    if (found !== undefined && !/^(NOT ?PROVIDED|NONREF|NOTAVAILABLE)$/i.test(found)) return found;
  }
  return undefined;
}

export function directionOf(
  { entry, transaction }: Pick<Booked, 'entry' | 'transaction'>,
  wrong: Tell,
): Direction | undefined {
  const direction = transaction?.get('CdtDbtInd') ?? entry.get('CdtDbtInd');
  if (direction === 'CRDT' || direction === 'DBIT') return direction;
  wrong(direction === undefined ? 'CdtDbtInd is missing' : `CdtDbtInd ${direction}: must be CRDT or DBIT`);
  return undefined;
}

function dateOf(entry: Fields, wrong: Tell): string | undefined {
  const text = entry.get('BookgDt/DtTm', 'BookgDt/Dt', 'ValDt/DtTm', 'ValDt/Dt');
  if (text === undefined) return undefined;
  const [, day, time, zone] =
    /^(\d{4}-\d{2}-\d{2})(?:T(\d{2}:\d{2}:\d{2}(?:\.\d+)?))?(Z|[+-]\d{2}:\d{2})?$/.exec(text) ?? [];
  const midnight = new Date(`${day}T00:00:00Z`);
  if (day !== undefined && !Number.isNaN(midnight.getTime()) && midnight.toISOString().startsWith(day)) {
    if (time === undefined) return day;
    // A time without an offset is in UTC.
    const instant = new Date(`${day}T${time}${zone ?? 'Z'}`);
    if (!Number.isNaN(instant.getTime())) return instant.toISOString();
  }
  wrong(`date ${shortText(text)}: is no date`);
  return undefined;
}

/**
 * What the customer paid, and what the bank kept of it. An entry is booked with what is left after the charges, where it
 * says that they are included; the amount of the transaction itself is as it was before.
 */
function amountsOf(
  booking: Booked,
  direction: Direction,
  wrong: Tell,
): { amount: Money; fee: bigint | undefined; booked?: Money } | undefined {
  const { entry, transaction, isOnly } = booking;
  const booked = bookedAmount(booking, wrong);
  if (booked === undefined) return undefined;
  const signed = (units: bigint): bigint => (direction === 'CRDT' ? units : -units);
  const charges = transaction?.charges.length ? transaction.charges : isOnly ? entry.charges : [];
  const fee = chargesOf(charges, booked.currency, wrong);
  const path = ['AmtDtls/TxAmt/Amt', 'AmtDtls/InstdAmt/Amt'].find(
    (one) => transaction?.get(one) !== undefined,
  );
  const paid = path === undefined ? undefined : moneyAt(transaction!, path, wrong);
  if (paid && paid.currency !== booked.currency)
    return {
      amount: { ...paid, units: signed(paid.units) },
      fee: undefined,
      booked: { ...booked, units: signed(booked.units) },
    };
  if (paid) return { amount: { ...paid, units: signed(paid.units) }, fee };
  const isIncluded = charges.some((charge) => charge.isIncluded);
  const units = signed(booked.units) + (isIncluded ? (fee ?? 0n) : 0n);
  return { amount: { units, currency: booked.currency }, fee };
}

export function bookedAmount(
  { entry, transaction, isOnly }: Pick<Booked, 'entry' | 'transaction' | 'isOnly'>,
  wrong: Tell,
): Money | undefined {
  if (transaction?.get('Amt') !== undefined) return moneyAt(transaction, 'Amt', wrong);
  if (isOnly) return moneyAt(entry, 'Amt', wrong);
  if (transaction?.get('AmtDtls/TxAmt/Amt') !== undefined)
    return moneyAt(transaction, 'AmtDtls/TxAmt/Amt', wrong);
  wrong('has several transactions, and one of them has no amount');
  return undefined;
}

function moneyAt(fields: Fields, path: string, wrong: Tell): Money | undefined {
  const text = fields.get(path);
  if (text === undefined) {
    wrong(`${path} is missing`);
    return undefined;
  }
  const currency = fields.currencyOf(path) ?? '';
  const problem = amountProblem(text);
  if (problem !== undefined) wrong(`${path} ${shortText(text)}: ${problem}`);
  if (!/^[A-Z]{3}$/.test(currency))
    wrong(
      `${path} ${shortText(text)} has ${currency === '' ? 'no currency' : `the currency ${shortText(currency)}`}`,
    );
  else if (problem === undefined) return { units: toUnits(text), currency };
  return undefined;
}

function chargesOf(charges: readonly Charge[], currency: string, wrong: Tell): bigint | undefined {
  // Charges in another currency cannot be compared with the fee of the payment.
  if (charges.length === 0 || charges.some((charge) => charge.currency !== currency)) return undefined;
  let sum = 0n;
  for (const { amount, direction } of charges) {
    const problem = amountProblem(amount);
    if (problem !== undefined) wrong(`charge ${shortText(amount)}: ${problem}`);
    else sum += direction === 'CRDT' ? -toUnits(amount) : toUnits(amount);
  }
  return sum;
}

/** The direction is a field of its own, so no amount has a sign. */
const amountProblem = (text: string): string | undefined =>
  text.startsWith('-') ? 'must not be negative' : exactProblem(text);
