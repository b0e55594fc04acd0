import { beforeAll, expect, it } from 'vitest';
import { openDeskDatabase } from '../../src/ledger/database.js';
import { createSessions } from '../../src/support/sessions.js';
import { closedPort } from '../helpers/servers.js';
import { describeWithPostgres } from '../helpers/postgres.js';
import { openSeededDesk, type SeededDesk } from './seeded.js';

let desk: SeededDesk;
beforeAll(async () => {
  desk = await openSeededDesk();
});

describeWithPostgres('with a database that a team shares', (postgres) => {
  it('one sees what another did, and what is stuck', async () => {
    const env = { PAYDESK_DATABASE: await postgres().createDatabase() };
    const run: SeededDesk['run'] = (verb, args) => desk.run(verb, args, { env });
    const { paymentId } = await desk.authorised();
    expect((await run('capture', [paymentId, '--ticket', 'T-5'])).code).toBe(0);
    await desk.sandbox.settle();
    const open = (await run('explain', [paymentId, '--json'])).json;
    expect(open['verdict']).toMatch(
      /^Captured\. .* The outcome of the capture is not recorded yet: .* \(T-5\)\.$/,
    );
    expect((await run('capture', [paymentId])).code).toBe(0);
    expect((await run('list', ['--json'])).json).toMatchObject([
      { paymentId, state: 'Captured', source: 'changed', open: null },
    ]);
    const lost = await desk.paid();
    await desk.fault({ kind: 'drop-before-commit', route: 'refund', next: 1 });
    expect((await run('refund', [lost.paymentId])).code).toBe(6);
    const stuck = (await run('list', ['--stuck', '--refresh', '--json'])).json;
    expect(stuck).toMatchObject([{ paymentId: lost.paymentId, severity: 'urgent' }]);
    const rechecked = await run('recheck', ['stuck-charged', '--json']);
    expect(rechecked.json).toMatchObject({ before: 'Processing', after: 'Captured', changed: true });
    expect((await run('watch', ['stuck-charged'])).code).toBe(0);
    const captured = (await run('list', ['--state', 'Captured', '--older-than', '1ms', '--json'])).json;
    expect(captured.length).toBeGreaterThanOrEqual(2);
  });

  it('a guided session is kept there, each operator with their own', async () => {
    const location = await postgres().createDatabase();
    const database = await openDeskDatabase({ location, operator: 'ada@desk-1' });
    const app = { baseUrl: desk.sandbox.url, appId: desk.sandbox.app.appId };
    const [ada, ben] = ['ada@desk-1', 'ben@desk-2'].map((operator) =>
      createSessions(database.store, { ...app, operator }),
    ) as [ReturnType<typeof createSessions>, ReturnType<typeof createSessions>];
    const why = { ticket: 'T-1', reason: undefined };
    const started = await ada.start(['inv-1', 'inv-2'], why, Date.now());
    await ada.setWhy(started, { ticket: undefined, reason: 'outage' });
    await ada.mark(started.items[0]!, {
      payment_id: '7',
      status: 'done',
      before_state: 'Held',
      after_state: 'Captured',
      actions: 'unhold',
    });
    expect((await ada.unfinished())?.items.map(({ typed, status }) => [typed, status])).toEqual([
      ['inv-1', 'done'],
      ['inv-2', 'open'],
    ]);
    expect(await ada.unfinished()).toMatchObject({ ticket: 'T-1', reason: 'outage' });
    expect(await ben.unfinished()).toBeUndefined();
    await ada.end(started);
    expect(await ada.unfinished()).toBeUndefined();
    await database.close();
  });
});

it('explains from the service alone where the database cannot be reached, and says so', async () => {
  const port = await closedPort();
  const env = { PAYDESK_DATABASE: `postgres://nobody@127.0.0.1:${port}/desk` };
  const { code, stdout, stderr } = await desk.run('explain', ['seed-captured'], { env });
  expect(code).toBe(0);
  expect(stdout).toContain('Captured. The customer has paid EUR 49.90.');
  expect(stderr).toContain('paydesk cannot read its ledger');
});
