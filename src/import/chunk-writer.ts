// Writes what an import has read in a thread of its own: to write a payment takes half as long as to read it, and the next
// ones can be read meanwhile.

import { Worker } from 'node:worker_threads';
import type { AppRef } from '../ledger/payment-ref.js';
import { StoreError } from '../store/errors.js';
import type { Chunk } from './chunk.js';
import type { ImportCounts } from './import-record.js';

/** Where the thread writes to. */
export interface ChunkTarget {
  location: string;
  app: AppRef;
  fingerprint: string;
  counts: ImportCounts;
}

/** What the thread answers with once a chunk is durable, or cannot be. */
export type ChunkAnswer =
  | { counts: ImportCounts }
  | { failure: Pick<StoreError, 'code' | 'message' | 'fix'> };

export interface ChunkWriter {
  /** What all rows came to so far. */
  write(chunk: Chunk): Promise<ImportCounts>;
  close(): Promise<void>;
}

/** `script` is the file of the thread; see `writing-thread.ts`. */
export function startChunkWriter(script: string, target: ChunkTarget): ChunkWriter {
  const thread = new Worker(script, { workerData: target });
  const ended = new Promise<void>((resolve) => thread.once('exit', () => resolve()));
  const broken = new Promise<never>((_resolve, reject) => thread.once('error', reject));
  broken.catch(() => {});
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has none
  const send = (chunk: Chunk | undefined) => thread.postMessage(chunk);

  async function write(chunk: Chunk): Promise<ImportCounts> {
    const answered = new Promise<ChunkAnswer>((resolve) => thread.once('message', resolve));
    send(chunk);
    const answer = await Promise.race([answered, broken]);
    if ('counts' in answer) return answer.counts;
    const { code, message, fix } = answer.failure;
    throw new StoreError(code, message, { fix });
  }

  return {
    write,
    async close() {
      send(undefined);
      await ended;
    },
  };
}
