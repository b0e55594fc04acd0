// `npm run build:standalone [-- NAME…]`: executables that need no Node, each a Node binary from the npm registry with the
// program inside it, and beside them their checksums and a bill of materials. The same commit gives the same bytes.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { chmod, mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { bundleOptions } from './bundle-options.js';
import { billOfMaterials } from './bill-of-materials.js';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const out = join(root, 'dist', 'standalone');
const cache = join(root, 'node_modules', '.cache', 'paydesk-node');
const json = (path) => JSON.parse(readFileSync(path, 'utf8'));
const { node, targets } = json(join(root, 'bin', 'standalone-targets.json'));
const here = `${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`;

const chosen = process.argv.slice(2);
const wrong = chosen.filter((name) => !targets.some((target) => target.name === name));
if (wrong.length > 0) {
  const names = targets.map(({ name }) => name).join(', ');
  process.stderr.write(`There is no target ${wrong.join(', ')}; there are ${names}.\n`);
  process.exit(2);
}

/** One file with everything in it. What a command does not use is not run, as in the bundle of files. */
async function bundle() {
  const commands = globSync('src/commands/**/*.ts', { cwd: root }).map((file) => ({
    id: file
      .replaceAll('\\', '/')
      .slice('src/commands/'.length, -'.ts'.length)
      .replace(/\/index$/, '')
      .replaceAll('/', ':'),
    file: join(root, file),
  }));
  const parts = {
    name: 'parts',
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /^paydesk:parts$/ }, () => ({ path: 'parts', namespace: 'parts' }));
      onLoad({ filter: /.*/, namespace: 'parts' }, () => ({
        resolveDir: root,
        contents: [
          'export const commands = {',
          ...commands
            .sort((a, b) => (a.id < b.id ? -1 : 1))
            .map(({ id, file }) => `  ${JSON.stringify(id)}: () => require(${JSON.stringify(file)}),`),
          '};',
          `export const manifest = require('./oclif.manifest.json');`,
          `export const packageFile = require('./package.json');`,
        ].join('\n'),
      }));
    },
  };
  const common = bundleOptions(root, { beside: false });
  const { metafile } = await build({
    ...common,
    entryPoints: ['src/standalone.ts'],
    outfile: join(out, 'program'),
    format: 'cjs',
    minifyWhitespace: true,
    minifySyntax: true,
    sourcemap: false,
    metafile: true,
    // The one native part: without it keys are kept in a file that only their owner can read.
    external: ['@napi-rs/keyring', 'pg-native'],
    define: { 'import.meta.url': '__own_url' },
    banner: {
      js: [
        '(function(require){const module={exports:{}};',
        'const __filename=process.execPath,__dirname=require("node:path").dirname(__filename);',
        'const __own_url=require("node:url").pathToFileURL(__filename).href;',
      ].join(''),
    },
    footer: { js: '})' },
    plugins: [...common.plugins, parts],
  });
  return metafile;
}

/** The Node binary of a target, as the registry has it and as it was when it was chosen. */
async function nodeOf(target) {
  const folder = join(cache, `${target.package}-${node}`);
  const binary = join(folder, 'package', target.binary);
  if (existsSync(binary)) return binary;
  await mkdir(folder, { recursive: true });
  const packed = execFileSync(
    'npm',
    ['pack', `${target.package}@${node}`, '--json', '--pack-destination', folder],
    {
      encoding: 'utf8',
      shell: process.platform === 'win32',
    },
  );
  const [{ filename }] = JSON.parse(packed);
  const digest = createHash('sha512')
    .update(readFileSync(join(folder, filename)))
    .digest('base64');
  if (`sha512-${digest}` !== target.integrity)
    throw new Error(`${filename} is not what it was: sha512-${digest}`);
  execFileSync('tar', ['xzf', filename], { cwd: folder });
  await rm(join(folder, filename));
  await chmod(binary, 0o755);
  return binary;
}

/** Assembled for a machine like this one, it need not be compiled at each start. */
async function assemble(target, builder) {
  const isHere = target.name === here;
  const file = join(out, `paydesk-${target.name}${target.name.startsWith('win') ? '.exe' : ''}`);
  const config = join(out, `${target.name}.json`);
  await writeFile(
    config,
    JSON.stringify({
      main: join(root, 'bin', 'standalone-main.cjs'),
      output: `${file}.new`,
      executable: await nodeOf(target),
      disableExperimentalSEAWarning: true,
      useSnapshot: false,
      useCodeCache: false,
      assets: {
        program: join(out, 'program'),
        ...(isHere ? { compiled: join(out, 'compiled') } : {}),
      },
      execArgvExtension: 'none',
    }),
  );
  execFileSync(builder, ['--build-sea', config], { stdio: ['ignore', 'ignore', 'inherit'] });
  await rm(config);
  await chmod(`${file}.new`, 0o755);
  await rename(`${file}.new`, file);
  const bytes = readFileSync(file);
  return {
    name: file.slice(out.length + 1),
    bytes: bytes.length,
    sha256: createHash('sha256').update(bytes).digest('hex'),
    tested: isHere,
  };
}

await rm(out, { recursive: true, force: true });
await mkdir(out, { recursive: true });
const metafile = await bundle();
const builder = await nodeOf(targets.find(({ name }) => name === here));
execFileSync(builder, [
  '--hash-seed=1',
  join(root, 'bin', 'compile-program.cjs'),
  join(out, 'program'),
  join(out, 'compiled'),
]);
const made = [];
for (const target of targets.filter(({ name }) => chosen.length === 0 || chosen.includes(name))) {
  made.push(await assemble(target, builder));
}
await rm(join(out, 'program'));
await rm(join(out, 'compiled'));
await writeFile(join(out, 'SHA256SUMS'), made.map(({ sha256, name }) => `${sha256}  ${name}\n`).join(''));
const bill = billOfMaterials({ root, metafile, node, packageFile: json(join(root, 'package.json')) });
await writeFile(join(out, 'paydesk.cdx.json'), `${JSON.stringify(bill, null, 2)}\n`);
for (const { name, bytes, tested } of made) {
  const note = tested ? 'runs on this machine' : 'built, not run: UNTESTED';
  const unsigned = name.includes('darwin') ? ', and macOS wants it signed first (codesign --sign -)' : '';
  process.stdout.write(`${name}  ${Math.round(bytes / 1e6)} MB  ${note}${unsigned}\n`);
}
