// The start of the executable that needs no Node: the same program, with its parts inside it.

import { commands, manifest, packageFile } from 'paydesk:parts';
import { start } from './start.js';

for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(0);
    throw error;
  });
}

void start({
  self: [process.execPath],
  has: (id) => Object.hasOwn(commands, id),
  load: (id) => (commands[id] as (typeof commands)[string])().default,
  packageFile: () => packageFile,
  manifest: () => manifest,
});
