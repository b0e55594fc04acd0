/** Runs `work` on every item, at most `limit` at a time. The results are in order; after an error nothing more starts. */
export async function mapConcurrent<T, R>(
  items: Iterable<T> | AsyncIterable<T>,
  limit: number,
  work: (item: T) => Promise<R>,
): Promise<R[]> {
  const results: R[] = [];
  const source = Symbol.asyncIterator in items ? items[Symbol.asyncIterator]() : items[Symbol.iterator]();
  let next = 0;
  let failed = false;
  const worker = async () => {
    while (!failed) {
      const index = next;
      next += 1;
      const step = await source.next();
      if (step.done) return;
      results[index] = await work(step.value);
    }
  };
  const guarded = () =>
    worker().catch((error: unknown) => {
      failed = true;
      throw error;
    });
  await Promise.all(Array.from({ length: limit }, guarded));
  return results;
}

export type Slots = <T>(work: () => Promise<T>) => Promise<T>;

/** Lets at most `count` pieces of work run at once; the others wait for their turn. */
export function createSlots(count: number): Slots {
  const waiting: Array<() => void> = [];
  let free = count;
  return async (work) => {
    if (free > 0) free -= 1;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else free += 1;
    }
  };
}

/** Loads at the first call, for all callers. A failed load is retried by the next one. */
export function loadOnce<T>(load: () => Promise<T>): () => Promise<T> {
  let loading: Promise<T> | undefined;
  return () =>
    (loading ??= load().catch((error: unknown) => {
      loading = undefined;
      throw error;
    }));
}
