/** A word as a shell takes it. */
export function shellWord(word: string): string {
  return /^[\w@%+=:,./~-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}

/** A command as it can be typed. */
export const shellLine = (...words: string[]): string => words.map(shellWord).join(' ');
