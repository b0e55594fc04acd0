import type * as v8 from 'node:v8';

/** V8's own. */
const GROWTH_FACTOR = 2;
const GROWING_PERCENT = 0;
/** Twice as much takes 15 MB more and saves no time; a quarter takes a tenth longer. */
const YOUNG_SIZE = 16 * 1024 * 1024;
const MAX_FILLED = 500;

/**
 * Rows come and go quickly, and V8 would rather let its young generation grow to a hundred megabytes than look
 * through it more often, and the old one to four times what is in use. A million rows are to be done in the memory
 * of a small container.
 */
export function keepHeapSmall(): void {
  // Every start loads this file, and few need V8's own module.
  const heap = process.getBuiltinModule('node:v8');
  growYoung(heap);
  heap.setFlagsFromString('--heap-growing-percent=50');
  process.off('exit', restoreFlags).prependListener('exit', restoreFlags);
}

/** Compiled code is kept at the end: the next start could not take it from a process with other flags. */
function restoreFlags(): void {
  const { setFlagsFromString } = process.getBuiltinModule('node:v8');
  setFlagsFromString(`--heap-growing-percent=${GROWING_PERCENT}`);
  setFlagsFromString(`--semi-space-growth-factor=${GROWTH_FACTOR}`);
}

/** However large it is by now. It grows when enough of it outlives a collection. */
function growYoung({ getHeapSpaceStatistics, setFlagsFromString }: typeof v8): void {
  const youngSize = () =>
    getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space')?.space_size ?? YOUNG_SIZE;
  const filled: object[][] = [];
  while (filled.length < MAX_FILLED) {
    const factor = Math.floor(YOUNG_SIZE / youngSize());
    if (factor < 2) break;
    setFlagsFromString(`--semi-space-growth-factor=${factor}`);
    filled.push(Array.from({ length: 1000 }, (_, index) => ({ index })));
  }
  setFlagsFromString('--semi-space-growth-factor=1');
}
