// The options of every command, which may stand before it.

/** Whether a value follows. */
const globalOptions: ReadonlyMap<string, boolean> = new Map([
  ['--profile', true],
  ['-p', true],
  ['--timeout', true],
  ['--jq', true],
  ['--json', false],
  ['--debug', false],
  ['--no-input', false],
]);

export const isGlobalOption = (name: string): boolean => globalOptions.has(name);

/** How many words the option at this place has; 0 if it is no option of every command. */
function optionLength(argv: readonly string[], at: number): number {
  const [name = '', value] = (argv[at] ?? '').split('=', 2);
  const hasValue = globalOptions.get(name);
  if (hasValue === undefined) return 0;
  return hasValue && value === undefined ? 2 : 1;
}

/** Options of every command may come before it, as in other programs. */
export function commandFirst(argv: readonly string[]): string[] {
  let taken = 0;
  for (let length = optionLength(argv, 0); length > 0; length = optionLength(argv, taken)) taken += length;
  return optionsLast(argv.slice(taken), argv.slice(0, taken));
}

/** Moves the options of every command behind the words that they stand between. */
export function wordsFirst(argv: readonly string[]): string[] {
  const words: string[] = [];
  const options: string[] = [];
  let at = 0;
  while (at < argv.length) {
    const length = optionLength(argv, at);
    if (length === 0 && argv[at]?.startsWith('-')) break;
    const end = at + Math.max(1, length);
    (length === 0 ? words : options).push(...argv.slice(at, end));
    at = end;
  }
  return optionsLast([...words, ...argv.slice(at)], options);
}

export function withoutGlobalOptions(argv: readonly string[]): string[] {
  const kept: string[] = [];
  for (let at = 0; at < argv.length; at += optionLength(argv, at) || 1) {
    if (optionLength(argv, at) === 0) kept.push(argv[at]!);
  }
  return kept;
}

function optionsLast(rest: readonly string[], options: readonly string[]): string[] {
  const end = rest.indexOf('--');
  return end < 0 ? [...rest, ...options] : rest.toSpliced(end, 0, ...options);
}
