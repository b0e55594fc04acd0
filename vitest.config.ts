import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts', 'test/**/*.test.tsx'],
    exclude: ['test/proof/**'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    pool: 'forks',
    // More than the two cores of a small machine: half of the time a test waits for a process, a disk or a clock.
    maxWorkers: 3,
    env: { NODE_ENV: 'production' },
  },
});
