import { setFlagsFromString } from 'node:v8';

/**
 * Rows come and go quickly, and V8 would rather let its young generation grow to a hundred megabytes than look
 * through it more often, and the old one to three times what is in use. A million rows are to be done in the memory
 * of a small container.
 */
export function keepHeapSmall(): void {
  setFlagsFromString('--semi-space-growth-factor=1');
  setFlagsFromString('--heap-growing-percent=50');
}
