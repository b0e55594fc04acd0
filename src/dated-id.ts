// No letters that are taken for others or for digits.
const LETTERS = 'abcdefghjkmnpqrstuvwxyz23456789';

/** `20261115-k3f9x2`: the day and random letters, easy to read out. */
export function datedId(now: Date, letters: number, randomBelow: (limit: number) => number): string {
  const day = now.toISOString().slice(0, 10).replaceAll('-', '');
  const tail = Array.from({ length: letters }, () => LETTERS.charAt(randomBelow(LETTERS.length)));
  return `${day}-${tail.join('')}`;
}
