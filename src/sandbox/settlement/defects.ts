// Mistakes of a settlement file that somebody has to find, planted on purpose.

import { hash } from 'node:crypto';
import { fromHundredths } from '../../contract/money.js';
import { feeOf } from '../domain/fee.js';
import type { BookEntry } from './entries.js';

/** Each by the name that people type, and what is wrong with the file afterwards. */
export const defectKinds = {
  missing: { summary: 'a captured payment is left out' },
  extra: { summary: 'the provider has a payment that the service does not know' },
  amount: { summary: 'the amount differs' },
  currency: { summary: 'the currency differs' },
  fee: { summary: 'the fee differs' },
  refunded: { summary: 'the provider refunded it, the service shows Captured' },
  'captured-twice': { summary: 'the provider captured it a second time' },
  duplicate: { summary: 'the same line is there twice' },
  chargeback: { summary: "the customer's bank took the money back" },
  'unknown-kind': { summary: 'a line of a kind that only the provider knows' },
  'lost-ids': { summary: "the provider's IDs are empty, only your reference is left" },
  'wrong-reference': { summary: 'all references are those of nobody' },
} as const;

export type DefectKind = keyof typeof defectKinds;
export const defectNames = Object.keys(defectKinds) as DefectKind[];

/** A whole number below a limit, the same for the same seed and purpose. */
export type Draw = (purpose: string, below: number) => number;

export function createDraw(seed: number, defect: string): Draw {
  return (purpose, below) =>
    Number.parseInt(hash('sha256', `${seed}:${defect}:${purpose}`).slice(0, 12), 16) % below;
}

/** What stands in the file instead of one entry of the books. */
interface Planted {
  entries: BookEntry[];
  /** Which of them is wrong; null when it is one that is not there. */
  wrong: number | null;
  detail: string;
}

const MINUTE_MS = 60_000;

export function plant(kind: DefectKind, entry: BookEntry, draw: Draw): Planted {
  switch (kind) {
    case 'missing':
      return { entries: [], wrong: null, detail: `left out, ${money(entry)}` };
    case 'amount':
    case 'fee': {
      const wrong = { ...entry, [kind]: entry[kind] + BigInt(1 + draw('more', 500)) };
      const texts = [wrong, entry].map((one) => money({ ...one, amount: one[kind] }));
      return changed(wrong, `${texts[0]} in the file, ${texts[1]} in the service`);
    }
    case 'currency': {
      const others = ['EUR', 'USD', 'GBP', 'CHF'].filter((code) => code !== entry.currency);
      const wrong = { ...entry, currency: others[draw('currency', others.length)] as string };
      return changed(wrong, `${money(wrong)} in the file, ${money(entry)} in the service`);
    }
    case 'lost-ids':
      return changed({ ...entry, providerReference: '', captureId: '' }, "the provider's IDs are empty");
    case 'wrong-reference':
      return changed(
        { ...entry, ...unknownIdentifiers(draw), paymentId: entry.paymentId },
        'all references changed',
      );
    case 'captured-twice': {
      const extra = { ...later(entry, draw), captureId: `cap_${hexOf(draw, 'capture')}` };
      const detail = `${money(entry)}, captured again`;
      // Some providers write the newest line first.
      return draw('order', 2) === 0
        ? followed(entry, extra, detail)
        : followed(extra, entry, `${detail} on the line before`);
    }
    default:
      return followed(entry, ...additions[kind](entry, draw));
  }
}

/** A line that the provider adds, and how the defect is described. */
type Added = [entry: BookEntry, detail: string];

const additions = {
  extra(entry: BookEntry, draw: Draw): Added {
    const amount = BigInt(1_000 + draw('amount', 9_000));
    const stranger = {
      ...later(entry, draw),
      ...unknownIdentifiers(draw),
      amount,
      fee: feeOf(amount),
    };
    return [stranger, `${money(stranger)}, unknown to the service`];
  },
  duplicate: (entry: BookEntry): Added => [entry, `${money(entry)}, the same line again`],
  refunded(entry: BookEntry, draw: Draw): Added {
    const refund = { ...takenBack(entry, draw), type: 'refund' };
    return [refund, `${money(refund)}, Captured in the service`];
  },
  chargeback(entry: BookEntry, draw: Draw): Added {
    const chargeback = { ...takenBack(entry, draw), type: 'chargeback' };
    return [chargeback, money(chargeback)];
  },
  'unknown-kind'(entry: BookEntry, draw: Draw): Added {
    const reserve = { ...takenBack(entry, draw), type: 'reserve', amount: -(entry.amount / 10n || 1n) };
    return [reserve, `${money(reserve)}, a kind of the provider's own: reserve`];
  },
};

const later = (entry: BookEntry, draw: Draw): BookEntry => ({
  ...entry,
  bookedAt: entry.bookedAt + (1 + draw('later', 60)) * MINUTE_MS,
});

const takenBack = (entry: BookEntry, draw: Draw): BookEntry => ({
  ...later(entry, draw),
  amount: -entry.amount,
  fee: 0n,
});

const changed = (entry: BookEntry, detail: string): Planted => ({ entries: [entry], wrong: 0, detail });

const followed = (entry: BookEntry, next: BookEntry, detail: string): Planted => ({
  entries: [entry, next],
  wrong: 1,
  detail,
});

/** Identifiers that no payment has. */
function unknownIdentifiers(
  draw: Draw,
): Pick<BookEntry, 'paymentId' | 'providerReference' | 'captureId' | 'reference'> {
  return {
    paymentId: null,
    providerReference: `ref_${hexOf(draw, 'reference')}`,
    captureId: `cap_${hexOf(draw, 'capture')}`,
    reference: `unknown-${draw('ours', 1_000_000)}`,
  };
}

const hexOf = (draw: Draw, purpose: string): string =>
  [0, 1]
    .map((part) =>
      draw(`${purpose}-${part}`, 2 ** 32)
        .toString(16)
        .padStart(8, '0'),
    )
    .join('');

export const signed = (hundredths: bigint): string =>
  hundredths < 0n ? `-${fromHundredths(-hundredths)}` : fromHundredths(hundredths);

const money = ({ currency, amount }: BookEntry): string => `${currency} ${signed(amount)}`;
