// Runs as a thread of its own: a filter that never ends would keep this process from noticing a signal or the time.

import { parentPort } from 'node:worker_threads';
import { type FilterInput, runJq } from './run-jq.js';

const port = parentPort as NonNullable<typeof parentPort>;

port.on('message', (input: FilterInput) => {
  // Loading jq takes its time, which is not the filter's.
  void import('jq-wasm').then(() => {
    port.postMessage('started');
    return runJq(input).then((output) => port.postMessage(output));
  });
});
