import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
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

it('every summary has at most ten words', () => {
  const { commands } = JSON.parse(readFileSync(join(root, 'oclif.manifest.json'), 'utf8')) as {
    commands: Record<string, { summary: string }>;
  };
  const long = Object.values(commands).filter(({ summary }) => summary.split(' ').length > 10);
  expect(long.map(({ summary }) => summary)).toEqual([]);
});

it('every command that prints a list names its columns', () => {
  const page = readFileSync(join(root, 'docs', 'commands.md'), 'utf8');
  expect(page.match(/Columns to print, in this order\..*/g)).toBeNull();
});

it('the commands that print JSON lines say so, and the page on output names them', () => {
  const { commands } = JSON.parse(readFileSync(join(root, 'oclif.manifest.json'), 'utf8')) as {
    commands: Record<string, { description?: string }>;
  };
  const named = Object.entries(commands).flatMap(([id, { description = '' }]) =>
    description.includes('JSON lines') ? [id.replaceAll(':', ' ')] : [],
  );
  expect(named).toEqual(['payments watch', 'sandbox start', 'webhook events', 'webhook listen']);
  const page = readFileSync(join(root, 'docs', 'output.md'), 'utf8');
  for (const name of named) expect(page).toContain(`\`${name}`);
});
