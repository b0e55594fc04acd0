// Makes the program out of the sources: one bundle with a file for each command and shared chunks, so that a start
// reads a handful of files instead of hundreds. The modules that tests load one by one are tsc's, beside it in dist/.
import { existsSync, globSync } from 'node:fs';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, transform } from 'esbuild';
import { bundleOptions } from './bundle-options.js';
import { besidePacks, packChunks, writePack } from './bundle-packs.js';
import { compileEarly, importLate, inAscii, requireChunks } from './bundle-plugins.js';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const app = join(root, 'dist', 'app');
// Made beside the old one and put in its place when it is whole.
const outdir = join(root, 'dist', 'app.new');

const { outputFiles, metafile } = await build({
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
  metafile: true,
  splitting: true,
  format: 'esm',
  sourcemap: 'inline',
  // Native code, WebAssembly and programs that lie beside their own module.
  external: ['@napi-rs/keyring', 'jq-wasm', 'open', 'pg-native'],
});

const packOf = packChunks(metafile.outputs, relative(root, outdir).replaceAll('\\', '/'));
const packs = new Map();

await rm(outdir, { recursive: true, force: true });
await Promise.all(
  outputFiles.map(async ({ path, text }) => {
    if (/\.\/(keyring-probe\$|string-width\.js)/.test(text) && dirname(path) !== outdir)
      throw new Error(`${path} would not find what it looks for beside itself`);
    const made = await toCommonJs(path, text);
    const file = basename(path);
    const pack = packOf.get(file);
    if (pack === undefined) {
      const folders = relative(outdir, path).split(/[/\\]/).length - 1;
      return write(path, besidePacks(made, packOf, folders));
    }
    packs.set(pack, [...(packs.get(pack) ?? []), { file, ...made }]);
  }),
);
for (const [pack, chunks] of packs) {
  chunks.sort((a, b) => (a.file < b.file ? -1 : 1));
  await write(join(outdir, `${pack}.pack.js`), writePack(pack, chunks, packOf));
}
await writeFile(join(outdir, 'package.json'), '{ "type": "commonjs" }\n');

/** esbuild splits only ES modules, and Node loads CommonJS in a third of the time: so it is turned over afterwards. */
async function toCommonJs(path, text) {
  const { code, map } = await transform(compileEarly(importLate(inAscii(requireChunks(text)))), {
    format: 'cjs',
    platform: 'neutral',
    target: 'node24',
    sourcefile: path,
    sourcemap: 'external',
    sourcesContent: false,
    minifyWhitespace: true,
    minifySyntax: true,
    logLevel: 'error',
  });
  // Chunks know what they are to each other: no copy that says so is needed. In its place, since nothing may move.
  return {
    code: code.replace(/(?<=\bmodule\.exports=)__toCommonJS(?=\()/, (asIs) => ' '.repeat(asIs.length)),
    map,
  };
}

async function write(path, { code, map }) {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, `${code}//# sourceMappingURL=${basename(path)}.map\n`);
  await writeFile(`${path}.map`, map);
}

const old = join(root, 'dist', 'app.old');
if (existsSync(app)) await rename(app, old);
await rename(outdir, app);
await rm(old, { recursive: true, force: true });
