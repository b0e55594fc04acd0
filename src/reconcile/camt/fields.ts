// The few fields of an entry or a transaction that say what happened, by their path in it.

import type { MentionSearch } from '../line.js';
import { createTexts } from './texts.js';

/** Charges, one by one. */
export interface Charge {
  amount: string;
  currency: string;
  direction: string;
  isIncluded: boolean;
}

export interface Fields {
  open(name: string, attributes: ReadonlyMap<string, string>): void;
  close(): void;
  text(text: string): void;
  /** Text in an element of another namespace. */
  foreignText(text: string): void;
  /** The text of the first element at a path; undefined when there is none, or nothing in it. */
  get(...paths: string[]): string | undefined;
  /** The currency of the amount at a path. */
  currencyOf(path: string): string | undefined;
  readonly charges: readonly Charge[];
  /** The texts that may have a name of a payment. */
  readonly texts: readonly string[];
}

const TOTAL = 'Chrgs/TtlChrgsAndTaxAmt';

/** Longer texts are remittance information and the like, which nothing here asks for. */
const MAX_TEXT = 1_024;
const MAX_FIELDS = 4_096;

/** `refuse` is called when there are more fields than any bank writes. */
export function createFields(
  refuse: (problem: string) => never,
  search: Pick<MentionSearch, 'mayMention'> | undefined,
): Fields {
  const found = createTexts(refuse, search);
  const values = new Map<string, string>();
  const currencies = new Map<string, string>();
  const charges: Charge[] = [];
  const paths: string[] = [];
  let current = '';
  let isSeen = false;

  return {
    charges,
    texts: found.texts,
    open(name, attributes) {
      const path = paths.length === 0 ? name : `${paths.at(-1)}/${name}`;
      paths.push(path);
      current = '';
      isSeen = false;
      const currency = attributes.get('Ccy');
      if (currency !== undefined && !currencies.has(path)) currencies.set(path, currency);
    },
    close() {
      const path = paths.pop() ?? '';
      const text = current.trim();
      current = '';
      if (text !== '' && !isSeen) found.see(path, text);
      isSeen = false;
      if (text !== '' && !values.has(path)) values.set(path, text);
      if (path === 'Chrgs/Rcrd' || path === 'Chrgs') takeCharge(path, { values, currencies, charges });
      if (values.size + charges.length > MAX_FIELDS) refuse('an entry has too many fields');
    },
    text(text) {
      if (current.length <= MAX_TEXT) {
        current += text;
        return;
      }
      // No field is this long, but a text that somebody wrote may be.
      const path = paths.at(-1) ?? '';
      if (!isSeen) found.see(path, current);
      isSeen = true;
      found.see(path, text);
    },
    foreignText: (text) => found.see('', text),
    get(...wanted) {
      for (const path of wanted) {
        const found = values.get(path);
        if (found !== undefined) return found;
      }
      return undefined;
    },
    currencyOf: (path) => currencies.get(path),
  };
}

/** Version 02 has the amount of a charge in it; later ones have records, of which there may be several. */
function takeCharge(
  path: string,
  {
    values,
    currencies,
    charges,
  }: { values: Map<string, string>; currencies: Map<string, string>; charges: Charge[] },
): void {
  const amount = values.get(`${path}/Amt`);
  const total = path === 'Chrgs' && charges.length === 0 ? values.get(TOTAL) : undefined;
  if (total !== undefined && amount === undefined) {
    charges.push({
      amount: total,
      currency: currencies.get(TOTAL) ?? '',
      direction: 'DBIT',
      isIncluded: false,
    });
  }
  if (amount !== undefined) {
    charges.push({
      amount,
      currency: currencies.get(`${path}/Amt`) ?? '',
      direction: values.get(`${path}/CdtDbtInd`) ?? 'DBIT',
      isIncluded: /^(true|1)$/.test(values.get(`${path}/ChrgInclInd`) ?? ''),
    });
  }
  for (const name of ['Amt', 'CdtDbtInd', 'ChrgInclInd']) {
    values.delete(`${path}/${name}`);
    currencies.delete(`${path}/${name}`);
  }
}
