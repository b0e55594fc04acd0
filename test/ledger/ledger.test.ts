import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { openDeskDatabase, type DeskDatabase } from '../../src/ledger/database.js';
import { readHistory } from '../../src/ledger/moves/history.js';
import { findKnown } from '../../src/ledger/known/remember.js';
import {
  outcomeOf,
  type Entry,
  type NewIntent,
  type NewOutcome,
  type Opening,
  type SendAgain,
} from '../../src/ledger/moves/entries.js';
import type { Ledger } from '../../src/ledger/moves/ledger.js';
import type { SteadyTime } from '../../src/ledger/steady-clock.js';
import { findOperator } from '../../src/ledger/operator.js';
import { deskDatabases } from '../helpers/desk-database.js';
import { describeWithPostgres } from '../helpers/postgres.js';

const QUIET_MS = 1_000;
const FENCE_MS = 250;

const intent: NewIntent = {
  quietMs: QUIET_MS,
  baseUrl: 'https://pay.example',
  appId: 'app_1',
  paymentId: '100001',
  referenceId: 'inv-1',
  operation: 'refund',
  amount: '49.90',
  currency: 'EUR',
  before: 'Captured',
  profile: 'shop',
  kind: 'live',
  reason: 'parcel lost',
  ticket: 'T-1',
};

/** Nobody adopts a ledger here, and nobody else acts on its payments. */
async function open(
  ledger: Ledger,
  ...asked: Parameters<Ledger['open']>
): Promise<Exclude<Opening, { kind: 'adopted' | 'seen' }>> {
  const opening = await ledger.open(...asked);
  if (opening.kind === 'adopted' || opening.kind === 'seen') throw new Error(`It was ${opening.kind}.`);
  return opening;
}

function suite(location: () => Promise<string>): void {
  const desks: DeskDatabase[] = [];

  async function desk(at: string, now?: () => number, steady?: () => SteadyTime): Promise<DeskDatabase> {
    const opened = await openDeskDatabase({
      location: at,
      operator: `op-${desks.length}`,
      ...(now && { now }),
      ...(steady && { steady }),
    });
    desks.push(opened);
    return opened;
  }

  afterEach(async () => {
    for (const opened of desks.splice(0)) await opened.close();
  });

  it('opens one intent for a payment, whoever asks and whatever for', async () => {
    const at = await location();
    const [one, two] = [await desk(at), await desk(at)];
    const opened = await open(one.ledger, intent);
    expect(opened.kind).toBe('opened');
    const refund = await open(two.ledger, intent);
    const cancel = await open(two.ledger, { ...intent, operation: 'cancel' });
    expect([refund.kind, cancel.kind]).toEqual(['held', 'held']);
    expect(cancel.intent).toMatchObject({ id: opened.intent.id, operation: 'refund', ticket: 'T-1' });
  });

  it('remembers a payment as it was last seen, and since when it is in its state', async () => {
    let time = 1_000;
    const { ledger, store } = await desk(await location(), () => time);
    const known = () => findKnown(store.db, store.engine, intent);
    expect(await known()).toBeUndefined();
    const { intent: opened } = await open(ledger, { ...intent, state: 'Captured', customerId: 'c_1' });
    time = 2_000;
    await ledger.record(opened.id, { outcome: 'accepted', after: 'InRefund', state: 'Refunding' });
    expect(await known()).toMatchObject({ state: 'Refunding', customer_id: 'c_1', known_time: 1_000 });
    time = 3_000;
    await ledger.record(opened.id, { outcome: 'accepted', after: 'InRefund', state: 'Refunding' });
    expect(await known()).toMatchObject({ state_time: 2_000, seen_time: 3_000, source: 'changed' });
  });

  it('lets exactly one of many simultaneous attempts through', async () => {
    const at = await location();
    const [one, two] = [await desk(at), await desk(at)];
    const attempts = Array.from({ length: 40 }, (_, index) =>
      open((index % 2 === 0 ? one : two).ledger, intent),
    );
    const kinds = (await Promise.all(attempts)).map((opening) => opening.kind);
    expect(kinds.filter((kind) => kind === 'opened')).toHaveLength(1);
    expect(kinds.filter((kind) => kind === 'held')).toHaveLength(39);
  });

  it('keeps payments of other apps and ids apart', async () => {
    const { ledger } = await desk(await location());
    await open(ledger, intent);
    for (const other of [{ appId: 'app_2' }, { paymentId: '2' }]) {
      expect((await open(ledger, { ...intent, ...other })).kind).toBe('opened');
    }
  });

  it.each(['accepted', 'unknown'] as const)('stays open while it is %s', async (outcome) => {
    const { ledger } = await desk(await location());
    const { intent: opened } = await open(ledger, intent);
    await ledger.record(opened.id, { outcome, after: 'Refunding' });
    const next = await open(ledger, intent);
    expect(next.kind).toBe('held');
    expect(outcomeOf(next.intent)).toBe(outcome);
  });

  it.each([
    ['done', 'ended', 'ended', 'ended'],
    ['failed', 'ended', 'quiet', 'opened'],
    ['refused', 'quiet', 'quiet', 'opened'],
    ['unsent', 'quiet', 'quiet', 'opened'],
  ] as const)(
    'after %s the same operation is %s, with --again %s, and cleared after the quiet period %s',
    async (outcome, plain, again, cleared) => {
      let ms = 0;
      const { ledger } = await desk(await location(), undefined, () => ({ boot: 'b', ms }));
      const { intent: opened } = await open(ledger, intent);
      await ledger.record(opened.id, { outcome });
      const blocking = async (options: SendAgain) =>
        (await ledger.findBlocking(intent, 'refund', options))?.kind ?? 'opened';
      expect(await blocking({})).toBe(plain);
      expect(await blocking({ again: true })).toBe(again);
      const options = { again: true, cleared: await ledger.find(opened.id) };
      ms = QUIET_MS - 1;
      expect((await open(ledger, intent, options)).kind).toBe(again);
      ms = QUIET_MS;
      expect((await open(ledger, intent, options)).kind).toBe(cleared);
    },
  );

  it('sends at once again what provably never left', async () => {
    const { ledger } = await desk(await location());
    const { intent: opened } = await open(ledger, intent);
    await ledger.record(opened.id, { outcome: 'unsent', neverLeft: true });
    expect((await open(ledger, intent)).kind).toBe('opened');
  });

  describe('a resend that never left', () => {
    const notSent = { outcome: 'unsent', neverLeft: true } as const;

    /** An instruction with this outcome, and the same one again, which never left. */
    async function resent(outcome: NewOutcome) {
      let ms = 0;
      const { ledger } = await desk(await location(), undefined, () => ({ boot: 'b', ms }));
      const { intent: first } = await open(ledger, intent);
      await ledger.record(first.id, outcome);
      ms = QUIET_MS + FENCE_MS;
      const resend = () =>
        ledger.find(first.id).then((cleared) => open(ledger, intent, { again: true, cleared }));
      const { intent: second } = await resend();
      await ledger.record(second.id, notSent);
      return { ledger, first, resend };
    }

    it.each(['unknown', 'accepted'] as const)('leaves the instruction before it %s', async (outcome) => {
      const { ledger, first, resend } = await resent({ outcome, why: 'the answer was lost' });
      const blocked = await open(ledger, intent);
      expect(blocked).toMatchObject({ kind: 'held', intent: { id: first.id, last: { outcome } } });
      expect(blocked.intent.last?.why).toBe('the answer was lost');
      expect((await ledger.unsettled(intent)).map(({ id }) => id)).toEqual([first.id]);
      // Its quiet period is over as it was before.
      expect(await ledger.quietLeft(blocked.intent, QUIET_MS)).toBe(0);
      const { kind, intent: third } = await resend();
      expect([kind, third.resend_of]).toEqual(['opened', first.id]);
    });

    it('leaves what failed to be sent only with --again', async () => {
      const { ledger, first } = await resent({ outcome: 'failed' });
      expect(await open(ledger, intent)).toMatchObject({ kind: 'ended', intent: { id: first.id } });
    });

    it('leaves what was refused to be cleared', async () => {
      const { ledger, first, resend } = await resent({ outcome: 'refused' });
      expect(await open(ledger, intent)).toMatchObject({ kind: 'quiet', intent: { id: first.id } });
      expect((await resend()).kind).toBe('opened');
    });
  });

  it('counts the quiet period from the last that became known, and the fence before that', async () => {
    let ms = 0;
    const { ledger } = await desk(await location(), undefined, () => ({ boot: 'b', ms }));
    const { intent: opened } = await open(ledger, intent);
    expect(await ledger.quietLeft(opened, 0)).toBe(QUIET_MS + FENCE_MS);
    ms = 100;
    expect(await ledger.renew(opened.id)).toBe(true);
    expect(await ledger.quietLeft(opened, 0)).toBe(QUIET_MS + FENCE_MS);
    ms = 500;
    await ledger.record(opened.id, { outcome: 'unknown' });
    const { intent: entry } = (await ledger.findBlocking(intent, 'refund', {})) as { intent: Entry };
    ms = 100 + FENCE_MS;
    await ledger.record(opened.id, { outcome: 'unknown', after: 'Captured' });
    ms += 200;
    expect(await ledger.quietLeft(entry, 0)).toBe(QUIET_MS - 200);
    // A desk that is more careful waits longer.
    expect(await ledger.quietLeft(entry, 2 * QUIET_MS)).toBeGreaterThanOrEqual(2 * QUIET_MS - 200);
  });

  it('counts from a renewed hold, whatever others have noted before that', async () => {
    let ms = 0;
    const { ledger } = await desk(await location(), undefined, () => ({ boot: 'b', ms }));
    const { intent: opened } = await open(ledger, intent);
    // Somebody else checks while the process that is to send it is paused.
    await ledger.record(opened.id, { outcome: 'unknown' });
    ms = QUIET_MS - 1;
    expect(await ledger.renew(opened.id)).toBe(true);
    ms = QUIET_MS;
    expect(await ledger.quietLeft(opened, 0)).toBe(QUIET_MS + FENCE_MS - 1);
  });

  it('clears an intent for what was known of it then, and no longer', async () => {
    let ms = 0;
    const { ledger } = await desk(await location(), undefined, () => ({ boot: 'b', ms }));
    const { intent: opened } = await open(ledger, intent);
    ms = QUIET_MS + FENCE_MS;
    const cleared = await ledger.find(opened.id);
    // The process that was thought to be gone wakes, renews its hold and sends.
    await ledger.renew(opened.id);
    const renewed = await ledger.find(opened.id);
    await ledger.record(opened.id, { outcome: 'accepted' });
    ms += QUIET_MS + FENCE_MS;
    expect((await open(ledger, intent, { cleared })).kind).toBe('held');
    expect((await open(ledger, intent, { cleared: renewed })).kind).toBe('held');
    expect((await open(ledger, intent, { cleared: await ledger.find(opened.id) })).kind).toBe('opened');
  });

  it('counts only the time since a restart of the machine', async () => {
    let steady = { boot: 'one', ms: 1_000_000 };
    const { ledger } = await desk(await location(), undefined, () => steady);
    const { intent: opened } = await open(ledger, intent);
    steady = { boot: 'two', ms: 100 };
    expect(await ledger.quietLeft(opened, 0)).toBe(QUIET_MS + FENCE_MS - 100);
  });

  it('turns what was refused into done when the payment proves it', async () => {
    const { ledger } = await desk(await location());
    const { intent: opened } = await open(ledger, intent);
    await ledger.record(opened.id, { outcome: 'refused', after: 'Captured' });
    expect((await ledger.unsettled(intent)).map(({ id }) => id)).toEqual([opened.id]);
    await ledger.record(opened.id, { outcome: 'accepted', after: 'Refunding' });
    expect((await open(ledger, { ...intent, operation: 'cancel' })).kind).toBe('held');
    await ledger.record(opened.id, { outcome: 'done', after: 'Refunded' });
    expect((await open(ledger, intent)).kind).toBe('ended');
    expect(await ledger.unsettled(intent)).toEqual([]);
  });

  it('finds what is open by the id or the reference alone', async () => {
    const { ledger } = await desk(await location());
    const { intent: opened } = await open(ledger, intent);
    const found = async (name: { paymentId?: string; referenceId?: string }, appId = intent.appId) =>
      (await ledger.findOpen({ appId }, name)).map(({ id }) => id);
    expect(await found({ paymentId: intent.paymentId })).toEqual([opened.id]);
    expect(await found({ referenceId: 'inv-1' })).toEqual([opened.id]);
    expect(await found({ paymentId: 'inv-1', referenceId: 'inv-1' })).toEqual([opened.id]);
    expect(await found({ paymentId: 'inv-1' })).toEqual([]);
    expect(await found({ referenceId: 'inv-1' }, 'app_2')).toEqual([]);
    await ledger.record(opened.id, { outcome: 'done', after: 'Refunded' });
    expect(await found({ referenceId: 'inv-1' })).toEqual([]);
  });

  it('corrects the row of the batch that sent what turns out to be done', async () => {
    const { ledger, store } = await desk(await location());
    const row = {
      batch_id: 'b1',
      line: 2,
      typed: 'inv-1',
      planned: 1,
      payment_id: intent.paymentId,
      amount: '49.90',
      currency: 'EUR',
      before_state: 'Captured',
      due_time: 0,
      tries: 0,
      finished: 1,
      outcome: 'refused',
    } as const;
    await store.transaction((tx) =>
      tx
        .insertInto('batch_rows')
        .values([row, { ...row, batch_id: 'b2' }, { ...row, line: 3, lease_owner: 'at work' }])
        .execute(),
    );
    const { intent: opened } = await open(ledger, { ...intent, batchId: 'b1' });
    await ledger.record(opened.id, { outcome: 'refused' });
    await ledger.record(opened.id, { outcome: 'done', after: 'Refunded' });
    const rows = await store.db
      .selectFrom('batch_rows')
      .select(['batch_id', 'outcome', 'after_state'])
      .orderBy('batch_id')
      .orderBy('line')
      .execute();
    expect(rows).toEqual([
      { batch_id: 'b1', outcome: 'done', after_state: 'Refunded' },
      // The process that works on it writes it itself.
      { batch_id: 'b1', outcome: 'refused', after_state: null },
      { batch_id: 'b2', outcome: 'refused', after_state: null },
    ]);
  });

  it('reopens what was refused when the payment has changed, unless another operation holds it by now', async () => {
    const { ledger } = await desk(await location());
    const cancel: NewIntent = { ...intent, operation: 'cancel' };
    const { intent: refused } = await open(ledger, cancel);
    await ledger.record(refused.id, { outcome: 'refused' });
    const { intent: capture } = await open(ledger, { ...intent, operation: 'capture' });
    await ledger.record(refused.id, { outcome: 'unknown' });
    expect(outcomeOf(await ledger.find(refused.id))).toBe('refused');
    await ledger.record(capture.id, { outcome: 'done' });
    await ledger.record(refused.id, { outcome: 'unknown' });
    expect(outcomeOf(await ledger.find(refused.id))).toBe('unknown');
    expect(await open(ledger, { ...intent, operation: 'capture' })).toMatchObject({
      kind: 'held',
      intent: { id: refused.id },
    });
  });

  it('holds a payment whatever the base URL is called', async () => {
    const { ledger } = await desk(await location());
    await open(ledger, intent);
    expect((await open(ledger, { ...intent, baseUrl: 'http://localhost:1' })).kind).toBe('held');
  });

  it('retires what it knows of a sandbox that was reset', async () => {
    const { ledger, store } = await desk(await location());
    const { intent: opened } = await open(ledger, { ...intent, generation: 'one' });
    await ledger.record(opened.id, { outcome: 'done', after: 'Refunded', state: 'Refunded' });
    expect((await ledger.findBlocking({ ...intent, generation: 'one' }, 'refund', {}))?.kind).toBe('ended');
    const next = { ...intent, generation: 'two' };
    expect(await ledger.findBlocking(next, 'refund', {})).toBeUndefined();
    expect(await findKnown(store.db, store.engine, intent)).toBeUndefined();
    expect((await open(ledger, next)).kind).toBe('opened');
    expect(await Array.fromAsync(readHistory(store, {}))).toHaveLength(2);
  });

  it('does not let what was open before a sandbox was reset hold the payment that has its id now', async () => {
    const { ledger } = await desk(await location());
    await open(ledger, { ...intent, generation: 'one' });
    const next = { ...intent, generation: 'two' };
    expect(await ledger.findBlocking(next, 'refund', {})).toBeUndefined();
    expect((await open(ledger, next)).kind).toBe('opened');
  });

  it('stays closed, whatever another process adds later', async () => {
    const at = await location();
    const [one, two] = [await desk(at), await desk(at)];
    const { intent: opened } = await open(one.ledger, intent);
    await two.ledger.record(opened.id, { outcome: 'done', after: 'Refunded' });
    await one.ledger.record(opened.id, { outcome: 'accepted', after: 'Refunding' });
    expect((await one.ledger.outcomesOf(opened.id)).map(({ outcome }) => outcome)).toEqual(['done']);
  });

  it('lets another operation through once the first has ended', async () => {
    const { ledger } = await desk(await location());
    const { intent: opened } = await open(ledger, { ...intent, operation: 'capture' });
    await ledger.record(opened.id, { outcome: 'done', after: 'Captured' });
    expect((await open(ledger, intent)).kind).toBe('opened');
  });

  it('hands an open intent over to exactly one resend', async () => {
    let ms = 0;
    const steady = () => ({ boot: 'b', ms });
    const at = await location();
    const [one, two] = [await desk(at, undefined, steady), await desk(at, undefined, steady)];
    const { intent: opened } = await open(one.ledger, intent);
    const options = { cleared: await two.ledger.find(opened.id) };
    expect((await open(two.ledger, intent, options)).kind).toBe('held');
    ms = QUIET_MS + FENCE_MS;
    const taken = await Promise.all([open(one.ledger, intent, options), open(two.ledger, intent, options)]);
    const [winner, ...others] = taken.filter(({ kind }) => kind === 'opened');
    expect(others).toEqual([]);
    expect(winner?.intent).toMatchObject({ resend_of: opened.id });
    expect((await open(two.ledger, intent)).intent.id).toBe(winner?.intent.id);
    expect(await one.ledger.renew(opened.id)).toBe(false);
    // What the first one would still have to say no longer counts.
    await one.ledger.record(opened.id, { outcome: 'done' });
    expect((await open(two.ledger, intent)).intent.id).toBe(winner?.intent.id);
  });

  it('tells the history, the newest first, with what became of each', async () => {
    let now = 1000;
    const { ledger, store } = await desk(await location(), () => now);
    const first = await open(ledger, intent);
    now = 2000;
    await ledger.record(first.intent.id, { outcome: 'unknown', why: 'read timeout' });
    await ledger.record(first.intent.id, { outcome: 'done', after: 'Refunded' });
    now = 3000;
    await open(ledger, {
      ...intent,
      paymentId: '2',
      referenceId: 'inv-2',
      operation: 'capture',
      ticket: undefined,
    });
    const all = await Array.fromAsync(readHistory(store, {}));
    expect(all.map((entry) => [entry.paymentId, entry.operation, entry.time, entry.outcome])).toEqual([
      ['2', 'capture', '1970-01-01T00:00:03.000Z', 'unknown'],
      ['100001', 'refund', '1970-01-01T00:00:01.000Z', 'done'],
    ]);
    const count = async (filter: Parameters<typeof readHistory>[1]) =>
      (await Array.fromAsync(readHistory(store, filter))).length;
    expect(await count({ payment: 'inv-1' })).toBe(1);
    expect(await count({ payment: '2' })).toBe(1);
    expect(await count({ outcome: 'done' })).toBe(1);
    expect(await count({ outcome: 'unknown' })).toBe(1);
    expect(await count({ ticket: 'T-1' })).toBe(1);
    expect(await count({ since: 2500 })).toBe(1);
    expect(await count({ appId: 'another' })).toBe(0);
  });

  it('pages through a long history without losing any', async () => {
    const { ledger, store } = await desk(await location());
    await open(ledger, intent);
    const { id: _, ...row } = await store.db.selectFrom('intents').selectAll().executeTakeFirstOrThrow();
    const copies = Array.from({ length: 1002 }, (_, index) => ({ ...row, payment_id: String(index) }));
    await store.transaction(async (tx) => {
      for (let from = 0; from < copies.length; from += 100)
        await tx
          .insertInto('intents')
          .values(copies.slice(from, from + 100))
          .execute();
    });
    const seen = new Set((await Array.fromAsync(readHistory(store, {}))).map((entry) => entry.paymentId));
    expect(seen.size).toBe(1003);
  });
}

describe('the ledger on SQLite', () => {
  const folder = mkdtempSync(join(tmpdir(), 'paydesk-ledger-'));
  let number = 0;
  suite(async () => join(folder, `${number++}.db`));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
});

describeWithPostgres('the ledger on PostgreSQL', (postgres) => {
  suite(deskDatabases(postgres));
});

describe('who did it', () => {
  it.each([
    [
      { GITHUB_ACTIONS: 'true', GITHUB_REPOSITORY: 'shop/api', GITHUB_RUN_ID: '7', GITHUB_ACTOR: 'ada' },
      'github:shop/api/actions/runs/7 (ada)',
    ],
    [
      { GITLAB_CI: 'true', CI_JOB_URL: 'https://git.example/jobs/9', GITLAB_USER_LOGIN: 'ben' },
      'gitlab:https://git.example/jobs/9 (ben)',
    ],
    [{ CI: 'true', BUILD_ID: '12' }, 'ci:12'],
    [{ CI: 'true', BUILD_URL: 'https://u:p@ss@jenkins.example/job/1/' }, 'ci:https://jenkins.example/job/1/'],
    [
      { GITLAB_CI: 'true', CI_JOB_URL: 'https://token@git.example/jobs/9', GITLAB_USER_LOGIN: 'ben' },
      'gitlab:https://git.example/jobs/9 (ben)',
    ],
    [{ CI: 'true', BUILD_URL: 'u:pw@no-address/1' }, 'ci:no-address/1'],
  ])('names the CI job of %o', (env, expected) => {
    expect(findOperator(env)).toBe(expected);
  });

  it('names user and machine elsewhere', () => {
    expect(findOperator({})).toMatch(/^[^@]+@[^@]+$/);
  });
});
