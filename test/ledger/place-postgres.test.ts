import { Client } from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
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
  const refund = async (desk: LiveDesk) => desk.move('refund', await captured(sandbox), env);
  const adopt = (desk: LiveDesk) => desk.run(['ledger', 'adopt', '--yes'], env);

  async function query(text: string): Promise<void> {
    const client = new Client(env['PAYDESK_DATABASE']);
    await client.connect();
    await client.query(text);
    await client.end();
  }

  beforeAll(async () => {
    env = { PAYDESK_DATABASE: await postgres().createDatabase() };
  });

  it('is refused when it was restored or replaced, until one of the team adopts it', async () => {
    const [one, other] = [await openLiveDesk(sandbox), await openLiveDesk(sandbox)];
    expect(await refund(other)).toMatchObject({ code: 0 });
    expect(await refund(one)).toMatchObject({ code: 0 });
    await query('delete from paydesk_desk.intents where id = (select max(id) from paydesk_desk.intents)');
    expect(await refund(one)).toMatchObject({ code: 9, error: { code: 'ledger-restored' } });
    expect((await adopt(one)).code).toBe(0);
    expect(await refund(one)).toMatchObject({ code: 0 });
    // What the other desk has sent is all there, so it takes the new id over.
    expect(await refund(other)).toMatchObject({ code: 0 });
    expect(await refund(one)).toMatchObject({ code: 0 });

    await query('drop schema paydesk_desk cascade');
    expect(await refund(one)).toMatchObject({ code: 9, error: { code: 'ledger-missing' } });
    expect((await adopt(one)).code).toBe(0);
    expect(await refund(one)).toMatchObject({ code: 0 });
    expect(await refund(other)).toMatchObject({ code: 9, error: { code: 'ledger-moved' } });
  });
});
