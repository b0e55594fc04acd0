// Writes what is derived from the code and committed: the command manifest, its reference, the OpenAPI documents,
// the schema of scenario files.
// With --check it writes nothing and fails when a file is not what the code gives.
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { Plugin } from '@oclif/core/config';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** Names in order, so that the file does not change by itself; but arguments are in the order in which they are typed. */
function sorted(value, name) {
  if (Array.isArray(value)) return value.map((one) => sorted(one));
  if (value === null || typeof value !== 'object') return value;
  const keys = Object.keys(value);
  return Object.fromEntries(
    (name === 'args' ? keys : keys.sort()).map((key) => [key, sorted(value[key], key)]),
  );
}

const toText = (value) => `${JSON.stringify(value, null, 2)}\n`;

async function manifest() {
  const plugin = new Plugin({
    root,
    type: 'core',
    ignoreManifest: true,
    errorOnManifestCreate: true,
    respectNoCacheDefault: true,
  });
  await plugin.load();
  return sorted(plugin.manifest);
}

/** The command reference, from the same manifest that `--help` reads. */
function commandReference({ commands }) {
  const shown = Object.values(commands)
    .filter(({ hidden }) => !hidden)
    .sort((a, b) => (a.id < b.id ? -1 : 1));
  return [
    '# Commands',
    '',
    'Made from the program by `npm run build`. Flags that every command has are described once, at the end.',
    ...shown.flatMap((command) => ['', ...describeCommand(command)]),
    '',
    '## Flags of every command',
    '',
    ...flagLines(Object.values(shown[0].flags).filter(({ helpGroup }) => helpGroup === 'GLOBAL')),
    '',
  ].join('\n');
}

function describeCommand({ id, summary, description, args, flags, examples = [] }) {
  const words = id.replaceAll(':', ' ');
  const names = Object.values(args).map(({ name, required, multiple }) => {
    const shown = `${name.toUpperCase()}${multiple ? '…' : ''}`;
    return required ? shown : `[${shown}]`;
  });
  const own = Object.values(flags).filter(({ helpGroup, hidden }) => helpGroup !== 'GLOBAL' && !hidden);
  return [
    `## paydesk ${[words, ...names].join(' ')}`,
    '',
    summary,
    ...(description ? ['', description] : []),
    ...(own.length > 0 ? ['', ...flagLines(own)] : []),
    ...(examples.length > 0
      ? ['', '```sh', ...examples.map((text) => text.replaceAll('<%= config.bin %>', 'paydesk')), '```']
      : []),
  ];
}

function flagLines(flags) {
  return flags
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .map(({ name, char, type, helpValue, options, summary = '', multiple, allowNo, default: usual }) => {
      const value = type === 'option' ? ` ${helpValue ?? (options ? options.join('|') : 'VALUE')}` : '';
      const shown = `${char ? `-${char}, ` : ''}--${allowNo ? '[no-]' : ''}${name}${value}`;
      const notes = [
        ...(helpValue && options ? [`one of ${options.join(', ')}`] : []),
        ...(usual === undefined || usual === false ? [] : [`default ${usual}`]),
        ...(multiple ? ['can be used several times'] : []),
      ];
      return `- \`${shown}\`: ${summary}${notes.length > 0 ? ` (${notes.join('; ')})` : ''}`;
    });
}

const imported = (file) => import(pathToFileURL(join(root, 'dist', file)).href);

async function generate() {
  const made = await manifest();
  const files = [
    { path: 'oclif.manifest.json', text: toText(made) },
    { path: 'docs/commands.md', text: commandReference(made) },
  ];
  const { openApiDocument } = await imported('contract/openapi.js');
  const { controlDocument } = await imported('sandbox/control/openapi.js');
  const { scenarioSchema } = await imported('scenarios/schema.js');
  return [
    ...files,
    { path: 'docs/openapi.json', text: toText(openApiDocument()) },
    { path: 'docs/sandbox-openapi.json', text: toText(controlDocument()) },
    { path: 'docs/scenario.schema.json', text: toText(scenarioSchema()) },
  ];
}

const files = await generate();
if (process.argv.includes('--check')) {
  for (const { path, text } of files) {
    const committed = await readFile(join(root, path), 'utf8').catch(() => '');
    if (committed === text) continue;
    process.stderr.write(`${path} is not what the code gives: run npm run build and commit it.\n`);
    process.exitCode = 1;
  }
} else {
  for (const { path, text } of files) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), text);
  }
}
