// Format, types and lint at the same time: the last two use one core each for most of their time.
import { spawn } from 'node:child_process';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** Runs a script of package.json, and prints what it says once it has ended. */
function run(script) {
  return new Promise((resolve, reject) => {
    const child = spawn('npm', ['run', '--silent', script], {
      cwd: root,
      shell: process.platform === 'win32',
    });
    let said = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text) => (said += text));
    child.on('error', reject);
    child.on('close', (code) => {
      process.stdout.write(said);
      resolve(code === 0);
    });
  });
}

const passed = await Promise.all(['format:check', 'typecheck', 'lint'].map(run));
process.exitCode = passed.every(Boolean) ? 0 : 1;
