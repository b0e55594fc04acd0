import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));
const node = join(root, 'node_modules', 'node', 'bin', 'node');

it('the committed manifest and OpenAPI document are what the code gives', async () => {
  const check = promisify(execFile)(node, [join(root, 'bin', 'generate.js'), '--check'], {
    env: { ...process.env, NODE_ENV: 'production' },
  });
  await expect(
    check.catch((error: { stderr?: string }) => ({ stderr: String(error.stderr) })),
  ).resolves.toMatchObject({
    stderr: '',
  });
});
