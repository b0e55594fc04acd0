// A sandbox, or a bare Hono route with the same bytes, in a process of its own; prints where it listens.
import { createServer } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import { Hono } from 'hono';
import type { startSandbox as startSandboxType } from '../src/sandbox/sandbox.js';

const [kind = 'sandbox', value = ':memory:'] = process.argv.slice(2);

if (kind === 'sandbox') {
  const { startSandbox } = (await import(new URL('../dist/sandbox/sandbox.js', import.meta.url).href)) as {
    startSandbox: typeof startSandboxType;
  };
  const sandbox = await startSandbox({ location: value, seed: 1 });
  const [app] = await sandbox.apps();
  const { url, controlToken } = sandbox;
  process.stdout.write(`${JSON.stringify({ url, controlToken, appId: app?.appId, apiKey: app?.apiKey })}\n`);
  process.once('SIGTERM', () => void sandbox.close());
} else {
  const app = new Hono();
  app.get('/api/apps/:appId/payments/:paymentId', (c) =>
    c.body(value, 200, { 'content-type': 'application/json' }),
  );
  const listener = getRequestListener(app.fetch);
  const server = createServer((incoming, outgoing) => void listener(incoming, outgoing));
  server.listen(0, '127.0.0.1', () => {
    const { port } = server.address() as { port: number };
    process.stdout.write(`${JSON.stringify({ url: `http://127.0.0.1:${port}` })}\n`);
  });
  process.once('SIGTERM', () => server.close(() => server.closeAllConnections()));
}
