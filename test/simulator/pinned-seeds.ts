export interface PinnedSeed {
  seed: number;
  /** As of `--only`: the part of the hostility that the bug needs. */
  only?: string;
  found: string;
}

/**
 * Worlds in which the program once broke its promise. Before it had one rule for sending again, 199 of the first 200
 * seeds ended with a violation; the ones with `only` each show one way of it.
 */
export const pinnedSeeds: readonly PinnedSeed[] = [
  { seed: 3, only: 'lies,lag', found: 'a batch repeated a refund 0.7 s after a 429 that had carried it out' },
  {
    seed: 45,
    only: 'lies,lag',
    found: 'a batch repeated a refund 0.5 s after a 429 that had carried it out',
  },
  { seed: 7, only: 'lies,lag', found: 'a capture that was carried out and answered 400 was sent again' },
  { seed: 47, only: 'lies,lag', found: 'a refund that was carried out and answered 422 was sent again' },
  { seed: 8, only: 'lies,names', found: 'a capture into a state of another name was sent again' },
  { seed: 46, only: 'lies,names', found: 'an unhold into a state of another name was sent again' },
  { seed: 1, only: 'lag,rechecks', found: 'refunds and a cancel that succeeded were told as failed' },
  { seed: 4, only: 'lag,rechecks', found: 'a capture that succeeded was told as failed' },
  { seed: 7, only: 'pauses', found: 'a desk woke after a colleague had taken over, and sent' },
  { seed: 12, only: 'pauses', found: 'a desk woke after a colleague had taken over, and sent' },
  {
    seed: 8,
    only: 'lag,pauses',
    found: 'a recheck showed that a payment had moved, a late read did not, and a cancel was sent again',
  },
  { seed: 20, only: 'clocks', found: 'a wall clock jumped over the quiet period' },
  { seed: 1, only: 'spellings', found: 'two spellings of one base URL held nothing for each other' },
  { seed: 70, found: 'a desk was paused after its recheck, and sent on it after the original had been sent' },
  { seed: 41, found: 'a refused capture was told as accepted under a state of another name' },
  { seed: 31, found: 'a cancel that was done was not told as done where nothing can be rechecked' },
  { seed: 20, found: 'a refused cancel was opened again while an unhold held the payment' },
  { seed: 1035, found: 'a batch looked for a row that it could not claim, again and again without a pause' },
  { seed: 311, found: 'an unhold was told as done of a payment whose state before nobody could read' },
  { seed: 28, found: 'a clock was set back by two days, and a command read for two days' },
  { seed: 11036, found: 'a desk was paused after it had read, and told as failed what was done meanwhile' },
  {
    seed: 10668,
    found: 'a desk was paused after it had read, and told as failed what a colleague had sent again',
  },
  { seed: 10841, found: 'a paused runner sent a row that another had finished, which stayed refused' },
  { seed: 10329, found: 'two paused runners had the same row: one sent it, and the other called it skipped' },
  {
    seed: 83000472,
    found: 'a desk that was paused noted its older intent over a newer one, which a restored ledger lacked',
  },
  {
    seed: 4002842,
    found:
      'a desk that slept while it noted its ledger overwrote the note of the one that was adopted meanwhile',
  },
  {
    seed: 25002041,
    found:
      'a row waits for a refund outside of the batch that no read can settle, and was expected to be finished',
  },
  {
    seed: 25006457,
    found: 'an unhold that a lost ledger had sent was taken for one that was sent again',
  },
  {
    seed: 65000693,
    found: 'a row was captured by itself while its capture was refused, and was not expected to be done',
  },
  {
    seed: 65000881,
    found:
      'a desk was paused before it wrote down a failure, and told it after a colleague had sent it again',
  },
  {
    seed: 9000667,
    found:
      'a desk that waited for the end of a capture was paused, and told it as failed after a colleague had sent it again',
  },
  {
    seed: 9300285,
    only: 'lag,pauses',
    found: 'a capture that was forced while one was under way stayed unknown for ever, and kept its payment',
  },
  { seed: 5, found: 'a row that was answered 429 was never sent again' },
  {
    seed: 5000196,
    found: 'a capture was sent again, which never left, and then nothing kept the next one from being sent',
  },
  {
    seed: 18100857,
    found:
      'a refund was told as failed from before, while a colleague had sent it again since it was planned',
  },
  {
    seed: 131000059,
    found: 'a capture that was forced on a cancelled payment counted as one that an old read had let through',
  },
  {
    seed: 86914,
    found:
      'a desk was paused after it had recorded a failure, and its report counted as wrong because a colleague had sent it again',
  },
  {
    seed: 110936,
    only: 'lies,rechecks,pauses,clocks',
    found:
      'people stopped looking while a row still waited for its quiet period, which counted as a row that never ends',
  },
  {
    seed: 113904,
    only: 'lies,lag,rechecks,names,pauses,clocks,restarts,spellings,ledgers,opposites',
    found:
      'a row stayed accepted, and counted as done, after what was accepted had been sent again and was not taken',
  },
];
