import type { Fields } from './fields.js';

/** Sub-families of ISO 20022 that say what happened, with the direction in which they do. */
const bySubFamily: Readonly<Record<string, { kind: string; direction: Direction }>> = {
  RIMB: { kind: 'refund', direction: 'DBIT' },
  UPCT: { kind: 'chargeback', direction: 'DBIT' },
  UPDD: { kind: 'chargeback', direction: 'DBIT' },
  POSP: { kind: 'capture', direction: 'CRDT' },
  POSC: { kind: 'capture', direction: 'CRDT' },
};

const byWord: Readonly<Record<string, { kind: string; direction: Direction }>> = {
  capture: { kind: 'capture', direction: 'CRDT' },
  payment: { kind: 'capture', direction: 'CRDT' },
  sale: { kind: 'capture', direction: 'CRDT' },
  refund: { kind: 'refund', direction: 'DBIT' },
  chargeback: { kind: 'chargeback', direction: 'DBIT' },
};

export type Direction = 'CRDT' | 'DBIT';

/** Families of payments to a merchant, whatever their sub-family: cards, transfers and direct debits. */
const families: Readonly<Record<Direction, readonly string[]>> = {
  CRDT: ['MCRD', 'RCDT', 'RRCT', 'IDDT'],
  // Of what goes out, only that to cards is money which customers get back.
  DBIT: ['MCRD'],
};

/**
 * What an entry is, by the transaction's code or else the entry's. A code whose direction does not fit, a booking that
 * was reversed and a code that says nothing of customers' payments keep a name of their own, and nothing is guessed.
 */
export function kindOf(fields: readonly Fields[], direction: Direction, isReversal: boolean): string {
  const code = fields.map(codeOf).find((found) => found !== undefined);
  // A reversal and a return go the other way than what they undo.
  const undone = () => kindBy(code, direction === 'CRDT' ? 'DBIT' : 'CRDT');
  if (isReversal) return `${undone()} reversal`;
  return direction === 'CRDT' && fields.some(isReturn) ? `${undone()} return` : kindBy(code, direction);
}

/** Money that went out and came back. What goes out and says so may be a refund like any other. */
const isReturn = (fields: Fields): boolean =>
  fields.get('RtrInf/Rsn/Cd', 'RtrInf/Rsn/Prtry', 'RtrInf/AddtlInf', 'RtrInf/Orgtr/Nm') !== undefined;

function kindBy(code: Code | undefined, direction: Direction): string {
  const byDirection = direction === 'CRDT' ? 'capture' : 'refund';
  if (code === undefined) return byDirection;
  const { domain, family, subFamily, proprietary } = code;
  const known = proprietary === undefined ? bySubFamily[subFamily] : byWord[proprietary.toLowerCase()];
  if (known?.direction === direction) return known.kind;
  if (proprietary !== undefined) return proprietary.toLowerCase();
  const isPlain = !known && families[direction].includes(family) && !SPECIAL.test(subFamily);
  return isPlain ? byDirection : [domain, family, subFamily].filter(Boolean).join('-').toLowerCase();
}

/** Charges, interest, taxes and adjustments, which every family has. */
const SPECIAL = /^(CHRG|COMM|COME|COMI|COMT|DAJT|CAJT|FEES|INTR|RIMB|TAXE|ADJT|NTAV)$/;

interface Code {
  domain: string;
  family: string;
  subFamily: string;
  proprietary: string | undefined;
}

/** A bank that has no code to give writes NTAV. */
function codeOf(fields: Fields): Code | undefined {
  const domain = fields.get('BkTxCd/Domn/Cd');
  const family = fields.get('BkTxCd/Domn/Fmly/Cd') ?? '';
  const subFamily = fields.get('BkTxCd/Domn/Fmly/SubFmlyCd') ?? '';
  if (domain !== undefined && family !== 'NTAV') return { domain, family, subFamily, proprietary: undefined };
  const proprietary = fields.get('BkTxCd/Prtry/Cd');
  if (proprietary === undefined || proprietary === 'NTAV') return undefined;
  return { domain: '', family: '', subFamily: '', proprietary };
}
