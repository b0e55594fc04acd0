import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));

test('the example of the recipe runs as it stands', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'paydesk-library-'));
  try {
    mkdirSync(join(folder, 'node_modules'));
    symlinkSync(root, join(folder, 'node_modules', 'paydesk'));
    const recipe = readFileSync(join(root, 'docs', 'recipes', 'sandbox-in-your-tests.md'), 'utf8');
    const [, example = ''] = /```js\n([\s\S]*?)```/.exec(recipe) ?? [];
    expect(example).toContain("from 'paydesk/sandbox'");
    writeFileSync(join(folder, 'shop.test.mjs'), example);
    const node = join(root, 'node_modules', 'node', 'bin', 'node');
    // Without the marks of the runner that runs this test: node:test would report to it.
    const { NODE_TEST_CONTEXT: _, ...env } = process.env;
    const { stdout } = await promisify(execFile)(node, ['--test', '--test-reporter=tap'], {
      cwd: folder,
      env,
    });
    expect(stdout).toContain('# pass 1\n# fail 0');
  } finally {
    rmSync(folder, { recursive: true });
  }
});
