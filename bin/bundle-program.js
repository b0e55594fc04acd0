// One bundle with a file for each entry and shared chunks, so that a start reads a handful of files instead of hundreds.
import { existsSync } from 'node:fs';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';
import { build, transform } from 'esbuild';
import { bundleOptions } from './bundle-options.js';
import { besidePacks, packChunks, writePack } from './bundle-packs.js';
import { compileEarly, importLate, inAscii, requireChunks } from './bundle-plugins.js';

/** `starts` names what some starts run, by the sources that they load: first, or later as they go on. */
export async function bundleProgram({ root, out, entryPoints, starts }) {
  const place = join(root, out);
  // Made beside the old one and put in its place when it is whole.
  const outdir = `${place}.new`;
  const { outputFiles, metafile } = await build({
    ...bundleOptions(root, { beside: true }),
    entryPoints: [...entryPoints, ...BESIDE],
    outdir,
    write: false,
    metafile: true,
    splitting: true,
    format: 'esm',
    sourcemap: 'inline',
    // Native code, WebAssembly and programs that lie beside their own module.
    external: ['@napi-rs/keyring', 'jq-wasm', 'open', 'pg-native'],
  });
  const packOf = packChunks(metafile.outputs, relative(root, outdir).replaceAll('\\', '/'), starts);
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

  if (existsSync(place)) await rename(place, `${place}.old`);
  await rename(outdir, place);
  await rm(`${place}.old`, { recursive: true, force: true });
}

// Looked for by chunks beside themselves: the one is a process of its own, the other is loaded late.
const BESIDE = [
  { in: 'src/profiles/keyring-probe.ts', out: 'keyring-probe' },
  { in: 'string-width', out: 'string-width' },
];

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
