import { execFile } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const docs = fileURLToPath(new URL('../../docs/', import.meta.url));
const redocly = join(
  dirname(createRequire(import.meta.url).resolve('@redocly/cli/package.json')),
  'bin/cli.js',
);

interface Report {
  totals: { errors: number; warnings: number };
  problems: Array<{ ruleId: string; message: string; location: Array<{ pointer: string }> }>;
}

async function lint(document: string): Promise<string[]> {
  const args = [redocly, 'lint', document, '--extends', 'recommended-strict', '--format', 'json'];
  const { stdout } = await promisify(execFile)(process.execPath, args, {
    cwd: docs,
    env: { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' },
  }).catch((error: { stdout: string }) => error);
  const { totals, problems } = JSON.parse(stdout) as Report;
  expect(totals.errors + totals.warnings).toBe(problems.length);
  return problems.map(({ ruleId, message, location }) => `${ruleId} at ${location[0]?.pointer}: ${message}`);
}

it.each(['openapi.json', 'sandbox-openapi.json'])('Redocly has nothing to say about %s', async (document) => {
  expect(await lint(document)).toEqual([]);
});
