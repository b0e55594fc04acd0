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
