import { readFileSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Transport } from '../../../src/client/exchange.js';
import { createTransport } from '../../../src/client/transport.js';
import { openDeskDatabase, type DeskDatabase } from '../../../src/ledger/database.js';
import { examineAll } from './cells.js';
import { answers, startOddService, type AnswerKind, type OddService } from './odd-service.js';
import { outcomesPage } from './outcomes-page.js';
import { eighthOfTheCells } from './outcome-rules.js';

let service: OddService;
let transport: Transport;
let database: DeskDatabase;
beforeAll(async () => {
  service = await startOddService();
  transport = createTransport({ baseUrl: service.url });
  database = await openDeskDatabase({ location: ':memory:', operator: 'op@desk' });
});
afterAll(async () => {
  await transport.close();
  await service.close();
  await database.close();
});

describe('what becomes of an instruction, and that it is not sent again', () => {
  it.each<[AnswerKind]>(answers.map((answer) => [answer]))('answered by: %s', async (answer) => {
    // `npm run proof` has all of them.
    const cells = eighthOfTheCells().filter((cell) => cell.answer === answer);
    expect(cells).toHaveLength(16);
    const matrixDesk = { service, baseUrl: service.url, transport, database };
    expect(await examineAll(matrixDesk, cells)).toEqual([]);
  });
});

it('is written down for people in docs/outcomes.md', () => {
  const page = new URL('../../../docs/outcomes.md', import.meta.url);
  const expected = outcomesPage();
  if (process.env['UPDATE_DOCS']) writeFileSync(page, expected);
  expect(readFileSync(page, 'utf8')).toBe(expected);
});
