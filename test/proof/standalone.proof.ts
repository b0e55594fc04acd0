import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
const target = `${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`;

async function build(): Promise<string[]> {
  await promisify(execFile)(process.execPath, [join(root, 'bin', 'standalone.js'), target]);
  const files = ['SHA256SUMS', 'paydesk.cdx.json'];
  return files.map((name) => readFileSync(join(root, 'dist', 'standalone', name), 'utf8'));
}

test('the executable that needs no Node is the same, byte for byte, when it is built again', async () => {
  expect(await build()).toEqual(await build());
});
