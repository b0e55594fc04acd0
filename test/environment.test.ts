import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { environmentPage, environmentVariables } from './docs/environment-variables.js';

const listed = Object.values(environmentVariables).flatMap((variables) => variables.map(({ name }) => name));

const sources = globSync(['src/**/*.ts', 'bin/kept-code.cjs']).map((file) => readFileSync(file, 'utf8'));

/** Names that are read: `env['X']`, `env.X`, `env('X')`, and every name of our own. */
const read = new Set(
  sources.flatMap((text) =>
    [
      ...text.matchAll(/\benv\??\.([A-Z][A-Z0-9_]+)\b/g),
      ...text.matchAll(/\benv\??(?:\.)?[[(]'([A-Z][A-Z0-9_]+)'/g),
      ...text.matchAll(/'(PAYDESK_[A-Z0-9_]+|NODE_TLS_REJECT_UNAUTHORIZED)'/g),
      ...text.matchAll(/'((?:https?|no)_proxy)'/g),
    ].map(([, name = '']) => name.toUpperCase()),
  ),
);
// Node reads it by itself.
read.add('NODE_EXTRA_CA_CERTS');

it('every variable that is read is in the table, and every one in the table is read', () => {
  expect([...read].toSorted()).toEqual(listed.toSorted());
});

// Everything else gets the environment from there, where the tests of every command see what is read.
it('only the start of the program reads the environment of the process', () => {
  const files = globSync('src/**/*.ts').filter((file) => /process\.env\b/.test(readFileSync(file, 'utf8')));
  expect(files.toSorted()).toEqual(['src/cli/links.ts', 'src/cli/runtime/runtime.ts', 'src/start.ts']);
});

it('docs/environment.md shows the table', () => {
  const page = new URL('../docs/environment.md', import.meta.url);
  if (process.env['UPDATE_DOCS']) writeFileSync(page, environmentPage());
  expect(readFileSync(page, 'utf8')).toBe(environmentPage());
});
