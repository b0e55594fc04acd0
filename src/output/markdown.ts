import { safeText } from './text.js';

/** Text that stays text: nothing in it is a link, a mention, markup or the end of a cell. */
export const markdownText = (text: string): string =>
  safeText(text).replaceAll(/[\\`*_{}[\]<>|#~!&@:"']/g, String.raw`\$&`);

/** A table, line by line; columns whose name ends with `:` are aligned to the right. */
export function* markdownRows(columns: readonly string[]): Generator<string> {
  yield `\n| ${columns.map((column) => column.replace(/:$/, '')).join(' | ')} |\n`;
  yield `| ${columns.map((column) => (column.endsWith(':') ? '--:' : '---')).join(' | ')} |\n`;
}

export const markdownRow = (cells: readonly string[]): string =>
  `| ${cells.map(markdownText).join(' | ')} |\n`;
