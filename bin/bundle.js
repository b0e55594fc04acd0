// Makes the program out of the sources: one bundle with a file for each command and shared chunks, so that a start
// reads a handful of files instead of hundreds. The modules that tests load one by one are tsc's, beside it in dist/.
import { existsSync, globSync } from 'node:fs';
import { readFile, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const app = join(root, 'dist', 'app');
// Made beside the old one and put in its place when it is whole.
const outdir = join(root, 'dist', 'app.new');

await rm(outdir, { recursive: true, force: true });
const { metafile } = await build({
  absWorkingDir: root,
  entryPoints: [
    { in: 'src/start.ts', out: 'start' },
    // Started as a process of its own, by a chunk that looks for it beside itself.
    { in: 'src/profiles/keyring-probe.ts', out: 'keyring-probe' },
    ...globSync('src/commands/**/*.ts', { cwd: root }).map((file) => ({
      in: file,
      out: file.slice('src/'.length, -'.ts'.length),
    })),
  ],
  outdir,
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node24',
  sourcemap: 'linked',
  metafile: true,
  jsx: 'automatic',
  jsxImportSource: 'hono/jsx',
  // Native code, WebAssembly and programs that lie beside their own module.
  external: ['@napi-rs/keyring', 'jq-wasm', 'open', 'pg-native'],
  banner: {
    js: "import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url);",
  },
  logLevel: 'warning',
});

for (const file of Object.keys(metafile.outputs)) {
  const startsProbe =
    file.endsWith('.js') && (await readFile(join(root, file), 'utf8')).includes('./keyring-probe$');
  if (startsProbe && dirname(join(root, file)) !== outdir)
    throw new Error(`${file} would not find keyring-probe.js`);
}

const old = join(root, 'dist', 'app.old');
if (existsSync(app)) await rename(app, old);
await rename(outdir, app);
await rm(old, { recursive: true, force: true });
