import { loadOnce } from '../../concurrency.js';
import type { Ledger } from './ledger.js';

/** A ledger whose database is opened when it is first asked for something: most runs with `--dry-run` never do. */
export function createLazyLedger(open: () => Promise<Ledger>): Ledger {
  const ledger = loadOnce(open);
  return {
    ready: async () => void (await ledger()),
    now: async () => (await ledger()).now(),
    findBlocking: async (...asked) => (await ledger()).findBlocking(...asked),
    unsettled: async (...asked) => (await ledger()).unsettled(...asked),
    findOpen: async (...asked) => (await ledger()).findOpen(...asked),
    open: async (...asked) => (await ledger()).open(...asked),
    renew: async (...asked) => (await ledger()).renew(...asked),
    find: async (...asked) => (await ledger()).find(...asked),
    quietLeft: async (...asked) => (await ledger()).quietLeft(...asked),
    outcomesOf: async (...asked) => (await ledger()).outcomesOf(...asked),
    record: async (...asked) => (await ledger()).record(...asked),
    noteFound: async (...asked) => (await ledger()).noteFound(...asked),
    note: async (...asked) => (await ledger()).note(...asked),
    remember: async (...asked) => (await ledger()).remember(...asked),
  };
}
