/** A word as a shell takes it. */
export function shellWord(word: string): string {
  return /^[\w@%+=:,./~-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}

interface Part {
  start: number;
  end: number;
}

/** The words of a command, quotes included, each with its place; a flag and its value are one part. */
export function shellParts(command: string): Array<Part & { words: Part[] }> {
  const parts: Array<Part & { words: Part[] }> = [];
  let takesValue = false;
  for (const { 0: text, index: start } of command.matchAll(/(?:[^\s'"\\]|\\.|'[^']*'|"[^"]*")+/g)) {
    const word = { start, end: start + text.length };
    const last = parts.at(-1);
    if (last && takesValue && !text.startsWith('-')) {
      last.end = word.end;
      last.words.push(word);
    } else parts.push({ ...word, words: [word] });
    takesValue = text.startsWith('--') && !text.includes('=');
  }
  return parts;
}

/** A command as it can be typed. */
export const shellLine = (...words: string[]): string => words.map(shellWord).join(' ');

// A batch knows the profile that it was planned with.
const TAKES_PROFILE =
  /^paydesk (api|customers|doctor|history|payments|webhook|whoami)\b(?!.*( --help| --profile|…))/;

/** The same command for who chose a profile with `--profile`: typed as it stands, it would act on another app. */
export function onProfile(command: string, profile: string | undefined): string {
  return profile !== undefined && TAKES_PROFILE.test(command)
    ? `${command} ${shellLine('--profile', profile)}`
    : command;
}
