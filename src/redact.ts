// The one place that takes secrets out of text: what the service answers, what is printed, what is written.

export const REDACTED = '[redacted]';

/** Shorter than this is no secret, and hiding it would only garble the text. */
const MIN_SECRET_LENGTH = 4;
/** For text that must stay what it is, such as JSON: a short key could be a part of anything there. */
const MIN_LENGTH_IN_DATA = 6;
/** An escape may be escaped itself; nobody nests them deeper than this. */
const MAX_ROUNDS = 4;

/** The ways in which JSON, addresses and HTML spell a character. */
const ESCAPE =
  /\\u([0-9a-f]{4})|\\(["\\/])|(?:%|\\x)([0-9a-f]{2})|&#x([0-9a-f]{1,8});?|&#(\d{1,10});?|&(\w{2,8});/gi;
/** Those of characters that a key may have. */
const ENTITIES: ReadonlyMap<string, string> = new Map([
  ['amp', '&'],
  ['lt', '<'],
  ['gt', '>'],
  ['quot', '"'],
  ['apos', "'"],
  ['lowbar', '_'],
  ['underbar', '_'],
  ['period', '.'],
  ['plus', '+'],
  ['equals', '='],
  ['sol', '/'],
  ['colon', ':'],
]);
const BASE64 = /[\w+/-]/;
const HEXADECIMAL = /[0-9a-f]/i;

/** A part of the text, by its first position and the one after its last. */
type Range = [from: number, to: number];

/** What to look for on behalf of a secret. */
interface Form {
  text: string;
  /** What the letters around it look like where it was encoded with others, which are then hidden as well. */
  around?: RegExp;
}

/** Takes a secret out of a text, however it is written there: plain, escaped, percent-encoded, in base64 or in hexadecimal. */
export function createScrubber(secret: string): (text: string) => string {
  if (secret.length < MIN_LENGTH_IN_DATA) return (text) => text;
  let forms: Form[] | undefined;
  return (text) => scrub(text, (forms ??= formsOf(secret)));
}

function scrub(text: string, forms: readonly Form[]): string {
  return forms.length > 0 && holdsAny(text, forms) ? withoutRanges(text, findRanges(text, forms)) : text;
}

function formsOf(secret: string): Form[] {
  const bytes = Buffer.from(secret);
  // Percent-encoding is decoded byte by byte, which makes this of letters beyond ASCII.
  const plain = [secret, bytes.toString('latin1')];
  const encoded = [0, 1, 2].flatMap((before) => {
    const form = base64Core(bytes, before);
    return [form, form.replaceAll('+', '-').replaceAll('/', '_')];
  });
  const digits = ['', ' ', ':', '-'].map((between) =>
    bytes.toString('hex').replaceAll(/..(?=.)/g, `$&${between}`),
  );
  return [
    ...[...new Set(plain)].map((text) => ({ text })),
    ...[...new Set(encoded)]
      .filter(({ length }) => length >= MIN_SECRET_LENGTH)
      .map((text) => ({ text, around: BASE64 })),
    ...[...new Set(digits.flatMap((text) => [text, text.toUpperCase()]))].map((text) => ({
      text,
      around: HEXADECIMAL,
    })),
  ];
}

/** The letters of base64 that depend on the secret alone when so many bytes (modulo 3) stand before it. */
function base64Core(bytes: Buffer, before: number): string {
  const text = Buffer.concat([Buffer.alloc(before), bytes]).toString('base64url');
  const whole = Math.floor(((before + bytes.length) * 8) / 6);
  return text
    .slice(Math.ceil((before * 8) / 6), whole)
    .replaceAll('-', '+')
    .replaceAll('_', '/');
}

/** Most texts hold no secret: they are only looked at, and nothing is kept of where each letter came from. */
function holdsAny(text: string, forms: readonly Form[]): boolean {
  // A secret that is escaped is longer than a plain one.
  if (forms.every((form) => text.length < form.text.length)) return false;
  let now = text;
  for (let round = 0; ; round += 1) {
    if (forms.some((form) => now.includes(form.text))) return true;
    const decoded = round < MAX_ROUNDS ? now.replace(ESCAPE, decodeEscape) : now;
    if (decoded === now) return false;
    now = decoded;
  }
}

function findRanges(text: string, forms: readonly Form[]): Range[] {
  const ranges: Range[] = [];
  let now = text;
  let positions = Uint32Array.from({ length: text.length + 1 }, (_, index) => index);
  for (let round = 0; ; round += 1) {
    for (const form of forms) {
      for (const [from, to] of occurrences(now, form)) {
        ranges.push([beforeBackslashes(text, positions[from] ?? 0), positions[to] ?? text.length]);
      }
    }
    const next = round < MAX_ROUNDS ? decode(now, positions) : undefined;
    if (next === undefined) return ranges;
    ({ text: now, positions } = next);
  }
}

function* occurrences(text: string, { text: form, around }: Form): Generator<Range> {
  for (let from = text.indexOf(form); from >= 0; from = text.indexOf(form, from)) {
    let to = from + form.length;
    let start = from;
    if (around) {
      while (start > 0 && around.test(text.charAt(start - 1))) start -= 1;
      while (around.test(text.charAt(to)) || text.charAt(to) === '=') to += 1;
    }
    yield [start, to];
    from = to;
  }
}

/** A backslash that is left in front would escape what is put there, and JSON would be none any more. */
function beforeBackslashes(text: string, position: number): number {
  let from = position;
  while (from > 0 && text[from - 1] === '\\') from -= 1;
  return from;
}

/** The text with its escapes replaced, and where each letter came from; nothing when it has none. */
function decode(
  text: string,
  positions: Uint32Array,
): { text: string; positions: Uint32Array<ArrayBuffer> } | undefined {
  const from: number[] = [];
  let decoded = '';
  let end = 0;
  for (const match of text.matchAll(ESCAPE)) {
    decoded += text.slice(end, match.index);
    for (; end < match.index; end += 1) from.push(positions[end] ?? 0);
    const letter = decodeEscape(...(match as unknown as Parameters<typeof decodeEscape>));
    decoded += letter;
    for (let unit = 0; unit < letter.length; unit += 1) from.push(positions[end] ?? 0);
    end += match[0].length;
  }
  if (end === 0) return undefined;
  decoded += text.slice(end);
  for (; end <= text.length; end += 1) from.push(positions[end] ?? 0);
  return { text: decoded, positions: Uint32Array.from(from) };
}

function decodeEscape(
  whole: string,
  unit?: string,
  itself?: string,
  byte?: string,
  hexadecimal?: string,
  decimal?: string,
  name?: string,
): string {
  if (unit !== undefined) return String.fromCharCode(Number.parseInt(unit, 16));
  if (itself !== undefined) return itself;
  if (byte !== undefined) return String.fromCharCode(Number.parseInt(byte, 16));
  if (name !== undefined) return ENTITIES.get(name.toLowerCase()) ?? whole;
  const point = hexadecimal === undefined ? Number(decimal) : Number.parseInt(hexadecimal, 16);
  return point <= 0x10_ffff ? String.fromCodePoint(point) : whole;
}

function withoutRanges(text: string, ranges: readonly Range[]): string {
  let result = '';
  let end = 0;
  for (const [from, to] of ranges.toSorted((a, b) => a[0] - b[0])) {
    // What overlaps is one secret to the reader.
    if (from >= end) result += text.slice(end, from) + REDACTED;
    end = Math.max(end, to);
  }
  return result + text.slice(end);
}

/** Checkout and panel links let anyone in who has them: only their origin is shown. */
export function hideLinks(text: string): string {
  return text.replaceAll(
    /(https?:(?:\/|\\\/){2})(?:[^\s"'<>\\/?#@]*@)?([^\s"'<>\\/?#@]+)[^\s"'<>]*/gi,
    `$1$2/${REDACTED}`,
  );
}

const AUTHORIZATION = /\b(Bearer|Basic)\s+[^\s"',;]+/gi;

/** From the slashes of an address to the next address or to white space: each letter is looked at once. */
const AFTER_SCHEME = /(:\\?\/\\?\/)((?:(?!:\\?\/\\?\/)\S)+)/g;
/** The quote at the end of an address; one inside of a password is followed by more of it. */
const END_QUOTE = /["'](?=[,:;)}\]]|$)/;
const HOST = /^([a-z0-9-]+(\.[a-z0-9-]+)+|localhost|\[[0-9a-f:.]+\])(:\d{1,5})?$/i;

/**
 * Hides what stands before the last @ of an address: passwords may have any sign in them, and a user name may be a token.
 * Only after the host of a web address does an @ belong to a path or a query.
 */
function hideUserInfo(text: string): string {
  return text.replaceAll(AFTER_SCHEME, (whole: string, slashes: string, rest: string, position: number) => {
    const end = rest.search(END_QUOTE);
    const at = rest.slice(0, end < 0 ? rest.length : end).lastIndexOf('@');
    if (at < 0) return whole;
    const [authority = ''] = rest.split(/[/?#\\]/, 1);
    const isWeb = /https?$/i.test(text.slice(Math.max(0, position - 5), position));
    return isWeb && HOST.test(authority) ? whole : `${slashes}${REDACTED}${rest.slice(at)}`;
  });
}

export interface Redactor {
  /** Registers a secret that may be data, such as a link: it is hidden in errors and notes, not in results. */
  add: (secret: string | undefined) => void;
  /** Registers an API key, which is hidden in data too. */
  addKey: (key: string) => void;
  /** For errors, notes and `--debug`. */
  redact: (text: string) => string;
  /** For data, which is exact but for the key. */
  redactData: (text: string) => string;
}

export function createRedactor(): Redactor {
  const told = new Map<string, Form[]>();
  const data = new Map<string, Form[]>();
  const register = (to: Map<string, Form[]>, secret: string, shortest: number) => {
    if (secret.length >= shortest && !to.has(secret)) to.set(secret, formsOf(secret));
  };
  return {
    add(secret) {
      register(told, secret ?? '', MIN_SECRET_LENGTH);
    },
    addKey(key) {
      register(told, key, MIN_SECRET_LENGTH);
      register(data, key, MIN_LENGTH_IN_DATA);
    },
    redact(text) {
      const scrubbed = scrub(text, [...told.values()].flat());
      return hideUserInfo(scrubbed.replaceAll(AUTHORIZATION, `$1 ${REDACTED}`));
    },
    redactData: (text) => (data.size === 0 ? text : scrub(text, [...data.values()].flat())),
  };
}

/** The secrets of this process; a crash outside any command is printed through it too. */
export const processSecrets = createRedactor();
