import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createHome, type Home } from './commands/sandbox/processes.js';

let home: Home;
let umask: number;
beforeAll(async () => {
  home = await createHome();
  umask = process.umask(0);
});
afterAll(async () => {
  process.umask(umask);
  await home.remove();
});

function modesIn(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true, recursive: true }).map((entry) => {
    const path = join(entry.parentPath, entry.name);
    return `${(statSync(path).mode & 0o777).toString(8)} ${entry.isDirectory() ? 'folder' : path}`;
  });
}

it('every file that is left on disk is its owner’s alone, under umask 000', async () => {
  const run = async (args: string[], input?: string) => {
    const { code, stderr } = await home.run(args, input);
    expect([args, code, stderr]).toEqual([args, 0, expect.any(String)]);
  };
  await run(['sandbox', 'start', '--detach', '--port', '0']);
  await run(['sandbox', 'seed']);
  const add = ['profiles', 'add', 'other', '--base-url', 'https://pay.example', '--app-id', 'a', '--live'];
  await run([...add, '--api-key-stdin'], 'sk_other_1234\n');
  await run(['profiles', 'use', 'local']);
  const payment = [
    '--amount',
    '1',
    '--currency',
    'EUR',
    '--customer',
    'c',
    '--return-url',
    'https://a.example',
  ];
  await run(['payments', 'create', ...payment, '--reference', 'r']);
  await run(['sandbox', 'pay', 'r', '--card', 'approved']);
  await run(['payments', 'refund', 'r']);
  await run(['sandbox', 'export', join(home.path, 'export.json')]);

  const whileRunning = modesIn(home.path);
  await run(['sandbox', 'stop']);
  const modes = [...whileRunning, ...modesIn(home.path)];
  for (const name of [
    'config.json',
    'desk.db',
    'sandbox.db',
    'sandbox.db-wal',
    'sandbox.log',
    'export.json',
  ]) {
    expect(
      modes.filter((line) => line.endsWith(name)),
      name,
    ).not.toEqual([]);
  }
  expect(modes.filter((line) => !line.startsWith('600 ') && line !== '700 folder')).toEqual([]);
});
