import { expect, test } from 'vitest';
import { createTransport } from '../../src/client/transport.js';
import { openDeskDatabase } from '../../src/ledger/database.js';
import { examineAll } from '../payments/move/cells.js';
import { answers, startOddService } from '../payments/move/odd-service.js';
import { allCells } from '../payments/move/outcome-rules.js';

test.each(answers)('what becomes of every instruction answered by: %s', async (answer) => {
  const service = await startOddService();
  const transport = createTransport({ baseUrl: service.url });
  const database = await openDeskDatabase({ location: ':memory:', operator: 'op@desk' });
  try {
    const cells = allCells().filter((cell) => cell.answer === answer);
    expect(cells).toHaveLength(128);
    expect(await examineAll({ service, baseUrl: service.url, transport, database }, cells)).toEqual([]);
  } finally {
    await transport.close();
    await service.close();
    await database.close();
  }
});
