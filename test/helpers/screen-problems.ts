// What is wrong with a screen for whoever looks at it: escape codes as text, lines that do not fit, broken words.

import { displayWidth } from '../../src/output/text.js';
import type { Screen } from './screen.js';

const ESCAPE_AS_TEXT = /\\u\{[0-9a-f]+\}|\\x1b|\\u001b|\[\d{1,3}(?:;\d{1,3})*m/i;

/** What is different in every run, and is one word. */
const VARYING = [
  /(?<!\S)[\d.]+\/s\b/g,
  /(?<!\S)\d+\.\d(?!\S)/g,
  /https?:\/\/\S+/g,
  /\b(?:app|evt|sk|key|pdl)_[\w-]+/g,
  /\b20\d{6}-[a-z0-9]{6}\b/g,
  /\b[0-9a-f]{8,}(?:-[0-9a-f]{4,})*\b/g,
  /(?<!\w)\/(?:[\w.-]+\/)+[\w.-]*/g,
];

/** Words of ages, which may be others a second later. */
const AGES = [
  'just',
  'a',
  'moment',
  'now',
  'ago',
  'in',
  '0',
  '#',
  'second',
  'seconds',
  'minute',
  'minutes',
  'ms',
  's',
  '(just',
  'now)',
  'ago)',
  '(0',
];

/** Words of how often a payment was read, which depends on how fast the machine is. */
const READS = ['One', 'Two', 'Three', 'Four', 'Five', 'read', 'reads', 'shows', 'show'];

const plain = (word: string): string =>
  VARYING.reduce((now, pattern) => now.replaceAll(pattern, '#'), word).replaceAll(/\d+/g, (digits) =>
    digits.length > 3 ? '0'.repeat(digits.length) : '0',
  );

/** The provider's references are random, and so differ from one screen to the next. */
const words = (lines: readonly string[]): string[] =>
  lines
    .flatMap((line) => line.split(/\s+/))
    .map((word) => word.replace(/^ref_[0-9a-f]{16}$/, 'ref_…'))
    .filter((word) => word !== '');

/** What every screen must be free of, whatever is shown on it. */
export function screenProblems(screen: Screen, columns: number): string[] {
  return screen.lines().flatMap((line) => {
    const problems: string[] = [];
    if (ESCAPE_AS_TEXT.test(line)) problems.push(`an escape code as text: ${line}`);
    // A link or a key that is wider than the terminal is left whole, so that it can be clicked and copied.
    const fitsNowhere = !line.trim().includes(' ') && displayWidth(line.trim()) > columns;
    if (displayWidth(line) > columns && !fitsNowhere) {
      problems.push(`${displayWidth(line)} columns of ${columns}: ${line}`);
    }
    return problems;
  });
}

/** Words that are on a screen and not on a wide one that shows the same: pieces of words. */
export function brokenWords(screen: Screen, wide: Screen): string[] {
  const whole = new Set([...words(wide.lines()).map(plain), ...AGES, ...READS, '\\']);
  return words(screen.lines())
    .map((word) => word.replace(/,$/, ''))
    .filter((word) => !whole.has(plain(word)) && !whole.has(plain(`${word},`)))
    .filter(
      (word) => !(word.endsWith('…') && [...whole].some((one) => one.startsWith(plain(word.slice(0, -1))))),
    )
    .map((word) => `a word that is not on a wide screen: ${word}`);
}
