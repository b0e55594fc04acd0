// Runs as a thread of its own: writes each chunk that it is given, and ends when there is none.

import { parentPort, workerData } from 'node:worker_threads';
import { openDeskDatabase } from '../ledger/database.js';
import { StoreError } from '../store/errors.js';
import { writeChunk, type Chunk } from './chunk.js';
import type { ChunkAnswer, ChunkTarget } from './chunk-writer.js';
import { createImportRecord } from './import-record.js';

const { location, app, fingerprint, ...start } = workerData as ChunkTarget;
const port = parentPort as NonNullable<typeof parentPort>;
const answer = (text: ChunkAnswer) => port.postMessage(text);

const opening = openDeskDatabase({ location, operator: '' });
// If it fails, the answer to the first chunk says so.
opening.catch(() => {});
let { counts } = start;

async function write(chunk: Chunk): Promise<ChunkAnswer> {
  try {
    const { store } = await opening;
    const record = createImportRecord(store, app, fingerprint, Date.now);
    counts = await writeChunk({ store, app, record, now: Date.now() }, chunk, counts);
    return { counts };
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    const { code, message, fix } = error;
    return { failure: { code, message, fix } };
  }
}

async function end(): Promise<void> {
  port.close();
  const database = await opening.catch(() => undefined);
  await database?.close();
}

port.on('message', (chunk: Chunk | undefined) => {
  if (chunk === undefined) void end();
  else void write(chunk).then(answer);
});
