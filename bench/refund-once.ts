// One refund as the command does it, with the ledger or with one that keeps nothing; bundled and timed by ledger.ts.
import { createClient } from '../src/client/client.js';
import { systemClock } from '../src/client/clock.js';
import { createLazyLedger } from '../src/ledger/moves/lazy-ledger.js';
import type { Entry } from '../src/ledger/moves/entries.js';
import type { Ledger } from '../src/ledger/moves/ledger.js';
import { moveAll } from '../src/payments/move/move-all.js';

const [mode = '', location = '', baseUrl = '', appId = '', apiKey = '', paymentId = ''] =
  process.argv.slice(2);

const none: Ledger = {
  ready: async () => {},
  now: async () => Date.now(),
  findBlocking: async () => undefined,
  unsettled: async () => [],
  findOpen: async () => [],
  open: async () => ({ kind: 'opened', intent: { id: 1, last: undefined } as Entry }),
  renew: async () => true,
  find: async () => ({ id: 1, last: undefined }) as Entry,
  quietLeft: async () => 0,
  outcomesOf: async () => [],
  record: async () => true,
  note: async () => undefined,
  noteFound: async () => undefined,
  remember: async () => undefined,
};

let close = async () => {};
const kept = createLazyLedger(async () => {
  const { openLedgerDatabase } = await import('../src/ledger/database.js');
  const database = await openLedgerDatabase({ location, operator: 'bench' });
  close = database.close;
  return database.ledger;
});

const client = createClient({ baseUrl, appId, kind: 'sandbox', apiKey: () => apiKey });
const desk = {
  client,
  settling: client,
  ledger: mode === 'ledger' ? kept : none,
  app: { baseUrl, appId, kind: 'sandbox' as const, profile: undefined },
  quietMs: 600_000,
  clock: systemClock,
  steady: () => performance.now(),
  signal: new AbortController().signal,
  waitMs: 10_000,
  note: () => {},
};
const request = {
  operation: 'refund' as const,
  names: [{ typed: paymentId, key: { paymentId } }],
  force: false,
  wait: false,
  dryRun: false,
  again: false,
  resend: false,
};
async function refund(): Promise<void> {
  const [result] = await moveAll(desk, request, { confirm: async () => {} });
  await close();
  await client.close();
  if (result?.error) throw result.error;
}

// The program ends like this too.
void refund().then(() => process.exit());
