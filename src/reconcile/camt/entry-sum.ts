// Whether the transactions of an entry come to what it was booked with.

import { formatAmount } from '../../contract/amount-format.js';
import { exactProblem, fromUnits, toUnits } from '../../contract/exact.js';
import type { Fields } from './fields.js';
import { bookedAmount, directionOf, isBooked } from './transaction.js';

interface EntrySum {
  add(transaction: Fields, isOnly: boolean): void;
  /** Undefined where they agree, or where a transaction does not show its part of the booked amount. */
  problem(): string | undefined;
}

export function createEntrySum(entry: Fields): EntrySum {
  let isComplete = true;
  let sum = 0n;
  let currency: string | undefined;
  /** A bank may book what is left after the charges, so the amounts may differ by them. */
  let charges: bigint | undefined = 0n;

  function addCharges(fields: Fields): void {
    for (const { amount, currency: charged } of fields.charges) {
      const isComparable = charged === entry.currencyOf('Amt') && exactProblem(amount) === undefined;
      charges = charges === undefined || !isComparable ? undefined : charges + magnitude(toUnits(amount));
    }
  }

  return {
    add(transaction, isOnly) {
      addCharges(transaction);
      const hasAmount = !isOnly || transaction.get('Amt') !== undefined;
      const money = hasAmount ? bookedAmount({ entry, transaction, isOnly }, ignore) : undefined;
      const direction = directionOf({ entry, transaction }, ignore);
      if (money === undefined || direction === undefined || money.currency !== (currency ?? money.currency)) {
        isComplete = false;
        return;
      }
      currency = money.currency;
      sum += direction === 'CRDT' ? money.units : -money.units;
    },
    problem() {
      if (currency === undefined || !isComplete || !isBooked(entry)) return undefined;
      const booked = bookedAmount({ entry, transaction: undefined, isOnly: true }, ignore);
      const direction = directionOf({ entry, transaction: undefined }, ignore);
      if (booked === undefined || direction === undefined || booked.currency !== currency) return undefined;
      addCharges(entry);
      const total = direction === 'CRDT' ? sum : -sum;
      if (charges === undefined || magnitude(booked.units - total) <= charges) return undefined;
      const [shown, found] = [booked.units, total].map((units) => formatAmount(fromUnits(units), currency));
      return `the entry has ${shown}, but its transactions come to ${found}`;
    },
  };
}

/** What is wrong with an amount is told where the line is made of it. */
const ignore = (): void => {};

const magnitude = (units: bigint): bigint => (units < 0n ? -units : units);
