// Format, types and lint at the same time, and with `tests` the tests beside them: while those wait for something, there is
// time for the others.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { dirname, join } from 'node:path';
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

/** Ends early when a check has failed: its message would be lost in front of those of all tests. */
async function runTests(checked) {
  const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs');
  const child = spawn(process.execPath, [vitest, 'run'], { cwd: root, stdio: 'inherit' });
  void checked.then((passed) => passed || child.kill('SIGINT'));
  const [code] = await once(child, 'exit');
  return code === 0;
}

const checks = Promise.all(['format:check', 'typecheck', 'lint'].map(run)).then((passed) =>
  passed.every(Boolean),
);
const parts = [checks, ...(process.argv[2] === 'tests' ? [runTests(checks)] : [])];
process.exitCode = (await Promise.all(parts)).every(Boolean) ? 0 : 1;
