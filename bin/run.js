#!/usr/bin/env node
// Start: the Node version, the compiled code that was kept; then the program.
import module from 'node:module';
import { dirname, join } from 'node:path';

const { version } = process;
const [major, minor] = version.slice(1).split('.').map(Number);

if (major < 24 || (major === 24 && minor < 15)) {
  await handOver();
} else {
  const root = dirname(import.meta.dirname);
  const app = join(root, 'dist', 'app');
  const require = module.createRequire(import.meta.url);
  const { createLoader, installed } = require('./loader.cjs');
  // Stack traces name the lines of the sources only where Node itself loads the files.
  const mayDebug = Boolean(process.env.PAYDESK_DEBUG) || process.argv.includes('--debug');
  const load = mayDebug ? (name) => require(join(app, name)) : createLoader(installed(app));
  const { createProgram, start } = load('start.js');
  await start(createProgram(root, load));
}

/** A checkout carries its own Node as a development dependency. */
async function handOver() {
  const { existsSync } = await import('node:fs');
  const { fileURLToPath } = await import('node:url');
  const name = process.platform === 'win32' ? 'node.exe' : 'node';
  const own = fileURLToPath(new URL(`../node_modules/node/bin/${name}`, import.meta.url));
  if (!existsSync(own)) {
    process.stderr.write(`paydesk needs Node 24.15 or newer; this is ${version.slice(1)}.\n`);
    process.exit(1);
  }
  const { spawn } = await import('node:child_process');
  const { constants } = await import('node:os');
  const child = spawn(own, process.argv.slice(1), { stdio: 'inherit' });
  // A terminal sends Ctrl-C to both. Passed on, it would count as the second one, which ends the program at once.
  process.on('SIGINT', () => {});
  for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.on('exit', (code, signal) => process.exit(code ?? 128 + constants.signals[signal]));
}
