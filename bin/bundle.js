// Makes the program out of the sources. The modules that tests load one by one are tsc's, beside it in dist/.
import { globSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundleProgram } from './bundle-program.js';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const service = ['src/client/client.ts', 'node_modules/undici/lib/dispatcher/pool.js'];
const ledger = ['src/ledger/desk.ts', 'src/ledger/operator.ts', 'src/store/sqlite-store.ts'];

await bundleProgram({
  root,
  out: 'dist/app',
  entryPoints: [
    { in: 'src/start.ts', out: 'start' },
    ...globSync('src/commands/**/*.ts', { cwd: root }).map((file) => ({
      in: file,
      out: file.slice('src/'.length, -'.ts'.length),
    })),
  ],
  starts: {
    version: ['src/start.ts'],
    help: [
      'src/start.ts',
      'src/cli/help.ts',
      'src/output/lines.ts',
      'src/output/streams.ts',
      'src/output/theme.ts',
    ],
    profiles: ['src/start.ts', 'src/commands/profiles/list.ts'],
    get: ['src/start.ts', 'src/commands/payments/get.ts', ...service],
    refund: ['src/start.ts', 'src/commands/payments/refund.ts', ...service, ...ledger],
  },
});
