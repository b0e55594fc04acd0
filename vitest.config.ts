import { defineConfig } from 'vitest/config';
import { compiledFolder, compiledModules } from './test/helpers/compiled-modules.ts';
import { SlowFirst } from './test/helpers/slow-first.ts';

export default defineConfig({
  plugins: [compiledModules],
  test: {
    include: ['test/**/*.test.ts', 'test/**/*.test.tsx'],
    exclude: ['test/proof/**'],
    globalSetup: 'test/helpers/global-setup.ts',
    setupFiles: 'test/helpers/setup.ts',
    // Limits and not measurements: they must hold on a machine that has much else to do.
    testTimeout: 900_000,
    hookTimeout: 900_000,
    expect: { poll: { timeout: 60_000 } },
    pool: 'forks',
    // A worker keeps what it has imported: loading the program again for each file takes longer than most files.
    isolate: false,
    // More than the two cores of a small machine, because many tests wait; each worker warms up by itself, so not many more.
    maxWorkers: 7,
    // Most code here runs a few times, and the workers have two cores: threads that optimize it would only take them away. With
    // room for what is new, less of it outlives a collection, and the large heap of a worker is looked through less often.
    execArgv: ['--single-threaded', '--max-lazy', '--min-semi-space-size=16', '--max-semi-space-size=32'],
    server: { deps: { external: [compiledFolder] } },
    sequence: { sequencer: SlowFirst },
    env: { NODE_ENV: 'production' },
  },
});
