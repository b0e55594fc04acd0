// Whether what the program printed is what a page shows. What varies from run to run is told by its pattern alone;
// everything else must be equal, but for the width of the gaps between columns.

interface Varying {
  pattern: RegExp;
  /** Whether one in the page stands for one of the run, and for the same one throughout. */
  bound?: true;
}

const varying: Readonly<Record<string, Varying>> = {
  app: { pattern: /\bapp_[0-9a-f]{12}\b/, bound: true },
  batch: { pattern: /\b20\d{6}-[a-z0-9]{6}\b/, bound: true },
  reference: { pattern: /\bref_[0-9a-f]{16}\b/, bound: true },
  proof: { pattern: /\b[0-9a-f]{32}\b/ },
  keyFile: { pattern: /(?<=-)[0-9a-f]{8}(?=\.key\b)/ },
  event: { pattern: /\bevt_[\w-]+/ },
  secret: { pattern: /(?<=\/wh\/)[\w…-]+|(?<=token=)[\w-]{32}|(?<=\/panel\/)[\w.-]+/ },
  localTime: { pattern: localTime() },
  time: { pattern: anyTime() },
  age: { pattern: /\bjust now\b|\b\d+ (?:second|minute)s? ago\b|\b\d+ (?:day|month|year)s? ahead\b/ },
  duration: { pattern: /\b\d+(?:\.\d+)? (?:ms|s)\b|(?<="ms":)\d+|(?<=(?:time|seconds)=")[\d.]+/ },
  rate: { pattern: /\b\d+(?:\.\d+)?\/s\b/ },
  // A payment with an unknown outcome is read for a fixed time: a slow machine reads it less often.
  reads: { pattern: /\b(?:One read since then shows|(?:Two|Three|Four|Five) reads since then show)\b/ },
  expiry: { pattern: /\b\d\d\/20\d\d\b/ },
};

function dayPattern(): string {
  const months =
    'Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?|Sep(?:tember)?';
  return String.raw`\d{1,2} (?:${months}|Oct(?:ober)?|Nov(?:ember)?|Dec(?:ember)?) \d{4}`;
}

/** A time in a sentence on a terminal has no zone; only where it is one, because an order may be called 20:41. */
function localTime(): RegExp {
  const clock = String.raw`\d\d:\d\d\b`;
  const [told, bounded] = [
    `(?<=\\bsince )(?:${dayPattern()}, )?${clock}(?! UTC)`,
    `\\b${clock}(?= at the\\b)`,
  ];
  return new RegExp(`${told}|${bounded}`);
}

/** An instant, a day or a time of day, as JSON, tables and sentences write them. */
function anyTime(): RegExp {
  const clock = String.raw`\d\d:\d\d(?::\d\d)?`;
  const day = dayPattern();
  const forms = [
    String.raw`\d{4}-\d\d-\d\dT${clock}(?:\.\d+)?Z`,
    String.raw`(?:\d{4}-)?\d\d-\d\d(?: ${clock})?\b`,
    String.raw`(?:${day}, )?${clock} UTC\b`,
    String.raw`${day}\b`,
    String.raw`\d\d:\d\d:\d\d\b`,
  ];
  return new RegExp(String.raw`\b(?:${forms.join('|')})`);
}

const names = Object.keys(varying);
const anyVarying = new RegExp(
  names.map((name) => `(?<${name}>${varying[name]?.pattern.source})`).join('|'),
  'g',
);

interface Found {
  name: string;
  text: string;
}

/** A line with what varies taken out of it. */
interface Shape {
  shape: string;
  found: Found[];
}

function shapeOf(line: string): Shape {
  const found: Found[] = [];
  const shape = line.replaceAll(anyVarying, (text: string, ...rest: unknown[]) => {
    const groups = rest.at(-1) as Record<string, string | undefined>;
    const name = names.find((candidate) => groups[candidate] !== undefined) as string;
    found.push({ name, text });
    return `<${name}>`;
  });
  return { shape: shape.trimEnd().replaceAll(/(?<=\S) {2,}/g, '  '), found };
}

export interface Likeness {
  /** Undefined when they are alike; what was bound on the way stays bound. */
  difference(shown: readonly string[], printed: readonly string[]): string | undefined;
  /** A command of the page with what the page's ids stand for. */
  inThisRun(text: string): string;
  /** What was printed with the page's ids. */
  asShown(text: string): string;
}

export function createLikeness(): Likeness {
  const bound = new Map<string, string>();

  function bind(shown: Found[], printed: Found[]): string | undefined {
    for (const [index, { name, text }] of shown.entries()) {
      if (!varying[name]?.bound) continue;
      const actual = (printed[index] as Found).text;
      const known = bound.get(text);
      const taken = [...bound].some(([other, value]) => value === actual && other !== text);
      if (taken || (known !== undefined && known !== actual))
        return `${text} stands for ${known ?? 'something new'}, and it printed ${actual}`;
      bound.set(text, actual);
    }
    return undefined;
  }

  return {
    difference(shown, printed) {
      const pairs = align(trimmed(shown), trimmed(printed));
      if (typeof pairs === 'string') return pairs;
      for (const [left, right] of pairs) {
        const problem = bind(left.found, right.found);
        if (problem !== undefined) return problem;
      }
      return undefined;
    },
    asShown: (text) => [...bound].reduce((now, [from, to]) => now.replaceAll(to, from), text),
    inThisRun: (text) => [...bound].reduce((now, [from, to]) => now.replaceAll(from, to), text),
  };
}

/** A line of its own that stands for any lines: the reader sees that something was left out. */
export const LEFT_OUT = '…';

/** What goes with what, or the first line that goes with nothing. */
function align(shown: string[], printed: string[]): Array<[Shape, Shape]> | string {
  const [left, right] = [shown.map(shapeOf), printed.map(shapeOf)];
  const pairs: Array<[Shape, Shape]> = [];
  let at = 0;
  for (let index = 0; index < shown.length; index += 1) {
    const line = left[index] as Shape;
    if (line.shape.trim() === LEFT_OUT) {
      const next = left[index + 1]?.shape;
      const found =
        next === undefined ? printed.length : right.findIndex(({ shape }, i) => i >= at && shape === next);
      if (found < 0) return `nothing printed is like: ${next}`;
      at = found;
      continue;
    }
    const other = right[at];
    if (line.shape === other?.shape) {
      pairs.push([line, other]);
      at += 1;
      continue;
    }
    const rewrapped = other && alignRewrapped(shown.slice(index), printed.slice(at));
    if (!rewrapped) return `shown:   ${line.shape}\nprinted: ${other?.shape ?? '(nothing more)'}`;
    pairs.push(rewrapped.pair);
    index += rewrapped.shown - 1;
    at += rewrapped.printed;
  }
  return at < printed.length ? `shown:   (nothing more)\nprinted: ${right[at]?.shape}` : pairs;
}

/** A longer or shorter date moves the line breaks after it: the words up to the next empty line must be the same. */
function alignRewrapped(
  shown: string[],
  printed: string[],
): { pair: [Shape, Shape]; shown: number; printed: number } | undefined {
  const shownCount = paragraphLength(shown);
  const left = joinedShape(shown.slice(0, shownCount));
  if (!left.found.some(({ name }) => name === 'time' || name === 'localTime')) return undefined;
  for (let count = 1; count <= paragraphLength(printed); count += 1) {
    const right = joinedShape(printed.slice(0, count));
    if (left.shape === right.shape) return { pair: [left, right], shown: shownCount, printed: count };
  }
  return undefined;
}

function paragraphLength(lines: string[]): number {
  const end = lines.findIndex((line) => line.trim() === '' || line.trim() === LEFT_OUT);
  return end < 0 ? lines.length : end;
}

const joinedShape = (lines: string[]): Shape => shapeOf(lines.join(' ').replaceAll(/\s+/g, ' ').trim());

function trimmed(lines: readonly string[]): string[] {
  const first = lines.findIndex((line) => line.trim() !== '');
  const last = lines.findLastIndex((line) => line.trim() !== '');
  const between = first < 0 ? [] : lines.slice(first, last + 1);
  // A screen that is drawn as a whole has as many empty lines as it needs.
  return between.filter((line, index) => line.trim() !== '' || between[index - 1]?.trim() !== '');
}
