// Writes what is derived from the code and committed: the command manifest, the OpenAPI document.
// With --check it writes nothing and fails when a file is not what the code gives.
import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { Plugin } from '@oclif/core/config';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

function sorted(value) {
  if (Array.isArray(value)) return value.map(sorted);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((key) => [key, sorted(value[key])]),
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

async function generate() {
  const files = [{ path: 'oclif.manifest.json', text: toText(await manifest()) }];
  const contract = join(root, 'dist', 'contract', 'openapi.js');
  if (existsSync(contract)) {
    const { openApiDocument } = await import(pathToFileURL(contract).href);
    files.push({ path: 'docs/openapi.json', text: toText(openApiDocument()) });
  }
  return files;
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
