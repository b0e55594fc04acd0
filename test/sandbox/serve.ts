// Run as a process of its own: `node serve.ts '{"location": …}'`, one line on stdout once it accepts requests.
import type * as source from '../../src/sandbox/sandbox.js';

const compiled = new URL('../../dist/sandbox/sandbox.js', import.meta.url).href;
const { startSandbox } = (await import(compiled)) as typeof source;

const sandbox = await startSandbox(JSON.parse(process.argv[2] ?? '') as source.SandboxOptions);
process.once('SIGTERM', () => void sandbox.close());
const { url, controlToken } = sandbox;
process.stdout.write(`${JSON.stringify({ url, controlToken, apps: await sandbox.apps() })}\n`);
