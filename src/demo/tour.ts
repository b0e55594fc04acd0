// A tour with a sandbox of its own: from nothing to a refunded payment, command by command.

import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { childEnvironment, type Environment } from '../child-environment.js';
import { findPaths } from '../profiles/paths.js';
import { storeSandboxProfiles } from '../profiles/sandbox-profiles.js';
import { openProfiles } from '../profiles/store.js';
import { createRuns } from '../sandbox-control/runs.js';
import { startSandbox } from '../sandbox/index.js';

interface TourStep {
  /** Why a person would type it. */
  title: string;
  words: string[];
}

interface Tour {
  /** What the commands run with: a home of the tour's own. */
  env: Record<string, string | undefined>;
  steps: TourStep[];
  /** States in webhooks that arrived since the last call; waits for those that are on their way. */
  newWebhooks(): Promise<string[]>;
  /** Ends the sandbox and takes the home away. */
  close(): Promise<void>;
}

export async function prepareTour(env: Environment): Promise<Tour> {
  const home = await mkdtemp(join(tmpdir(), 'paydesk-demo-'));
  const states: string[] = [];
  const shop = await startShop(states);
  const sandbox = await startSandbox({ location: ':memory:' });
  // The tour must not act on anyone's app, whatever is set.
  const ownEnv = { ...childEnvironment(env), PAYDESK_HOME: home };
  const runs = createRuns(findPaths(ownEnv).data);
  const { url, consoleUrl, controlToken } = sandbox;
  const run = {
    url,
    consoleUrl,
    controlToken,
    pid: process.pid,
    database: ':memory:',
    startedTime: new Date().toISOString(),
  };
  runs.write(run);
  await storeSandboxProfiles(openProfiles(ownEnv), { url, apps: await sandbox.apps() });
  return {
    env: ownEnv,
    steps: stepsFor(`http://127.0.0.1:${(shop.address() as AddressInfo).port}/hooks`),
    async newWebhooks() {
      await sandbox.worker.drain();
      return states.splice(0);
    },
    async close() {
      await sandbox.close();
      shop.closeAllConnections();
      await new Promise((resolve) => shop.close(resolve));
      await rm(home, { recursive: true, force: true });
    },
  };
}

function stepsFor(webhookUrl: string): TourStep[] {
  return [
    {
      title: 'A developer creates a payment to authorise first and capture later, and stores the method.',
      words: [
        'payments',
        'create',
        '--reference',
        'demo-1',
        '--amount',
        '49.90',
        '--currency',
        'EUR',
        '--customer',
        'c_demo',
        '--return-url',
        'https://shop.example/thanks',
        '--no-auto-capture',
        '--register-auto-payment',
        '--webhook-url',
        webhookUrl,
      ],
    },
    {
      title: 'The customer pays. The sandbox plays that part.',
      words: ['sandbox', 'pay', 'demo-1', '--card', 'approved'],
    },
    { title: 'The shop ships, and captures the money.', words: ['payments', 'capture', 'demo-1', '--wait'] },
    { title: 'Where does it stand?', words: ['payments', 'explain', 'demo-1'] },
    {
      title: 'The parcel was lost: support refunds the customer.',
      words: ['payments', 'refund', 'demo-1', '--wait', '--reason', 'parcel lost'],
    },
    {
      title: 'What the provider was asked to do, and what it did: everything once.',
      words: ['sandbox', 'books', 'demo-1'],
    },
    {
      title: 'The method that was stored with the first payment …',
      words: ['customers', 'methods', 'c_demo'],
    },
    {
      title: '… is charged for the next invoice. The customer is not present.',
      words: ['payments', 'charge', '--reference', 'demo-2', '--customer', 'c_demo', '--amount', '9.90'],
    },
  ];
}

/** The shop that the webhooks go to. */
async function startShop(states: string[]): Promise<Server> {
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (text: string) => (body += text));
    request.on('end', () => {
      states.push((JSON.parse(body) as { paymentState: string }).paymentState);
      response.end('thanks');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}
