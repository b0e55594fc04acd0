// A service whose replicas show old states: what anybody at this desk has seen once must not be done a second time.
import { mkdtempSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { runTyped } from '../../helpers/desk.js';
import { describeWithPostgres } from '../../helpers/postgres.js';

const folder = () => mkdtempSync(join(tmpdir(), 'paydesk-old-reads-'));

const ends: Readonly<Record<string, string>> = {
  capture: 'Captured',
  cancel: 'Cancelled',
  refund: 'Refunded',
  unhold: 'Authorised',
};

/** Carries out whatever it is told, in any state, and shows the state that the test says. */
async function startService(state: string) {
  const told: string[] = [];
  /** `replicas`: what the next reads show, before all others. */
  const service = { shown: state, replicas: [] as string[], told, env: {} as Record<string, string> };
  const server = createServer(({ method, url = '' }, response) => {
    const verb = /\/(capture|cancel|refund|unhold)(\?|$)/.exec(url)?.[1];
    if (method === 'POST' && verb) {
      told.push(verb);
      service.shown = ends[verb]!;
    }
    const isThere = !url.includes('referenceId');
    response.writeHead(isThere ? 200 : 404, { 'content-type': 'application/json' });
    response.end(
      JSON.stringify({
        paymentId: 100231,
        referenceId: 'inv-7',
        paymentState: service.replicas.shift() ?? service.shown,
        amount: 44.4,
        currency: 'EUR',
      }),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => server.close().closeAllConnections());
  service.env = {
    PAYDESK_BASE_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    PAYDESK_APP_ID: `app-${(server.address() as AddressInfo).port}`,
    PAYDESK_API_KEY: 'key-1234',
    PAYDESK_KIND: 'sandbox',
    PAYDESK_QUIET_PERIOD: '10m',
  };
  return service;
}

interface Operators {
  /** The homes of two who share a ledger, or one home. */
  homes: [ada: string, ben: string];
  env: Record<string, string>;
}

async function run(home: string, env: Record<string, string>, ...words: string[]) {
  const { code, stdout } = await runTyped([...words, '--json'], { home, env });
  const json = (stdout === '' ? {} : JSON.parse(stdout)) as { outcome?: string; error?: { code: string } };
  return { exit: code, outcome: json.outcome, code: json.error?.code };
}

/** What ada runs while the payment shows the work of somebody else, and how that ends. */
const sights: Array<[exit: number, ...words: string[]]> = [
  [9, 'payments', 'VERB', '100231'],
  [7, 'payments', 'VERB', '100231', '100231-other'],
  [9, 'payments', 'VERB', '100231', '--dry-run'],
  [0, 'payments', 'check', '100231'],
  [0, 'payments', 'get', '100231'],
  [0, 'api', 'GET', '/payments/100231'],
  [9, 'api', 'POST', '/payments/100231/VERB'],
];

const verbs: Array<[verb: string, before: string, after: string]> = [
  ['refund', 'Captured', 'Refunded'],
  ['refund', 'Captured', 'Refunding'],
  ['capture', 'Authorised', 'Captured'],
  ['cancel', 'Authorised', 'Cancelled'],
  ['unhold', 'Held', 'Authorised'],
];

function oldReadTests(open: () => Promise<Operators>): void {
  let operators: Operators;
  beforeAll(async () => {
    operators = await open();
  });

  it.each(
    sights.flatMap(([exit, ...words]) => verbs.map((verb) => [words.join(' '), exit, ...verb] as const)),
  )('once `%s` has seen it (exit %i), a %s in %s that showed %s is not sent', async (typed, ...rest) => {
    const [exit, verb, before, after] = rest;
    const { homes, env } = operators;
    const service = await startService(after);
    const words = typed.replace('VERB', verb).split(' ');
    expect(await run(homes[0], { ...service.env, ...env }, ...words)).toMatchObject({ exit });
    service.shown = before;
    expect(await run(homes[1], { ...service.env, ...env }, 'payments', verb, '100231')).toMatchObject({
      exit: 9,
      code: 'seen-elsewhere',
    });
    expect(service.told).toEqual([]);
  });

  it.each([
    ['cancel', 'Authorised', 'capture'],
    ['cancel', 'Held', 'unhold'],
    ['capture', 'Authorised', 'cancel'],
    ['unhold', 'Held', 'cancel'],
  ])(
    'a %s that is done is not followed by the opposite where the service shows %s again: %s',
    async (...of) => {
      const [done, before, other] = of;
      const { homes, env } = operators;
      const service = await startService(before);
      const all = { ...service.env, ...env };
      expect(await run(homes[0], all, 'payments', done, '100231')).toMatchObject({
        exit: 0,
        outcome: 'done',
      });
      service.shown = before;
      const conflict = { exit: 9, code: 'ledger-conflict' };
      expect(await run(homes[1], all, 'payments', other, '100231')).toMatchObject(conflict);
      expect(await run(homes[1], all, 'payments', other, '100231', '--force')).toMatchObject(conflict);
      const rows = join(homes[1], `${other}.csv`);
      const plan = join(homes[1], `${other}-${service.env['PAYDESK_APP_ID']}.plan.json`);
      writeFileSync(rows, 'payment\n100231\n');
      await run(homes[1], all, 'batch', 'plan', rows, '--action', other, '--out', plan);
      expect((await run(homes[1], all, 'batch', 'apply', plan)).exit).not.toBe(0);
      expect(service.told).toEqual([done]);
    },
  );

  it('what only the last read before the request has seen is remembered', async () => {
    const { homes, env } = operators;
    const service = await startService('Refunded');
    service.replicas = ['Captured'];
    const refund = (home: string) => run(home, { ...service.env, ...env }, 'payments', 'refund', '100231');
    expect(await refund(homes[0])).toMatchObject({ exit: 9, code: 'not-possible' });
    service.shown = 'Captured';
    expect(await refund(homes[1])).toMatchObject({ exit: 9, code: 'seen-elsewhere' });
    expect(service.told).toEqual([]);
  });

  it('what a batch has seen where it left a row out is remembered', async () => {
    const { homes, env } = operators;
    const service = await startService('Captured');
    const all = { ...service.env, ...env };
    const [rows, plan] = [join(homes[0], 'rows.csv'), join(homes[0], 'rows.plan.json')];
    writeFileSync(rows, 'payment\n100231\n');
    await run(homes[0], all, 'batch', 'plan', rows, '--action', 'refund', '--out', plan);
    service.shown = 'Refunded';
    expect(await run(homes[0], all, 'batch', 'apply', plan)).toMatchObject({ exit: 7 });
    service.shown = 'Captured';
    expect(await run(homes[1], all, 'payments', 'refund', '100231')).toMatchObject({
      exit: 9,
      code: 'seen-elsewhere',
    });
    expect(service.told).toEqual([]);
  });

  it('what comes after an operation in its order is sent', async () => {
    const { homes, env } = operators;
    const service = await startService('Authorised');
    const all = { ...service.env, ...env };
    for (const verb of ['capture', 'refund']) {
      expect(await run(homes[0], all, 'payments', verb, '100231')).toMatchObject({
        exit: 0,
        outcome: 'done',
      });
    }
    expect(service.told).toEqual(['capture', 'refund']);
  });
}

describe('old reads, on a desk of one machine', () => {
  oldReadTests(async () => {
    const home = folder();
    return { homes: [home, home], env: {} };
  });
});

describeWithPostgres('old reads, on a desk that two operators share', (postgres) => {
  oldReadTests(async () => ({
    homes: [folder(), folder()],
    env: { PAYDESK_DATABASE: await postgres().createDatabase() },
  }));
});
