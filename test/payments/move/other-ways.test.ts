import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Transport } from '../../../src/client/exchange.js';
import { createTransport } from '../../../src/client/transport.js';
import Api from '../../../src/commands/api.js';
import type { SettleOperation } from '../../../src/contract/states.js';
import { openDeskDatabase } from '../../../src/ledger/database.js';
import { runCommand, temporaryHome } from '../../helpers/desk.js';
import { describeWithPostgres } from '../../helpers/postgres.js';
import { examineAll } from './cells.js';
import { startOddService, type AnswerKind, type OddService, type Treatment } from './odd-service.js';
import { allCells } from './outcome-rules.js';

// A part of the matrix for those who do not type the command: the rule is the same.

const some: readonly AnswerKind[] = ['204', '200 that says failed', '422', '429', '500', 'cut connection'];
const cells: Treatment[] = allCells().filter(
  ({ verb, answer, recheck, names }) =>
    (verb === 'refund' || verb === 'capture') &&
    some.includes(answer) &&
    recheck === 'fresh' &&
    names === 'ours',
);

let service: OddService;
let transport: Transport;
beforeAll(async () => {
  service = await startOddService();
  transport = createTransport({ baseUrl: service.url });
});
afterAll(async () => {
  await transport.close();
  await service.close();
});

async function examine(location: string, by?: 'wait' | 'batch', verb?: SettleOperation): Promise<string[]> {
  const database = await openDeskDatabase({ location, operator: 'op@desk' });
  try {
    return await examineAll(
      { service, baseUrl: service.url, transport, database, ...(by && { by }) },
      cells.filter((cell) => verb === undefined || cell.verb === verb),
    );
  } finally {
    await database.close();
  }
}

describe('an instruction is told once, and again only as the rule allows', () => {
  it('with --wait', async () => {
    expect(cells).toHaveLength(48);
    expect(await examine(':memory:', 'wait')).toEqual([]);
  });

  it('as a row of a batch', async () => {
    expect(await examine(':memory:', 'batch')).toEqual([]);
  });

  it('by paydesk api', async () => {
    const env = {
      PAYDESK_HOME: temporaryHome(),
      PAYDESK_BASE_URL: service.url,
      PAYDESK_APP_ID: 'app-1',
      PAYDESK_API_KEY: 'key-1234',
      PAYDESK_KIND: 'sandbox',
    };
    const refunds = cells.filter(({ verb, lagging }) => verb === 'refund' && lagging);
    const told = await Promise.all(
      refunds.map(async (cell) => {
        const payment = service.add(cell);
        const send = () => runCommand(Api, ['POST', `/payments/${payment.id}/refund`, '--json'], { env });
        await send();
        await Promise.all([send(), send()]);
        return payment.told;
      }),
    );
    expect(told).toEqual(refunds.map(() => 1));
  });
});

describeWithPostgres('on a ledger in PostgreSQL', (postgres) => {
  it('the same holds', async () => {
    const location = await postgres().createDatabase();
    expect(await examine(location, undefined, 'capture')).toEqual([]);
    expect(await examine(location, 'batch', 'refund')).toEqual([]);
  });
});
