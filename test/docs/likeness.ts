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
  proof: { pattern: /\b[0-9a-f]{32}\b/ },
  keyFile: { pattern: /(?<=-)[0-9a-f]{8}(?=\.key\b)/ },
  event: { pattern: /\bevt_[\w-]+/ },
  secret: { pattern: /(?<=\/wh\/)[\w…-]+|(?<=token=)[\w-]{32}|(?<=\/panel\/)[\w.-]+/ },
  time: {
    pattern:
      /\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z|\b(?:\d{4}-)?\d\d-\d\d(?: \d\d:\d\d(?::\d\d)?)?\b|\b\d\d:\d\d:\d\d\b/,
  },
  age: { pattern: /\bjust now\b|\b\d+ (?:second|minute)s? ago\b/ },
  duration: { pattern: /\b\d+(?:\.\d+)? (?:ms|s)\b|(?<="ms":)\d+|(?<=(?:time|seconds)=")[\d.]+/ },
  rate: { pattern: /\b\d+(?:\.\d+)?\/s\b/ },
  expiry: { pattern: /\b\d\d\/20\d\d\b/ },
};

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
function shapeOf(line: string): { shape: string; found: Found[] } {
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
      const [left, right] = [trimmed(shown).map(shapeOf), trimmed(printed).map(shapeOf)];
      const pairs = align(
        left.map(({ shape }) => shape),
        right.map(({ shape }) => shape),
      );
      if (typeof pairs === 'string') return pairs;
      for (const [a, b] of pairs) {
        const problem = bind(left[a]?.found ?? [], right[b]?.found ?? []);
        if (problem !== undefined) return problem;
      }
      return undefined;
    },
    asShown: (text) => [...bound].reduce((now, [from, to]) => now.replaceAll(to, from), text),
    inThisRun: (text) => [...bound].reduce((now, [from, to]) => now.replaceAll(from, to), text),
  };
}

/** A line of its own that stands for any lines: the reader sees that something was left out. */
const LEFT_OUT = '…';

/** Which line goes with which, or the first that goes with none. */
function align(shown: string[], printed: string[]): Array<[number, number]> | string {
  const pairs: Array<[number, number]> = [];
  let at = 0;
  for (const [index, line] of shown.entries()) {
    if (line.trim() === LEFT_OUT) {
      const next = shown[index + 1];
      const found = next === undefined ? printed.length : printed.indexOf(next, at);
      if (found < 0) return `nothing printed is like: ${next}`;
      at = found;
      continue;
    }
    if (line !== printed[at]) return `shown:   ${line}\nprinted: ${printed[at] ?? '(nothing more)'}`;
    pairs.push([index, at]);
    at += 1;
  }
  return at < printed.length ? `shown:   (nothing more)\nprinted: ${printed[at]}` : pairs;
}

function trimmed(lines: readonly string[]): string[] {
  const first = lines.findIndex((line) => line.trim() !== '');
  const last = lines.findLastIndex((line) => line.trim() !== '');
  const between = first < 0 ? [] : lines.slice(first, last + 1);
  // A screen that is drawn as a whole has as many empty lines as it needs.
  return between.filter((line, index) => line.trim() !== '' || between[index - 1]?.trim() !== '');
}
