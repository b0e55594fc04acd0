import { Client } from 'pg';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { addFault } from '../helpers/desk.js';
import { describeWithPostgres } from '../helpers/postgres.js';
import { startTestSandbox, type TestSandbox } from '../helpers/sandbox.js';
import { captured, openLiveDesk, type LiveDesk } from './live-desk.js';

let sandbox: TestSandbox;
beforeAll(async () => {
  sandbox = await startTestSandbox();
});
afterAll(async () => {
  await sandbox.close();
});

describeWithPostgres('a ledger on PostgreSQL', (postgres) => {
  let env: Record<string, string>;
  const refund = async (desk: LiveDesk) =>
    desk.move('refund', await captured(sandbox), { ...env, PAYDESK_QUIET_PERIOD: '1s' });
  const adopt = (desk: LiveDesk) => desk.run(['ledger', 'adopt', '--yes'], env);

  async function expectHeldThenDone(desk: LiveDesk): Promise<void> {
    const paymentId = await captured(sandbox);
    const held = await desk.move('refund', paymentId, { ...env, PAYDESK_QUIET_PERIOD: '1h' });
    expect(held).toMatchObject({ code: 9, error: { code: 'ledger-adopted' } });
    const later = () => desk.move('refund', paymentId, { ...env, PAYDESK_QUIET_PERIOD: '1s' });
    await expect.poll(later, { timeout: 120_000, interval: 500 }).toMatchObject({ code: 0 });
  }

  async function query(text: string): Promise<void> {
    const client = new Client(env['PAYDESK_DATABASE']);
    await client.connect();
    await client.query(text);
    await client.end();
  }

  beforeEach(async () => {
    env = { PAYDESK_DATABASE: await postgres().createDatabase() };
  });

  it('is refused when it was restored or replaced, until one of the team adopts it', async () => {
    const [one, other] = [await openLiveDesk(sandbox), await openLiveDesk(sandbox)];
    expect(await refund(other)).toMatchObject({ code: 0 });
    expect(await refund(one)).toMatchObject({ code: 0 });
    await query('delete from paydesk_desk.intents where id = (select max(id) from paydesk_desk.intents)');
    expect(await refund(one)).toMatchObject({ code: 9, error: { code: 'ledger-restored' } });
    expect((await adopt(one)).code).toBe(0);
    await expectHeldThenDone(one);
    // What the other desk has sent is all there, so it takes the new id over.
    expect(await refund(other)).toMatchObject({ code: 0 });
    expect(await refund(one)).toMatchObject({ code: 0 });

    await query('drop schema paydesk_desk cascade');
    expect(await refund(one)).toMatchObject({ code: 9, error: { code: 'ledger-missing' } });
    expect((await adopt(one)).code).toBe(0);
    await expectHeldThenDone(one);
    expect(await refund(other)).toMatchObject({ code: 9, error: { code: 'ledger-moved' } });
  });

  it('begins the quiet period of what is open again when it is adopted', async () => {
    const desk = await openLiveDesk(sandbox);
    const paymentId = await captured(sandbox);
    await addFault(sandbox, { kind: 'drop-before-commit', route: 'refund', next: 1 });
    expect(await desk.move('refund', paymentId, env)).toMatchObject({ code: 6 });
    await query(
      "update paydesk_desk.ledger_place set former_ids = ''; update paydesk_desk.identity set id = 'restored'",
    );
    expect((await adopt(desk)).code).toBe(0);
    const again = ['payments', 'refund', String(paymentId), '--resend', '--json', '--profile', 'local-live'];
    const { code, stdout } = await desk.run([...again, '--confirm', sandbox.live.appId], {
      ...env,
      PAYDESK_QUIET_PERIOD: '1h',
    });
    expect([code, JSON.parse(stdout)]).toMatchObject([9, { error: { code: 'quiet-period' } }]);
    expect(await sandbox.books(paymentId)).not.toHaveProperty('refund');
  });
});
