#!/usr/bin/env node
// Start: the Node version, the compile cache, closed pipes; then oclif.
// Plain CommonJS-era syntax up to the version check, so that an old Node can say what is wrong.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import module from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const [major, minor] = process.versions.node.split('.').map(Number);

if (major < 24 || (major === 24 && minor < 15)) {
  // A checkout carries its own Node as a development dependency.
  const own = join(root, 'node_modules', 'node', 'bin', process.platform === 'win32' ? 'node.exe' : 'node');
  if (existsSync(own)) {
    const child = spawnSync(own, process.argv.slice(1), { stdio: 'inherit' });
    process.exit(child.status ?? 1);
  }
  process.stderr.write(`paydesk needs Node 24.15 or newer; this is ${process.versions.node}.\n`);
  process.exit(1);
}

for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error) => {
    if (error.code === 'EPIPE') process.exit(0);
    throw error;
  });
}

module.enableCompileCache?.();
const { start } = await import('../dist/app/start.js');
await start(import.meta.url);
