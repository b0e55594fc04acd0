import { lateRequires, lightBuiltins } from './bundle-plugins.js';

/** What every bundle of the program has in common. */
export const bundleOptions = (root, { beside }) => ({
  absWorkingDir: root,
  bundle: true,
  platform: 'node',
  target: 'node24',
  sourcesContent: false,
  jsx: 'automatic',
  jsxImportSource: 'hono/jsx',
  plugins: [lightBuiltins, lateRequires({ beside })],
  logLevel: 'warning',
});
