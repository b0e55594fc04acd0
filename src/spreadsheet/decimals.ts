// Amounts as spreadsheets write them. `1,234` is a thousand in one country and a bit more than one in another, so one
// amount alone may not say what it means; the file as a whole does, or it is refused.

export type DecimalMark = 'point' | 'comma';

/** What one amount says about the file: it proves a style, fits both with one value, or fits both with two. */
type Evidence = DecimalMark | 'either' | 'ambiguous' | 'none';

const grouped = (group: string, decimal: string): RegExp =>
  new RegExp(`^[1-9]\\d{0,2}(${group}\\d{3})+(${decimal}\\d+)?$`);

/** Groups of three digits between thousands separators, with or without decimals. */
const groupedBy: Readonly<Record<DecimalMark, RegExp>> = {
  point: grouped(',', '\\.'),
  comma: grouped('\\.', ','),
};

export function evidenceOf(text: string): Evidence {
  if (/^\d+$/.test(text)) return 'either';
  // One mark before three digits: thousands in one style, three decimals in the other.
  if (/^[1-9]\d{0,2}[.,]\d{3}$/.test(text)) return 'ambiguous';
  if (/^\d+\.\d+$/.test(text) || groupedBy.point.test(text)) return 'point';
  if (/^\d+,\d+$/.test(text) || groupedBy.comma.test(text)) return 'comma';
  return 'none';
}

/** The amount with a decimal point and without thousands separators; as it is when it is none in this style. */
export function plainDecimal(text: string, style: DecimalMark): string {
  const [group, decimal] = style === 'point' ? [',', '.'] : ['.', ','];
  const isPlain = style === 'point' ? /^\d+(\.\d+)?$/ : /^\d+(,\d+)?$/;
  if (!isPlain.test(text) && !groupedBy[style].test(text)) return text;
  return text.replaceAll(group, '').replace(decimal, '.');
}

/** What the amounts of a file prove together, decided as they come. */
export interface DecimalStyle {
  see(line: number, text: string): void;
  /** The style that some amount proves, if any does; `undefined` as long as none has. */
  readonly proven: { style: DecimalMark; line: number; text: string } | undefined;
  /** Of one amount, once all were seen: its value with a decimal point, or why it cannot be read. */
  read(text: string): { amount: string } | { problem: string };
}

export function createDecimalStyle(): DecimalStyle {
  let proven: DecimalStyle['proven'];
  return {
    see(line, text) {
      const evidence = evidenceOf(text);
      if (evidence === 'point' || evidence === 'comma') proven ??= { style: evidence, line, text };
    },
    get proven() {
      return proven;
    },
    read(text) {
      const evidence = evidenceOf(text);
      if (evidence === 'either' || evidence === 'none') return { amount: text };
      if (proven === undefined) {
        const [one, other] = [plainDecimal(text, 'point'), plainDecimal(text, 'comma')];
        return { problem: `can mean ${one} or ${other}: write it without a thousands separator` };
      }
      if (evidence === 'ambiguous' || evidence === proven.style) {
        return { amount: plainDecimal(text, proven.style) };
      }
      return {
        problem: `has a decimal ${evidence}, but line ${proven.line} has a decimal ${proven.style} (${proven.text})`,
      };
    },
  };
}
