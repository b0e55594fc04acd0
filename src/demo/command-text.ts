import { shellWord } from '../output/shell.js';

const WIDTH = 78;

/** A command as a person would write it down: broken before a flag where it is too long for one line. */
export function commandLines(words: readonly string[]): string[] {
  const lines: string[] = [];
  let line = '$ paydesk';
  for (const word of words.map(shellWord)) {
    const isFull = line.length + word.length + 3 > WIDTH;
    if (isFull && word.startsWith('--')) {
      lines.push(`${line} \\`);
      line = `    ${word}`;
    } else {
      line += ` ${word}`;
    }
  }
  return [...lines, line];
}
