import { defineConfig } from 'vitest/config';

// The long versions of tests: the same code at larger sizes, and on every store. `npm run proof` takes about an
// hour and a half; PAYDESK_PROOF_SCALE=0.01 runs a hundredth of it.
export default defineConfig({
  test: {
    include: ['test/proof/*.proof.ts', 'test/sandbox/conformance/*.test.ts'],
    globalSetup: 'test/helpers/global-setup.ts',
    setupFiles: 'test/helpers/setup.ts',
    testTimeout: 3 * 3_600_000,
    hookTimeout: 60_000,
    pool: 'forks',
    maxWorkers: 2,
    env: { NODE_ENV: 'production', PAYDESK_TEST_EVERY_STORE: '1' },
  },
});
