/**
 * The reference of the next attempt after a charge failed: `inv-7`, `inv-7-retry-1`, `inv-7-retry-2`. It depends on
 * nothing else, so that two files made from the same report name the same attempt, and it is charged once.
 */
export function nextAttempt(reference: string): string {
  const [, base = reference, last = '0'] = /^(.+)-retry-([1-9]\d{0,5})$/.exec(reference) ?? [];
  return `${base}-retry-${Number(last) + 1}`;
}
