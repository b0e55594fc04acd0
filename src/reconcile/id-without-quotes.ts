/**
 * An ID in lower case, without spaces and quotes: what a spreadsheet or a hand may have changed of it. Such IDs raise
 * doubts, and never make a match.
 */
export const idWithoutQuotes = (text: string): string =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[\s\p{C}'"`´‘’]/gu, '');
