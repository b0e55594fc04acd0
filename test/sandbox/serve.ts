// Run as a process of its own: `node serve.ts '{"location": …}'`, one line on stdout once it accepts requests.
import { createRequire } from 'node:module';
import type { StartSandbox } from '../../src/library/types.js';

const { startSandbox } = createRequire(import.meta.url)('../../dist/app/sandbox.js') as {
  startSandbox: StartSandbox;
};
const { location, seed } = JSON.parse(process.argv[2] ?? '') as { location: string; seed?: number };

const sandbox = await startSandbox({ database: location, ...(seed !== undefined && { seed }) });
process.once('SIGTERM', () => void sandbox.stop());
const { url, controlToken } = sandbox;
process.stdout.write(`${JSON.stringify({ url, controlToken, apps: await sandbox.apps.list() })}\n`);
