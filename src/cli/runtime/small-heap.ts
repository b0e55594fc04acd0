import type * as v8 from 'node:v8';

const YOUNG_FACTOR = 8;
const MAX_FILLED = 100;

/**
 * Rows come and go quickly, and V8 would rather let its young generation grow to a hundred megabytes than look
 * through it more often, and the old one to four times what is in use. A million rows are to be done in the memory
 * of a small container.
 */
export function keepHeapSmall(): void {
  // Every start loads this file, and few need V8's own module.
  const heap = process.getBuiltinModule('node:v8');
  growYoungOnce(heap);
  heap.setFlagsFromString('--heap-growing-percent=50');
}

/** From 1 to 8 MB, which halves the time for collecting, and no further. It grows when enough of it outlives a collection. */
function growYoungOnce({ getHeapSpaceStatistics, setFlagsFromString }: typeof v8): void {
  const youngSize = () =>
    getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space')?.space_size ?? 0;
  setFlagsFromString(`--semi-space-growth-factor=${YOUNG_FACTOR}`);
  const size = youngSize();
  const filled: object[][] = [];
  while (youngSize() <= size && filled.length < MAX_FILLED) {
    filled.push(Array.from({ length: 1000 }, (_, index) => ({ index })));
  }
  setFlagsFromString('--semi-space-growth-factor=1');
}
