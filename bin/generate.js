// Writes what is derived from the code and committed: the command manifest, the OpenAPI document.
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

/** Path and text of every generated file. */
export async function generate() {
  const files = [{ path: 'oclif.manifest.json', text: toText(await manifest()) }];
  const contract = join(root, 'dist', 'contract', 'openapi.js');
  if (existsSync(contract)) {
    const { openApiDocument } = await import(pathToFileURL(contract).href);
    files.push({ path: 'docs/openapi.json', text: toText(openApiDocument()) });
  }
  return files;
}

/** The paths whose committed text is not what the code gives. */
export async function outdated() {
  const files = await generate();
  const committed = await Promise.all(
    files.map(({ path }) => readFile(join(root, path), 'utf8').catch(() => '')),
  );
  return files.filter(({ text }, index) => text !== committed[index]).map(({ path }) => path);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const { path, text } of await generate()) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), text);
  }
}
