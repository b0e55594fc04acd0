import { spawnSync } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { beforeAll, describe, expect, it } from 'vitest';
import Find from '../../../src/commands/payments/find.js';
import Forget from '../../../src/commands/customers/forget.js';
import { createImportRecord } from '../../../src/import/import-record.js';
import { type DeskDatabase, openDeskDatabase } from '../../../src/ledger/database.js';
import { forgetCustomer } from '../../../src/ledger/known/forget.js';
import { remember } from '../../../src/ledger/known/remember.js';
import { createOwner } from '../../../src/store/owner.js';
import { describeWithPostgres } from '../../helpers/postgres.js';
import { runCommand } from '../../helpers/desk.js';

const appId = 'app-1';
const DAY = 86_400_000;
const NAME = 'Zelda Quist';

interface WebhookState {
  /** Whether the delivery was read. */
  read?: boolean;
  /** Whether its forward has ended. */
  forwarded?: boolean;
  /** Who works on the part that has not ended, and for how many milliseconds from now. */
  lease?: { owner: string; ms: number };
}

/** A webhook about this payment that was read and forwarded unless told otherwise, with a handler's answer. */
async function addWebhook(
  { store }: Pick<DeskDatabase, 'store'>,
  paymentId: string,
  time: number,
  { read = true, forwarded = true, lease }: WebhookState = {},
): Promise<void> {
  await store.transaction(async (tx) => {
    await tx
      .insertInto('listeners')
      .values({ app_id: appId, secret: 's', time: 1 })
      .onConflict((conflict) => conflict.column('app_id').doNothing())
      .execute();
    const { id: listener_id } = await tx.selectFrom('listeners').select('id').executeTakeFirstOrThrow();
    const common = (finished: boolean) => ({
      due_time: 0,
      lease_until: lease && !finished ? Date.now() + lease.ms : null,
      lease_owner: lease && !finished ? lease.owner : null,
      finished: Number(finished),
    });
    const none = {
      reference_id: null,
      said_state: null,
      event_id: null,
      read_state: null,
      previous_state: null,
    };
    const { id: delivery_id } = await tx
      .insertInto('deliveries')
      .values({
        ...common(read),
        ...none,
        listener_id,
        time,
        kind: 'received',
        method: 'POST',
        path: '/',
        query: '',
        headers: '[]',
        body: Buffer.from(JSON.stringify({ paymentId, payer: NAME })),
        digest: `${paymentId}-${time}`,
        payment_id: paymentId,
        named_by: 'body',
        verdict: null,
        why: null,
        read_time: null,
      })
      .returning('id')
      .executeTakeFirstOrThrow();
    const { id: forward_id } = await tx
      .insertInto('forwards')
      .values({
        ...common(forwarded),
        listener_id,
        delivery_id,
        target: 't',
        target_key: 't',
        lane: 'l',
        replay: 0,
        chaos: null,
        attempts: 1,
        first_time: time,
        status: 200,
        ms: 1,
        error: null,
        outcome: forwarded ? 'delivered' : null,
      })
      .returning('id')
      .executeTakeFirstOrThrow();
    await tx
      .insertInto('forward_attempts')
      .values({ forward_id, time, status: 200, ms: 1, answer: NAME, error: null })
      .execute();
  });
}

/** The name that a process on this machine writes to its leases. */
const ownerOf = (pid: number | undefined) => createOwner().name.replace(/\/\d+(?=\/[0-9a-f]{8}$)/, `/${pid}`);
const runningOwner = ownerOf(process.pid);
/** A listener that was killed. */
const endedOwner = ownerOf(spawnSync('true').pid);

const waitingWebhooks: Array<[name: string, state: WebhookState]> = [
  ['waits to be forwarded', { forwarded: false }],
  [
    'was being forwarded when the listener was killed',
    { forwarded: false, lease: { owner: endedOwner, ms: 20_000 } },
  ],
  [
    'was being forwarded by a listener that has not answered since',
    { forwarded: false, lease: { owner: 'elsewhere', ms: -1 } },
  ],
  ['was never read', { read: false }],
  ['was being read when the listener was killed', { read: false, lease: { owner: endedOwner, ms: 60_000 } }],
];
const busyWebhooks: Array<[name: string, state: WebhookState]> = [
  ['forwarded', { forwarded: false, lease: { owner: runningOwner, ms: 20_000 } }],
  ['forwarded by another machine', { forwarded: false, lease: { owner: 'elsewhere', ms: 20_000 } }],
  ['read', { read: false, lease: { owner: runningOwner, ms: 60_000 } }],
];

function keptTests(database: () => Promise<string | undefined>): void {
  const home = mkdtempSync(join(tmpdir(), 'paydesk-home-'));
  let location: string;
  let env: Record<string, string>;
  beforeAll(async () => {
    const url = await database();
    env = {
      PAYDESK_HOME: home,
      PAYDESK_BASE_URL: 'http://127.0.0.1:9',
      PAYDESK_APP_ID: appId,
      PAYDESK_API_KEY: 'sk_test_forget',
      PAYDESK_KIND: 'sandbox',
      ...(url === undefined ? {} : { PAYDESK_DATABASE: url }),
    };
    // The program makes its home and its database.
    await runCommand(Find, ['x'], { env });
    location = url ?? join(home, 'data', 'desk.db');
  });

  async function withDatabase<T>(work: (opened: DeskDatabase) => Promise<T>): Promise<T> {
    const opened = await openDeskDatabase({ location, operator: 'op@desk' });
    try {
      return await work(opened);
    } finally {
      await opened.close();
    }
  }
  const know = ({ store }: DeskDatabase, paymentId: string, customerId: string, now: number) =>
    store.transaction((tx) =>
      remember(tx, store.engine, {
        seen: {
          appId,
          paymentId,
          customerId,
          referenceId: `ref-${paymentId}`,
          state: 'Captured',
          provider: {
            payerName: NAME,
            payerEmail: 'zelda@quist.example',
            brand: 'Visa',
            reference: `NB-${paymentId}`,
          },
          order: { orderId: `W-${paymentId}`, name: 'Z. Q.', email: 'z@q.example', note: 'ring twice' },
        },
        source: 'read',
        now,
      }),
    );
  const find = async (...words: string[]) =>
    (
      (await runCommand(Find, [...words, '--json'], { env })).json as unknown as Array<{ paymentId: number }>
    ).map(({ paymentId }) => paymentId);
  const rows = (table: 'deliveries' | 'forwards' | 'forward_attempts' | 'known_payments') =>
    withDatabase(async ({ store }) => store.db.selectFrom(table).selectAll().execute());

  const webhooksOf = async (paymentId: string) =>
    (await rows('deliveries')).filter((row) => 'payment_id' in row && row.payment_id === paymentId);
  let paymentIds = 100;
  const newPaymentId = () => String((paymentIds += 1));

  /** Whether the index itself still has a word; PostgreSQL keeps it in the row alone. */
  const indexHas = (word: string) =>
    withDatabase(async ({ store }) => {
      if (store.engine === 'postgres') {
        const all = await store.db.selectFrom('known_payments').select('words').execute();
        return all.some(({ words }) => words.includes(word));
      }
      const { rows: blocks } = await sql<{ block: Uint8Array }>`select block from payment_words_data`.execute(
        store.db,
      );
      return blocks.some(({ block }) => Buffer.from(block).includes(word));
    });

  it('forgets a customer in the known payments, the index and the inbox, after a question', async () => {
    await withDatabase(async (opened) => {
      await know(opened, '1', 'k-881', Date.now());
      await know(opened, '2', 'k-990', Date.now());
      await addWebhook(opened, '1', Date.now());
      await addWebhook(opened, '2', Date.now());
    });
    expect(await find('zelda')).toEqual(expect.arrayContaining([1, 2]));
    const unasked = await runCommand(Forget, ['k-881', '--json'], { env });
    expect([unasked.code, unasked.stdout]).toEqual([2, expect.stringContaining('--yes')]);
    expect(await find('k-881')).toEqual([1]);
    const email = await runCommand(Forget, ['Zelda@quist.example', '--yes', '--json'], { env });
    expect([email.code, email.json.error?.code]).toEqual([2, 'not-a-customer']);
    expect(email.json.error?.next).toContain('paydesk customers forget k-881');
    const name = await runCommand(Forget, ['zelda quist', '--yes', '--json'], { env });
    expect([name.code, name.json.error?.code]).toEqual([2, 'not-a-customer']);
    expect(name.json.error?.message).toContain('is a name, and not the ID of a customer');
    expect(await indexHas('881')).toBe(true);

    const { code, json } = await runCommand(Forget, ['k-881', '--yes', '--json'], { env });
    expect([code, json]).toEqual([
      0,
      { customerId: 'k-881', payments: 1, webhooks: 1, webhooksInProgress: 0 },
    ]);
    expect(await find('zelda')).toEqual([2]);
    expect(await indexHas('881')).toBe(false);
    for (const said of ['k-881', 'w-1', 'z@q.example 1', 'ring', 'visa'])
      expect(await find(said)).not.toContain(1);
    // The payment itself is still known, by what names nobody.
    expect(await find('ref-1')).toEqual([1]);
    expect(await find('NB-1')).toEqual([1]);
    const left = JSON.stringify((await rows('known_payments')).filter((row) => row['payment_id'] === '1'));
    expect(left).not.toMatch(/zelda|quist|z\. q\.|ring|visa/i);
    expect((await rows('deliveries')).map((row) => row['payment_id'])).toEqual(['2']);
    expect([(await rows('forwards')).length, (await rows('forward_attempts')).length]).toEqual([1, 1]);
    const again = await runCommand(Forget, ['k-881', '--yes'], { env });
    expect([again.code, again.stdout.replaceAll('\n', ' ').trim()]).toEqual([
      0,
      'This desk has no known payments or webhooks of customer k-881. There was nothing to remove.',
    ]);
    const nobody = await runCommand(Forget, ['k-0'], { env, terminal: true });
    expect([nobody.code, nobody.stdout]).toEqual([0, expect.stringMatching(/nothing\s+to\s+remove/)]);
    const unknown = await runCommand(Forget, ['k-0', '--yes', '--json'], { env });
    expect([unknown.code, unknown.json]).toEqual([
      0,
      { customerId: 'k-0', payments: 0, webhooks: 0, webhooksInProgress: 0 },
    ]);
  });

  it.each(waitingWebhooks)('deletes a webhook that %s', async (_, state) => {
    const paymentId = newPaymentId();
    await withDatabase(async (opened) => {
      await know(opened, paymentId, `k-${paymentId}`, Date.now());
      await addWebhook(opened, paymentId, Date.now(), state);
    });
    const before = (await rows('forward_attempts')).length;
    const { code, json } = await runCommand(Forget, [`k-${paymentId}`, '--yes', '--json'], { env });
    expect([code, json]).toMatchObject([0, { payments: 1, webhooks: 1, webhooksInProgress: 0 }]);
    expect(await webhooksOf(paymentId)).toEqual([]);
    expect((await rows('forward_attempts')).length).toBe(before - 1);
    expect((await rows('forwards')).length).toBe((await rows('deliveries')).length);
  });

  it.each(busyWebhooks)(
    'keeps a webhook that is being %s, says so, and deletes it later',
    async (_, state) => {
      const paymentId = newPaymentId();
      const customer = `k-${paymentId}`;
      await withDatabase(async (opened) => {
        await know(opened, paymentId, customer, Date.now());
        await addWebhook(opened, paymentId, Date.now(), state);
        await addWebhook(opened, paymentId, Date.now());
      });
      const { code, json } = await runCommand(Forget, [customer, '--yes', '--json'], { env });
      expect([code, json]).toEqual([
        0,
        { customerId: customer, payments: 1, webhooks: 1, webhooksInProgress: 1 },
      ]);
      expect((await webhooksOf(paymentId)).length).toBe(1);
      expect(
        JSON.stringify((await rows('known_payments')).filter((row) => row.payment_id === paymentId)),
      ).not.toMatch(/zelda|quist|ring/i);
      const again = await runCommand(Forget, [customer, '--yes'], { env });
      expect([again.code, again.stdout]).toEqual([
        0,
        expect.stringContaining(
          '1 webhook is being read or forwarded now and was not deleted. Run the command again in a minute.',
        ),
      ]);
      expect(again.stdout).not.toContain('nothing');

      await withDatabase(({ store }) =>
        store.transaction(async (tx) => {
          await tx
            .updateTable('forwards')
            .set({ finished: 1, lease_until: null, lease_owner: null })
            .execute();
          await tx
            .updateTable('deliveries')
            .set({ finished: 1, lease_until: null, lease_owner: null })
            .execute();
        }),
      );
      const later = await runCommand(Forget, [customer, '--yes', '--json'], { env });
      expect(later.json).toMatchObject({ webhooks: 1, webhooksInProgress: 0 });
      expect(await webhooksOf(paymentId)).toEqual([]);
      expect(await find(customer)).toEqual([]);
      const last = await runCommand(Forget, [customer, '--yes'], { env });
      expect(last.stdout).toContain('There was nothing to remove.');
    },
  );

  it('keeps what an unfinished import left as long as PAYDESK_KEEP says', async () => {
    const counts = { created: 0, changed: 0, same: 0, unknown: 1, unreadable: 0 };
    const problems = [{ line: 2, payment: 'zelda-quist-1', problem: 'no such payment' }];
    const recordOf = ({ store }: DeskDatabase, file: string, daysAgo: number) =>
      createImportRecord(store, { appId }, file, () => Date.now() - daysAgo * DAY);
    const left = (file: string) =>
      withDatabase(async (opened) => {
        const record = recordOf(opened, file, 0);
        return [(await record.start()).rowsDone, (await record.problems(10)).length];
      });
    await withDatabase(async (opened) => {
      for (const [file, daysAgo] of [
        ['old', 91],
        ['recent', 89],
      ] as const) {
        const record = recordOf(opened, file, daysAgo);
        await opened.store.transaction((tx) => record.save(tx, 1, counts, problems));
      }
    });
    await find('x');
    expect([await left('old'), await left('recent')]).toEqual([
      [1, 1],
      [1, 1],
    ]);
    await runCommand(Find, ['x'], { env: { ...env, PAYDESK_KEEP: '90d' } });
    expect([await left('old'), await left('recent')]).toEqual([
      [0, 0],
      [1, 1],
    ]);
  });

  it('keeps as long as PAYDESK_KEEP says, and what is still under way for longer', async () => {
    const old = Date.now() - 100 * DAY;
    await withDatabase(async (opened) => {
      await know(opened, '11', 'c_old', old);
      await know(opened, '12', 'c_old', old);
      // Seen again since.
      await know(opened, '12', 'c_old', Date.now());
      await addWebhook(opened, '11', old);
      await addWebhook(opened, '12', old, { forwarded: false });
    });
    expect(await find('c_old')).toEqual(expect.arrayContaining([11, 12]));
    env = { ...env, PAYDESK_KEEP: '90d' };
    expect(await find('c_old')).toEqual([12]);
    const kept = await rows('deliveries');
    expect(kept.filter((row) => row['time'] < Date.now() - 90 * DAY).map((row) => row['payment_id'])).toEqual(
      ['12'],
    );
    env = { ...env, PAYDESK_KEEP: 'long' };
    const bad = await runCommand(Find, ['c_old', '--json'], { env });
    expect([bad.code, bad.stdout]).toEqual([2, expect.stringContaining('PAYDESK_KEEP')]);
  });
}

describe('what is kept, on SQLite', () => keptTests(async () => undefined));

describeWithPostgres('what is kept, on PostgreSQL', (postgres) => {
  keptTests(() => postgres().createDatabase());

  it.each(['deliveries', 'forwards'] as const)(
    'keeps a webhook that a listener claims in %s just now',
    async (table) => {
      const location = await postgres().createDatabase();
      const { store, close } = await openDeskDatabase({ location, operator: 'op@desk' });
      try {
        const ref = { appId, paymentId: '1' };
        await store.transaction((tx) =>
          remember(tx, store.engine, {
            seen: { ...ref, customerId: 'k-1', state: 'Captured' },
            source: 'read',
            now: 1,
          }),
        );
        await addWebhook({ store }, '1', Date.now(), { read: false, forwarded: false });
        const during = await store.transaction(async (tx) => {
          await tx.updateTable(table).set({ lease_owner: 'elsewhere' }).execute();
          return forgetCustomer(store, ref, 'k-1');
        });
        expect(during).toEqual({ payments: 1, webhooks: 0, webhooksInProgress: 1 });
        expect(await forgetCustomer(store, ref, 'k-1')).toEqual({
          payments: 1,
          webhooks: 1,
          webhooksInProgress: 0,
        });
      } finally {
        await close();
      }
    },
  );
});
