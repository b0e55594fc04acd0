// The words that providers use for kinds of lines, and how to tell a column that has them.

type KnownKind = 'capture' | 'refund' | 'chargeback';

const kindWords: ReadonlyArray<readonly [KnownKind, RegExp]> = [
  [
    'capture',
    /^(captured?|captures|sales?|pay|pmt|payments?|charged?|charges|purchase|settled?|zahlung|zahlungseingang|pago|paiement)$/,
  ],
  [
    'refund',
    /^(refund(ed|s)?|rfnd|rfd|ref|erstattung|erstattet|rückerstattung|rueckerstattung|reembolso|remboursement)$/,
  ],
  [
    'chargeback',
    /^(chargebacks?|charge back|chbk|cbk|disputed?|rückbuchung|rueckbuchung|rücklastschrift|ruecklastschrift|contracargo)$/,
  ],
];

/** Words that stand beside one of these and do not change what it means: `Card payment`, `Refund to card`. */
const neutralWords = /\b(card|credit|debit|customer|online|full|partial|to|from|by|the)\b/g;

/** Undefined for any other word, and for one that may mean several things. */
function knownKind(written: string): KnownKind | undefined {
  const word = plainWord(written);
  const core = word.replaceAll(neutralWords, ' ').replaceAll(/\s+/g, ' ').trim();
  // The refund of a payment is a refund.
  const names = [word, core, core.replace(/^payment (?=refund)/, '')];
  return kindWords.find(([, expression]) => names.some((name) => expression.test(name)))?.[0];
}

interface UnclearWord {
  expression: RegExp;
  meanings: string;
  kinds: string;
  /** What it means where all of its money goes out. */
  goingOut?: KnownKind;
}

const unclearWords: readonly UnclearWord[] = [
  {
    // German providers call a refund this, and German banks a payment that comes in.
    expression: /^gutschrift$/,
    meanings: 'a payment or a refund',
    kinds: 'capture or refund',
    goingOut: 'refund',
  },
  {
    expression: /^(reversals?|reversed|rvsl|storno|stornierung|rückzahlung|rueckzahlung)$/,
    meanings: 'a refund or a chargeback',
    kinds: 'refund or chargeback',
  },
];

const unclearWord = (written: string): UnclearWord | undefined =>
  unclearWords.find(({ expression }) => expression.test(plainWord(written)));

/** What a row says about its kind: the word for it, and whether money comes in (1) or goes out (-1). */
export interface Booked {
  word: string;
  sign: number;
}

const MAX_WORDS = 50;

/** The words of a column by kind, and notes about those whose kind nobody can tell. */
export function sortWords(booked: readonly Booked[]): { kinds: Record<string, string[]>; notes: string[] } {
  const distinct = [...new Set(booked.map(({ word }) => word))]
    .filter((word) => word !== '')
    .slice(0, MAX_WORDS);
  const kindOf = (word: string) => knownKind(word) ?? (goesOut(booked, word) && unclearWord(word)?.goingOut);
  const kinds = kindWords.flatMap(([kind]) => {
    const words = distinct.filter((word) => kindOf(word) === kind);
    return words.length === 0 ? [] : [[kind, words] as const];
  });
  const open = distinct.filter((word) => !kindOf(word));
  const fees = open.filter((word) => feeWord.test(plainWord(word)));
  return {
    kinds: { ...Object.fromEntries(kinds), ...(fees.length > 0 && { fee: fees }) },
    notes: [
      ...open.flatMap((word) => {
        const unclear = unclearWord(word);
        if (unclear === undefined) return [];
        return [`${word} may be ${unclear.meanings}: add it to kinds in the mapping, as ${unclear.kinds}.`];
      }),
      ...unknownNotes(open.filter((word) => !isKindWord(word))),
    ],
  };
}

function goesOut(booked: readonly Booked[], word: string): boolean {
  const signs = booked.flatMap((row) => (row.word === word && row.sign !== 0 ? [row.sign] : []));
  return signs.length > 0 && signs.every((sign) => sign < 0);
}

const MAX_NAMED = 5;

function unknownNotes(words: readonly string[]): string[] {
  if (words.length === 0) return [];
  const more = words.length > MAX_NAMED ? ` and ${words.length - MAX_NAMED} more` : '';
  const names = `${words.slice(0, MAX_NAMED).join(', ')}${more}`;
  return [
    `paydesk does not know what ${names} means: add it to kinds in the mapping if it is a capture, a refund or a chargeback.`,
  ];
}

const feeWord = /^(fees?|processing fees?|gebühr(en)?|gebuehr(en)?|entgelte?|comisión|comisiones|frais)$/;

/** Kinds that are never compared with a payment. */
const otherKind =
  /^(fees?|processing fee|payouts?|transfer|adjustments?|reserve|deposit|withdrawal|balance|tax|interest|gebühr(en)?|gebuehr(en)?|auszahlung|überweisung|entgelte?|comisión)$/;

const isKindWord = (written: string): boolean =>
  knownKind(written) !== undefined ||
  unclearWord(written) !== undefined ||
  otherKind.test(plainWord(written));

const plainWord = (written: string): string =>
  written
    .toLowerCase()
    .replaceAll(/[\s_-]+/g, ' ')
    .trim();

/** A column with more words than this has something else in it. */
const MAX_KINDS = 20;

/** States of a payment, which the line of a refund may have as well: alone they do not make a column of kinds. */
const stateWord = /^(captured|charged|settled?)$/;

/** Whether a column with these cells says of which kind each line is. */
export function hasKinds(booked: readonly Booked[]): boolean {
  const cells = booked.filter(({ word }) => word !== '');
  const words = [...new Set(cells.map(({ word }) => word))];
  if (words.length > MAX_KINDS || !words.some((word) => knownKind(word) ?? unclearWord(word))) return false;
  if (words.every((word) => stateWord.test(plainWord(word)))) return false;
  // Money that goes out was not captured: then the column has something else, such as the state of each line.
  if (cells.some(({ word, sign }) => sign < 0 && knownKind(word) === 'capture')) return false;
  return hasReturns(booked) || 2 * cells.filter(({ word }) => isKindWord(word)).length >= cells.length;
}

/** Whether it tells lines that return money from captures. */
export const hasReturns = (booked: readonly Booked[]): boolean =>
  booked.some(({ word }) => unclearWord(word) ?? !['capture', undefined].includes(knownKind(word)));

export const hasAnyKind = (booked: readonly Booked[]): boolean => booked.some(({ word }) => isKindWord(word));
