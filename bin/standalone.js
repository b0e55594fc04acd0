// `npm run build:standalone [-- NAME…]`: executables that need no Node, each a Node binary from the npm registry with the
// program inside it, and beside them their checksums and a bill of materials. The same commit gives the same bytes.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { chmod, mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { build } from 'rolldown';
import { billOfMaterials } from './bill-of-materials.js';
import { bundle, commands, root } from './bundle.js';

const out = join(root, 'dist', 'standalone');
const modules = join(out, 'modules');
const main = join(modules, 'main.cjs');
const scenarios = globSync('scenarios/*.yaml', { cwd: root })
  .map((name) => name.replaceAll('\\', '/'))
  .sort();
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

/** The same bundle as for npm, with everything in it but native code: keys are kept in a file instead. */
async function bundleModules() {
  const output = await bundle({
    dir: modules,
    input: { standalone: 'src/standalone.ts', ...commands },
    external: ['@napi-rs/keyring', 'pg-native'],
    sourcemap: false,
  });
  // An executable runs one file.
  await build({
    input: join(root, 'bin', 'standalone-loader.cjs'),
    platform: 'node',
    output: { file: main, format: 'cjs' },
    logLevel: 'warn',
  });
  return output.filter(({ type }) => type === 'chunk');
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

/** Assembled for a machine like this one, it need not be compiled at each start: saves 26 ms of `payments get --json`. */
async function assemble(target, builder, names) {
  const isHere = target.name === here;
  const assets = [...names, ...(isHere ? names.map((name) => `${name}.compiled`) : [])];
  const file = join(out, `paydesk-${target.name}${target.name.startsWith('win') ? '.exe' : ''}`);
  const config = join(out, `${target.name}.json`);
  await writeFile(
    config,
    JSON.stringify({
      main,
      output: `${file}.new`,
      executable: await nodeOf(target),
      disableExperimentalSEAWarning: true,
      useSnapshot: false,
      useCodeCache: false,
      assets: {
        ...Object.fromEntries(assets.map((name) => [name, join(modules, name)])),
        ...Object.fromEntries(scenarios.map((name) => [name, join(root, name)])),
        'build-id': join(modules, 'build-id'),
        'package.json': join(root, 'package.json'),
        'oclif.manifest.json': join(root, 'oclif.manifest.json'),
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
const chunks = await bundleModules();
const names = chunks.map(({ fileName }) => fileName);
const builder = await nodeOf(targets.find(({ name }) => name === here));
execFileSync(builder, [
  '--hash-seed=1',
  join(root, 'bin', 'standalone-compile.cjs'),
  ...names.map((name) => join(modules, name)),
]);
const made = [];
for (const target of targets.filter(({ name }) => chosen.length === 0 || chosen.includes(name))) {
  made.push(await assemble(target, builder, names));
}
await rm(modules, { recursive: true });
await writeFile(join(out, 'SHA256SUMS'), made.map(({ sha256, name }) => `${sha256}  ${name}\n`).join(''));
const bill = billOfMaterials({
  files: chunks.flatMap(({ moduleIds }) => moduleIds),
  node,
  packageFile: json(join(root, 'package.json')),
});
await writeFile(join(out, 'paydesk.cdx.json'), `${JSON.stringify(bill, null, 2)}\n`);
for (const { name, bytes, tested } of made) {
  const note = tested ? 'runs on this machine' : 'built, not run: UNTESTED';
  const unsigned = name.includes('darwin') ? ', and macOS wants it signed first (codesign --sign -)' : '';
  process.stdout.write(`${name}  ${Math.round(bytes / 1e6)} MB  ${note}${unsigned}\n`);
}
