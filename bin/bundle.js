// Makes the program out of the sources: one bundle with a file for each command and shared chunks, so that a start
// reads a handful of files instead of hundreds. The modules that tests load one by one are tsc's, beside it in dist/.
import { existsSync, globSync } from 'node:fs';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, transform } from 'esbuild';
import { bundleOptions } from './bundle-options.js';
import { importLate } from './bundle-plugins.js';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const app = join(root, 'dist', 'app');
// Made beside the old one and put in its place when it is whole.
const outdir = join(root, 'dist', 'app.new');

const { outputFiles } = await build({
  ...bundleOptions(root, { beside: true }),
  entryPoints: [
    { in: 'src/start.ts', out: 'start' },
    // Looked for by chunks beside themselves: the one is a process of its own, the other is loaded late.
    { in: 'src/profiles/keyring-probe.ts', out: 'keyring-probe' },
    { in: 'string-width', out: 'string-width' },
    ...globSync('src/commands/**/*.ts', { cwd: root }).map((file) => ({
      in: file,
      out: file.slice('src/'.length, -'.ts'.length),
    })),
  ],
  outdir,
  write: false,
  splitting: true,
  format: 'esm',
  sourcemap: 'inline',
  // Native code, WebAssembly and programs that lie beside their own module.
  external: ['@napi-rs/keyring', 'jq-wasm', 'open', 'pg-native'],
});

await rm(outdir, { recursive: true, force: true });
await Promise.all(
  outputFiles.map(async ({ path, text }) => {
    if (/\.\/(keyring-probe\$|string-width\.js)/.test(text) && dirname(path) !== outdir)
      throw new Error(`${path} would not find what it looks for beside itself`);
    const { code, map } = await toCommonJs(path, text);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, code);
    await writeFile(`${path}.map`, map);
  }),
);
await writeFile(join(outdir, 'package.json'), '{ "type": "commonjs" }\n');

/** esbuild splits only ES modules, and Node loads CommonJS in a third of the time: so it is turned over afterwards. */
async function toCommonJs(path, text) {
  const { code, map } = await transform(importLate(text), {
    format: 'cjs',
    platform: 'node',
    target: 'node24',
    sourcefile: path,
    sourcemap: 'external',
    sourcesContent: false,
    minifyWhitespace: true,
    minifySyntax: true,
    define: { 'import.meta.url': '__own_url' },
    logLevel: 'error',
  });
  // Only our own chunks: what is left outside may be an ES module.
  const plain = code.replaceAll(/\bimport\(("\.[^"]+")\)/g, 'Promise.resolve().then(()=>require($1))');
  const own = code.includes('__own_url')
    ? 'const __own_url = require("node:url").pathToFileURL(__filename).href;'
    : '';
  return { code: `${own}${plain}//# sourceMappingURL=${path.split(/[/\\]/).at(-1)}.map\n`, map };
}

const old = join(root, 'dist', 'app.old');
if (existsSync(app)) await rename(app, old);
await rename(outdir, app);
await rm(old, { recursive: true, force: true });
