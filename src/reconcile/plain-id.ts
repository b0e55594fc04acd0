/** An ID without what a spreadsheet or a hand may have changed of it. Such IDs raise doubts, and never make a match. */
export const plainId = (text: string): string =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[\s\p{C}'"`´‘’]/gu, '');
