// Which payments the file has named, and on which line first: a few bytes for each, however many there are.

/** `unproven-capture`: the first capture in the file is not provably the one that the service shows. */
type SeenKind = 'capture' | 'second-capture' | 'refund' | 'unproven-capture';

export interface SeenPayments {
  /** Notes a payment by its number in the ledger. Returns the line that named it before, if one did. */
  mark(kind: SeenKind, id: number, line: number): number | undefined;
  has(kind: SeenKind, id: number): boolean;
}

const PAGE_BITS = 12;
const PAGE_SIZE = 1 << PAGE_BITS;

export function createSeen(): SeenPayments {
  const kinds: Record<SeenKind, Map<number, Uint32Array>> = {
    capture: new Map(),
    'second-capture': new Map(),
    refund: new Map(),
    'unproven-capture': new Map(),
  };
  return {
    mark(kind, id, line) {
      const key = Math.floor(id / PAGE_SIZE);
      let page = kinds[kind].get(key);
      if (page === undefined) kinds[kind].set(key, (page = new Uint32Array(PAGE_SIZE)));
      const at = id % PAGE_SIZE;
      const first = page[at];
      if (first) return first;
      page[at] = line;
      return undefined;
    },
    has: (kind, id) => Boolean(kinds[kind].get(Math.floor(id / PAGE_SIZE))?.[id % PAGE_SIZE]),
  };
}
