// Bundles the program with Rolldown: a file for each command, and chunks for what they share.
// `npm run compile` runs this; bin/standalone.js and bench/ledger.ts bundle with the same configuration.
// "Saves" is what one setting alone saves of the time that `payments get --json` takes: medians of 40 runs with it and
// 40 without it, in turns. What saves less than 4 ms is not here, unless another command needs it.
import { createHash } from 'node:crypto';
import { existsSync, globSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'rolldown';

export const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** One file per command, which `src/cli/runtime/program.ts` finds by the name of the command. */
export const commands = Object.fromEntries(
  globSync('src/commands/**/*.ts', { cwd: root })
    .map((file) => file.replaceAll('\\', '/'))
    .sort()
    .map((file) => [file.slice('src/'.length, -'.ts'.length), join(root, file)]),
);

/**
 * Modules that a command loads together, with everything that they import, become one file each. The first group that
 * matches a module gets it. Saves 15 ms: `payments get` reads 9 files instead of 41.
 */
const groups = {
  start: ['src/start.ts'],
  help: [
    'src/cli/help/help.ts',
    'src/output/fit.ts',
    'src/output/lines.ts',
    'src/output/streams.ts',
    'src/output/theme.ts',
  ],
  command: ['src/cli/runtime/base-command.ts', 'node_modules/@oclif/core/lib/args.js'],
  service: [
    'src/cli/desk/session.ts',
    'src/cli/desk/seen-journal.ts',
    'src/output/values.ts',
    'src/contract/sandbox-headers.ts',
    'src/contract/checkout-methods.ts',
    'src/contract/money.ts',
    'src/contract/spoken-amount.ts',
    'src/shorten.ts',
  ],
  payment: ['src/commands/payments/get.ts'],
  client: ['src/client/client.ts', 'node_modules/undici/lib/dispatcher/pool.js'],
  ledger: [
    'src/ledger/database.ts',
    'src/ledger/operator.ts',
    'src/ledger/place/placed-database.ts',
    'src/ledger/place/whereabouts.ts',
    'src/store/open-sqlite.ts',
    'src/cli/desk/import-journal.ts',
  ],
  kysely: ['node_modules/kysely/dist/kysely.js', 'src/store/sqlite-store.ts', 'src/store/prepared.ts'],
  database: ['src/cli/desk/desk-database.ts'],
  proof: [
    'src/payments/move/proof.ts',
    'src/payments/move/words.ts',
    'src/payments/failure-reason.ts',
    'src/payments/desk.ts',
    'src/contract/exact.ts',
  ],
  // Saves 6 ms of `payments refund`, which reads 13 files instead of 28.
  move: ['src/commands/payments/refund.ts'],
  search: ['src/commands/payments/find.ts'],
  control: [
    'src/sandbox-control/remote.ts',
    'src/sandbox-control/runs.ts',
    'src/sandbox/answers.ts',
    'src/sandbox/environment.ts',
    'src/sandbox/control/choices.ts',
    'src/sandbox/domain/cards.ts',
    'src/sandbox/domain/faults.ts',
    'src/sandbox/settlement/defects.ts',
    'src/sandbox/settlement/file-format.ts',
  ],
  sandbox: ['src/sandbox-control/foreground.ts'],
};

/** What Rolldown asks of each module, by its path. A file that is gone would leave its group without a word. */
function codeSplittingGroups() {
  const names = Object.keys(groups);
  return names.map((name, index) => {
    const paths = groups[name].map((file) => join(root, file));
    const missing = paths.find((path) => !existsSync(path));
    if (missing) throw new Error(`There is no ${missing} for the group ${name}.`);
    const isCommand = name === 'command';
    return {
      name,
      test: (id) => paths.includes(id) || (isCommand && id.includes('late:')),
      priority: names.length - index,
    };
  });
}

/** Parts of libraries that paydesk never uses, and that would be loaded at every start. */
const leftOut = [
  // The client speaks HTTP/1.1 only (`allowH2: false`). Saves 11 ms.
  'undici/lib/dispatcher/client-h2.js',
  // conf gets no schema and no migrations. Saves 14 ms of `sandbox start`.
  'ajv/dist/2020.js',
  'ajv-formats/dist/index.js',
  'semver/index.js',
  // paydesk has its own configuration, help and output. Saves 9 ms.
  '@oclif/core/lib/config/index.js',
  '@oclif/core/lib/help/index.js',
  '@oclif/core/lib/help/util.js',
  '@oclif/core/lib/ux/index.js',
];

/** Replaces these files by a module that throws when something of it is used. */
function leaveOut(files) {
  const names = new Map(files.map((file) => [join(root, 'node_modules', file), file]));
  return {
    name: 'leave-out',
    buildStart() {
      for (const [path, file] of names)
        if (!existsSync(path)) this.error(`There is no ${file} to leave out.`);
    },
    load(path) {
      if (!names.has(path)) return undefined;
      const message = `bin/bundle.js leaves out ${names.get(path)}`;
      return `module.exports = new Proxy({}, {
        get(_, name) {
          if (name !== '__esModule') throw new Error(${JSON.stringify(message)});
        },
      });`;
    },
  };
}

/**
 * Parts of Node that many commands never call: the modules in src/ load them with the first call. Importing a function
 * that is not listed here does not build. Together with `lateForOclif` it saves 15 ms of `payments list` and 17 ms of
 * `payments refund`.
 */
const late = {
  'node:crypto': [
    'createHash',
    'createHmac',
    'hash',
    'randomBytes',
    'randomInt',
    'randomUUID',
    'timingSafeEqual',
  ],
  'node:fs/promises': [
    'lstat',
    'mkdtemp',
    'open',
    'readFile',
    'readlink',
    'realpath',
    'rm',
    'stat',
    'writeFile',
  ],
  'node:readline': ['createInterface'],
};

const lateFunctions = (name) =>
  `const load = () => process.getBuiltinModule(${JSON.stringify(name)});
${late[name].map((each) => `export const ${each} = (...values) => load().${each}(...values);`).join('\n')}`;

/** oclif reads arguments from standard input, measures itself and looks for plugins with these, and paydesk does not. */
const lateForOclif = ['node:fs/promises', 'node:perf_hooks', 'node:readline'];

const lateModule = (name) => `module.exports = new Proxy({}, {
  get: (_, member) => process.getBuiltinModule(${JSON.stringify(name)})[member],
});`;

/** PostgreSQL asks for a password, or does not: only then its driver needs cryptography. */
const pgCrypto = join(root, 'node_modules/pg/lib/crypto/utils.js');
const lazyPgCrypto = `module.exports = new Proxy({}, {
  get: (_, name) => require(${JSON.stringify(pgCrypto)})[name],
});`;

const atFirstUse = {
  name: 'at-first-use',
  buildStart() {
    if (!existsSync(pgCrypto)) this.error(`There is no ${pgCrypto} to load at its first use.`);
  },
  async resolveId(source, importer = '') {
    if (source in late && importer.startsWith(join(root, 'src'))) return `\0late:${source}`;
    if (lateForOclif.includes(source) && importer.includes('/@oclif/core/lib/'))
      return `\0late:${source}.cjs`;
    const isPgCrypto = /^\.\/(crypto\/)?utils$/.test(source) && importer.includes('node_modules/pg/lib/');
    if (!isPgCrypto) return undefined;
    return join(dirname(importer), `${source}.js`) === pgCrypto ? '\0lazy-pg-crypto.cjs' : undefined;
  },
  load(id) {
    if (id === '\0lazy-pg-crypto.cjs') return lazyPgCrypto;
    const [, name, isModule] = /^\0late:(.+?)(\.cjs)?$/.exec(id) ?? [];
    if (name === undefined) return undefined;
    return isModule ? lateModule(name) : lateFunctions(name);
  },
};

/**
 * V8 compiles undici's HTTP parser a second time after two answers, for 90 ms, and a process does not end before that is
 * done. With this budget it does so after some fifty answers. Saves 72 ms of `payments refund`. Other versions of V8 may
 * not know the setting, or have another default: there the parser is left as it is.
 */
const knownV8 = '13.6.';
const httpParser = join(root, 'node_modules/undici/lib/llhttp/llhttp_simd-wasm.js');
const optimizeParserLate = {
  name: 'optimize-parser-late',
  buildStart() {
    if (!existsSync(httpParser)) this.error(`There is no ${httpParser} to optimize late.`);
    if (!process.versions.v8.startsWith(knownV8))
      this.error(`V8 is no longer ${knownV8}: measure this again.`);
  },
  async load(path) {
    if (path !== httpParser) return undefined;
    // undici makes the parser as soon as it has this module. With other flags, V8 would take no compiled code.
    return `const { setFlagsFromString } = process.getBuiltinModule('node:v8');
if (process.versions.v8.startsWith('${knownV8}')) {
  setFlagsFromString('--wasm-tiering-budget=400000000');
  queueMicrotask(() => setFlagsFromString('--wasm-tiering-budget=13000000'));
}
${await readFile(path, 'utf8')}`;
  },
};

/**
 * Modules of plain data that takes long to make: the build makes it. The description of the service saves 30 ms of the
 * first request for it. The fields of answers save 7 ms: nothing else that `payments get` loads needs zod.
 */
const madeByBuild = ['contract/openapi-text', 'contract/answer-fields'];
const plainData = {
  name: 'plain-data',
  async load(path) {
    const name = madeByBuild.find((each) => path === join(root, 'src', `${each}.ts`));
    if (name === undefined) return undefined;
    const made = await import(pathToFileURL(join(root, 'dist', `${name}.js`)).href);
    return Object.entries(made)
      .map(([key, value]) => `export const ${key} = ${JSON.stringify(value)};`)
      .join('\n');
  },
};

/** Native code, WebAssembly and scripts that lie beside their own module: npm installs them as dependencies. */
const installed = ['@napi-rs/keyring', 'jq-wasm', 'open', 'pg-native'];

/** Returns Rolldown's account of the files that it wrote to `dir`. */
export async function bundle({ dir, input, external = installed, sourcemap = true }) {
  const { output } = await build({
    cwd: root,
    input,
    external,
    platform: 'node',
    tsconfig: join(root, 'src', 'tsconfig.json'),
    plugins: [leaveOut(leftOut), atFirstUse, optimizeParserLate, plainData],
    logLevel: 'warn',
    // Tests and benchmarks import some modules both ways.
    checks: { ineffectiveDynamicImport: false },
    output: {
      dir,
      cleanDir: true,
      // Saves 4 ms over ES modules, and the executables can hold nothing else.
      format: 'cjs',
      exports: 'named',
      // Node takes 30 ms longer to import `node:http` than to require it, and bin/loader.cjs gives the files a require alone.
      dynamicImportInCjs: false,
      // V8 reads plain ASCII faster, and bin/loader.cjs reads nothing else. Saves 6 ms.
      charset: 'ascii',
      // Saves 9 ms of `payments refund`. Names stay whole, for stack traces.
      minify: { compress: true, mangle: false },
      sourcemap,
      sourcemapExcludeSources: true,
      codeSplitting: {
        groups: codeSplittingGroups(),
      },
    },
  });
  await writeFile(join(dir, 'package.json'), '{ "type": "commonjs" }\n');
  await writeFile(join(dir, 'build-id'), digestOf(output));
  return output;
}

/** Tells this program from every other, so that `bin/loader.cjs` takes no compiled code of another one. */
function digestOf(output) {
  const digest = createHash('sha256');
  for (const { fileName, code } of output) digest.update(`${fileName}\n${code ?? ''}\n`);
  return digest.digest('hex').slice(0, 16);
}

if (import.meta.main) {
  await bundle({
    dir: join(root, 'dist', 'app'),
    input: {
      start: 'src/start.ts',
      ...commands,
      // What `import … from 'paydesk/sandbox'` loads.
      sandbox: 'src/library/index.ts',
      // These run as threads of their own.
      'writing-thread': 'src/import/writing-thread.ts',
      'filter-thread': 'src/output/filter-thread.ts',
      // Runs as a process of its own.
      'keyring-probe': 'src/profiles/keyring-probe.ts',
    },
  });
}
