import { execFileSync } from 'node:child_process';
import {
  copyFileSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Diagnosis } from '../../src/doctor/check.js';
import { openDeskDatabase } from '../../src/ledger/database.js';
import { createLedgerPlace } from '../../src/ledger/place/ledger-place.js';
import { openPlaceNotes } from '../../src/ledger/place/place-note.js';
import type { ControlAnswers } from '../../src/sandbox/index.js';
import { addFault, temporaryHome } from '../helpers/desk.js';
import { hostedBody, startTestSandbox, type TestSandbox } from '../helpers/sandbox.js';
import { modeOf } from '../profiles/temporary-home.js';
import { captured, openLiveDesk, type LiveDesk } from './live-desk.js';

let sandbox: TestSandbox;
beforeAll(async () => {
  sandbox = await startTestSandbox();
});
afterAll(async () => {
  await sandbox.close();
});

/** A desk that has refunded a live payment. */
async function usedDesk(): Promise<LiveDesk> {
  const desk = await openLiveDesk(sandbox);
  // The longer the quiet period, the longer an intent is fresh on a slow machine.
  const quiet = { PAYDESK_QUIET_PERIOD: '1m' };
  expect(await desk.move('refund', await captured(sandbox), quiet)).toMatchObject({ code: 0 });
  return desk;
}

let shared: Promise<LiveDesk> | undefined;

/** The same for tests that only copy it, or send with it: it stays in its place. */
const sharedDesk = (): Promise<LiveDesk> => (shared ??= usedDesk());

async function expectRefused(desk: LiveDesk, code: string): Promise<number> {
  const paymentId = await captured(sandbox);
  const refused = await desk.move('refund', paymentId);
  expect(refused).toMatchObject({ code: 9, error: { code, next: ['paydesk ledger adopt'] } });
  expect(refused.error?.message).toContain('Nothing was sent.');
  expect(await sandbox.books(paymentId)).not.toHaveProperty('refund');
  return paymentId;
}

const adopt = (desk: LiveDesk) => desk.run(['ledger', 'adopt', '--yes', '--json']);

/** What was sent before it was adopted may be missing in it, so nothing is sent before a quiet period has passed. */
async function expectHeldThenDone(desk: LiveDesk, paymentId: number): Promise<void> {
  const held = await desk.move('refund', paymentId, { PAYDESK_QUIET_PERIOD: '1h' });
  expect(held).toMatchObject({ code: 9, error: { code: 'ledger-adopted' } });
  expect(await sandbox.books(paymentId)).not.toHaveProperty('refund');
  const later = () => desk.move('refund', paymentId, { PAYDESK_QUIET_PERIOD: '1s' });
  await expect.poll(later, { timeout: 120_000, interval: 1_000 }).toMatchObject({ code: 0 });
}

/** The file as it was, a refund later. */
async function olderFile(desk: LiveDesk): Promise<string> {
  const older = `${desk.ledger}.older`;
  copyFileSync(desk.ledger, older);
  expect(await desk.move('refund', await captured(sandbox))).toMatchObject({ code: 0 });
  return older;
}

describe('a ledger in its place', () => {
  it('is noted beside the profiles, for its owner alone', async () => {
    const desk = await sharedDesk();
    const notes = join(desk.home, 'ledgers');
    expect(readdirSync(notes).map((name) => [name.split('.')[1], modeOf(join(notes, name))])).toEqual([
      ['json', '600'],
      ['newest', '600'],
    ]);
    expect(readdirSync(dirname(desk.ledger))).toEqual(['desk.db']);
  });

  it('has its newest intent noted, also when one that is older is noted last', async () => {
    const database = await openDeskDatabase({ location: ':memory:', operator: 'op' });
    const notes = openPlaceNotes(temporaryHome());
    const whereabouts = { ledger: '/desk.db', notes, here: () => null };
    const [prompt, heldUp] = [database, database].map(({ store }) => createLedgerPlace(store, whereabouts));
    await prompt!.problem();
    await heldUp!.problem();
    await prompt!.mark({ id: 2, time: 20 });
    await heldUp!.mark({ id: 1, time: 10 });
    expect(notes.newest('/desk.db')).toEqual({ id: 2, time: 20 });
    await heldUp!.mark({ id: 3, time: 15 });
    expect(notes.newest('/desk.db')).toEqual({ id: 3, time: 15 });
    notes.close();
    await database.close();
  });

  it('needs no adoption', async () => {
    const desk = await sharedDesk();
    const { code, stdout } = await adopt(desk);
    expect([code, JSON.parse(stdout)]).toEqual([0, { ledger: desk.ledger, adopted: false, problem: null }]);
  });

  it('may be renamed with its home', async () => {
    const desk = await usedDesk();
    const other = await openLiveDesk(sandbox);
    rmSync(other.home, { recursive: true });
    renameSync(desk.home, other.home);
    expect(await other.move('refund', await captured(sandbox))).toMatchObject({ code: 0 });
  });

  it('stays in it when the machine starts again and numbers its devices differently', async () => {
    const desk = await usedDesk();
    change(desk, { boot: 'before', device: '1' });
    expect(await desk.move('refund', await captured(sandbox))).toMatchObject({ code: 0 });
    expect(recorded(desk)).toMatchObject({ device: String(statSync(desk.ledger).dev) });
  });
});

describe('a live move is refused', () => {
  it('with a copy of a home, and the original goes on', async () => {
    const desk = await sharedDesk();
    const copy = desk.copy();
    const paymentId = await expectRefused(copy, 'ledger-copied');
    expect(await desk.move('refund', paymentId)).toMatchObject({ code: 0 });
  });

  it('as doctor says before it is tried', async () => {
    const desk = await sharedDesk();
    const ledgerCheck = async ({ run }: LiveDesk) => {
      const { stdout } = await run(['doctor', '--profile', 'local-live', '--json']);
      return (JSON.parse(stdout) as Diagnosis).checks.find(({ name }) => name === 'ledger');
    };
    const copy = desk.copy();
    expect(await ledgerCheck(copy)).toEqual({
      name: 'ledger',
      status: 'warn',
      message: `The ledger ${copy.ledger} is a copy of another file. A live app would be refused.`,
      fix: 'paydesk ledger adopt',
    });
    expect(await ledgerCheck(desk)).toMatchObject({ status: 'pass' });
    await expectRefused(copy, 'ledger-copied');
  });

  it('with a new ledger where one was removed, also after it was used for test money', async () => {
    const desk = await usedDesk();
    rmSync(desk.ledger);
    await expectRefused(desk, 'ledger-missing');
    const test = await captured(sandbox, sandbox.app);
    expect((await desk.run(['payments', 'refund', String(test)])).code).toBe(0);
    await expectRefused(desk, 'ledger-missing');
  });

  it.each(['first', 'later'])(
    'after the ledger was removed during the %s move, which tells its outcome',
    async (which) => {
      const desk = which === 'first' ? await openLiveDesk(sandbox) : await usedDesk();
      const paymentId = await captured(sandbox);
      await addFault(sandbox, { kind: 'latency', route: 'refund', next: 1, delayMs: 2_000 });
      const moved = desk.move('refund', paymentId);
      const faults = async () => (await sandbox.control('GET', '/faults')).text;
      await expect.poll(faults, { timeout: 120_000 }).toMatch(/"remaining":0|\[\]/);
      for (const suffix of ['', '-wal', '-shm']) rmSync(`${desk.ledger}${suffix}`, { force: true });
      expect(await moved).toMatchObject({ code: 0 });
      await sandbox.control('DELETE', '/faults');
      expect(await sandbox.books(paymentId)).toMatchObject({ refund: '1/1' });
      await expectRefused(desk, 'ledger-missing');
    },
  );

  it('by a batch whose ledger was replaced while it ran', async () => {
    const desk = await usedDesk();
    const payments = [];
    for (let number = 1; number <= 6; number += 1) payments.push(await captured(sandbox));
    const list = join(desk.home, 'list.csv');
    const plan = join(desk.home, 'plan.json');
    writeFileSync(list, `payment\n${payments.join('\n')}\n`);
    const live = ['--profile', 'local-live', '--json'];
    const planned = await desk.run(['batch', 'plan', list, '--action', 'refund', '--out', plan, ...live]);
    expect(planned.code).toBe(0);
    const older = `${desk.ledger}.older`;
    copyFileSync(desk.ledger, older);
    await addFault(sandbox, { kind: 'latency', route: 'refund', next: 1, delayMs: 1_500 });
    const apply = ['batch', 'apply', plan, ...live, '--confirm', sandbox.live.appId, '--concurrency', '1'];
    const applied = desk.run(apply);
    const faults = async () => (await sandbox.control('GET', '/faults')).text;
    await expect.poll(faults, { timeout: 120_000 }).toMatch(/"remaining":0|\[\]/);
    renameSync(older, desk.ledger);
    const { code, stdout, stderr } = await applied;
    await sandbox.control('DELETE', '/faults');
    expect([code, `${stdout}${stderr}`]).toEqual([
      expect.toSatisfy((told: number) => told !== 0),
      expect.stringContaining('was replaced while it was in use'),
    ]);
    const books = await Promise.all(payments.map((id) => sandbox.books(id)));
    expect(books.filter((each) => 'refund' in each)).toHaveLength(1);
  });

  it('with an older file in the same inode, also after it was used for test money', async () => {
    const desk = await usedDesk();
    const older = await olderFile(desk);
    const { ino } = statSync(desk.ledger);
    copyFileSync(older, desk.ledger);
    expect(statSync(desk.ledger).ino).toBe(ino);
    await expectRefused(desk, 'ledger-restored');
    for (const _ of [1, 2]) {
      const test = await captured(sandbox, sandbox.app);
      expect((await desk.run(['payments', 'refund', String(test)])).code).toBe(0);
    }
    await expectRefused(desk, 'ledger-restored');
  });

  it('with an older file that was renamed to its place', async () => {
    const desk = await usedDesk();
    renameSync(await olderFile(desk), desk.ledger);
    await expectRefused(desk, 'ledger-restored');
  });

  it('with the ledger of another desk', async () => {
    const [desk, other] = [await usedDesk(), await usedDesk()];
    renameSync(other.ledger, desk.ledger);
    await expectRefused(desk, 'ledger-moved');
  });

  it('on another machine', async () => {
    const desk = await usedDesk();
    change(desk, { machine: 'another' });
    await expectRefused(desk, 'ledger-moved');
  });
});

describe('with a ledger out of its place', () => {
  it('creates, raw requests and batches are refused too on a live app, and reads are not', async () => {
    const desk = await usedDesk();
    const paymentId = await captured(sandbox);
    const live = ['--profile', 'local-live', '--json'];
    const confirmed = [...live, '--confirm', sandbox.live.appId];
    const list = join(desk.home, 'list.csv');
    const plan = join(desk.home, 'plan.json');
    writeFileSync(list, `payment\n${paymentId}\n`);
    change(desk, { machine: 'another' });
    const planned = await desk.run(['batch', 'plan', list, '--action', 'refund', '--out', plan, ...live]);
    expect(planned.code).toBe(0);
    const body = join(desk.home, 'body.json');
    writeFileSync(body, JSON.stringify(hostedBody()));
    const create = [
      '--amount',
      '5',
      '--currency',
      'EUR',
      '--customer',
      'c_1',
      '--return-url',
      'https://s.example',
    ];
    sandbox.lines.length = 0;
    for (const words of [
      ['payments', 'create', ...create, '--reference', 'place-create'],
      ['payments', 'charge', '--amount', '5', '--customer', 'c_1', '--reference', 'place-charge'],
      ['api', 'POST', `/payments/${paymentId}/refund`],
      ['api', 'POST', '/payments', '--body', body],
      ['batch', 'apply', plan],
    ]) {
      const { code, stdout } = await desk.run([...words, ...confirmed]);
      const { error } = JSON.parse(stdout) as { error?: { code: string } };
      expect([words[1], code, error?.code]).toEqual([words[1], 9, 'ledger-moved']);
    }
    expect(sandbox.lines.filter(({ method }) => method !== 'GET')).toEqual([]);
    expect((await desk.run(['payments', 'get', String(paymentId), ...live])).code).toBe(0);
    expect((await desk.run(['history', ...live])).code).toBe(0);
  });

  it('a test app is warned once', async () => {
    const desk = (await sharedDesk()).copy();
    const test = await captured(sandbox, sandbox.app);
    const { code, stderr } = await desk.run(['payments', 'refund', String(test)]);
    expect(code).toBe(0);
    expect(stderr.match(/^Warning: .*is a copy of another file\..*paydesk ledger adopt$/gm)).toHaveLength(1);
  });

  it('a dry run is only warned', async () => {
    const desk = (await sharedDesk()).copy();
    const paymentId = await captured(sandbox);
    const words = ['payments', 'refund', String(paymentId), '--profile', 'local-live', '--dry-run'];
    const { code, stderr } = await desk.run(words);
    expect([code, stderr]).toEqual([0, expect.stringContaining('is a copy of another file')]);
  });
});

describe('ledger adopt', () => {
  it('lets a copy be used, under a new id', async () => {
    const desk = await sharedDesk();
    const copy = desk.copy();
    const paymentId = await expectRefused(copy, 'ledger-copied');
    const { code, stdout } = await adopt(copy);
    const adopted = JSON.parse(stdout) as Record<string, string>;
    expect([code, adopted]).toMatchObject([
      0,
      { adopted: true, problem: 'ledger-copied', formerId: idOf(desk) },
    ]);
    expect(idOf(copy)).toBe(adopted['id']);
    expect(idOf(copy)).not.toBe(idOf(desk));
    await expectHeldThenDone(copy, paymentId);
    const next = await copy.move('refund', await captured(sandbox), { PAYDESK_QUIET_PERIOD: '1s' });
    expect(next).toMatchObject({ code: 0 });
  });

  it('lets a restored and a new ledger be used', async () => {
    const desk = await usedDesk();
    copyFileSync(await olderFile(desk), desk.ledger);
    await expectRefused(desk, 'ledger-restored');
    expect((await adopt(desk)).code).toBe(0);
    await expectHeldThenDone(desk, await captured(sandbox));
    rmSync(desk.ledger);
    await expectRefused(desk, 'ledger-missing');
    expect((await adopt(desk)).code).toBe(0);
    await expectHeldThenDone(desk, await captured(sandbox));
  });

  it('holds the rows of a batch until the quiet period has passed', async () => {
    const copy = (await sharedDesk()).copy();
    const paymentId = await captured(sandbox);
    const list = join(copy.home, 'list.csv');
    const plan = join(copy.home, 'plan.json');
    writeFileSync(list, `payment\n${paymentId}\n`);
    const adopting = Date.now();
    expect((await adopt(copy)).code).toBe(0);
    const live = ['--profile', 'local-live', '--json'];
    const planned = await copy.run(['batch', 'plan', list, '--action', 'refund', '--out', plan, ...live]);
    expect(planned.code).toBe(0);
    const apply = ['batch', 'apply', plan, ...live, '--confirm', sandbox.live.appId];
    // However long the plan took, so much is left of it that only a hold can last as long.
    const quiet = Math.ceil((Date.now() - adopting) / 1000) + 4;
    expect((await copy.run(apply, { PAYDESK_QUIET_PERIOD: `${quiet}s` })).code).toBe(0);
    expect(await sandbox.books(paymentId)).toMatchObject({ refund: '1/1' });
    const { body } = await sandbox.control<ControlAnswers['GET /payments/{key}/story']>(
      'GET',
      `/payments/${paymentId}/story`,
    );
    const sent = body.exchanges.find(({ kind }) => kind === 'refund')!.time;
    expect(sent - adopting).toBeGreaterThanOrEqual(quiet * 1000);
  });

  it('makes plans of the other copy useless here', async () => {
    const desk = await sharedDesk();
    const list = join(desk.home, 'list.csv');
    const plan = join(desk.home, 'plan.json');
    writeFileSync(list, `payment\n${await captured(sandbox)}\n`);
    const live = ['--profile', 'local-live', '--json'];
    const planned = await desk.run(['batch', 'plan', list, '--action', 'refund', '--out', plan, ...live]);
    expect(planned.code).toBe(0);
    const copy = desk.copy();
    expect((await adopt(copy)).code).toBe(0);
    const apply = ['batch', 'apply', plan, ...live, '--confirm', sandbox.live.appId];
    expect((await copy.run(apply)).code).toBe(9);
    expect((await desk.run(apply)).code).toBe(0);
  });

  it('asks on a terminal, and needs --yes without one', async () => {
    const copy = (await sharedDesk()).copy();
    const before = idOf(copy);
    const unasked = await copy.run(['ledger', 'adopt', '--json']);
    const { error } = JSON.parse(unasked.stdout) as { error: { next: string[] } };
    expect([unasked.code, error.next]).toEqual([9, ['paydesk ledger adopt --yes']]);
    const declined = await copy.terminal(['ledger', 'adopt']);
    await declined.waitFor('Adopt this ledger?');
    declined.press('enter');
    expect(await declined.ended()).toBe(130);
    expect(idOf(copy)).toBe(before);
    const asked = await copy.terminal(['ledger', 'adopt']);
    await asked.waitFor('could be sent again');
    await asked.waitFor('Adopt this ledger?');
    asked.type('y');
    asked.press('enter');
    expect(await asked.ended()).toBe(0);
    expect(idOf(copy)).not.toBe(before);
  });
});

const compiler = ['cc', 'gcc'].find((name) => {
  try {
    execFileSync(name, ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
});
const canShim = process.platform === 'linux' && compiler !== undefined;
const missing = canShim ? '' : ' (skipped: there is no C compiler for Linux)';

describe.skipIf(!canShim && !process.env['CI'])(`locks that do not lock${missing}`, () => {
  let LD_PRELOAD: string;
  beforeAll(async () => {
    const source = fileURLToPath(new URL('no-locks.c', import.meta.url));
    const { home } = await openLiveDesk(sandbox);
    LD_PRELOAD = join(home, 'no-locks.so');
    execFileSync(compiler ?? 'cc', ['-shared', '-fPIC', '-o', LD_PRELOAD, source, '-ldl']);
  });

  it('are found by another process before a live move, until the ledger is adopted', async () => {
    const desk = await usedDesk();
    const paymentId = await captured(sandbox);
    const refused = await desk.move('refund', paymentId, { LD_PRELOAD });
    expect(refused).toMatchObject({ code: 9, error: { code: 'ledger-locks' } });
    expect(await sandbox.books(paymentId)).not.toHaveProperty('refund');
    expect(readdirSync(dirname(desk.ledger)).filter((name) => name.includes('probe'))).toEqual([]);
    const adopted = await desk.run(['ledger', 'adopt', '--yes', '--json'], { LD_PRELOAD });
    expect(JSON.parse(adopted.stdout)).toMatchObject({ adopted: true, problem: 'ledger-locks' });
    expect(await desk.move('refund', paymentId, { LD_PRELOAD })).toMatchObject({ code: 0 });
  });
});

function open(desk: LiveDesk): DatabaseSync {
  return new DatabaseSync(desk.ledger);
}

function recorded(desk: LiveDesk): Record<string, unknown> {
  const database = open(desk);
  const row = database.prepare('select * from ledger_place').get();
  database.close();
  return { ...row };
}

function idOf(desk: LiveDesk): unknown {
  const database = open(desk);
  const row = database.prepare('select id from identity').get();
  database.close();
  return row?.['id'];
}

/** What the ledger and the note say of where it is. */
function change(desk: LiveDesk, place: Record<string, string>): void {
  const database = open(desk);
  for (const [name, value] of Object.entries(place))
    database.prepare(`update ledger_place set ${name} = ?`).run(value);
  database.close();
  const notes = join(desk.home, 'ledgers');
  for (const name of readdirSync(notes).filter((each) => each.endsWith('.json'))) {
    const file = join(notes, name);
    const note = JSON.parse(readFileSync(file, 'utf8')) as { place: object };
    writeFileSync(file, JSON.stringify({ ...note, place: { ...note.place, ...place } }));
  }
}
