import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { routeTo } from '../../../src/client/proxy.js';
import { createTransport } from '../../../src/client/transport.js';
import { openDeskDatabase } from '../../../src/ledger/database.js';
import { startProxy, type TestProxy } from '../../helpers/proxy.js';
import { makeCertificates, SERVICE_HOST, startTlsFront, type Certificates } from '../../helpers/tls.js';
import { examineAll } from './cells.js';
import { answers, startOddService, type AnswerKind } from './odd-service.js';
import { allCells, verbs } from './outcome-rules.js';

let proxy: TestProxy;
let certificates: Certificates;
beforeAll(async () => {
  proxy = await startProxy();
  certificates = makeCertificates();
});
afterAll(async () => {
  await proxy.stop();
  certificates.remove();
});

// How reads and rechecks behave does not depend on the way there, and neither do the verbs: each answer has one of them.
const isLost = (answer: AnswerKind) => answer === 'cut connection' || answer === 'timeout';
const tunnelCells = allCells().filter(
  ({ verb, recheck, names, lagging, answer }) =>
    verb === verbs[answers.indexOf(answer) % verbs.length] &&
    recheck === 'fresh' &&
    names === 'ours' &&
    (!lagging || isLost(answer)),
);

describe('what becomes of an instruction that goes through a proxy', () => {
  it('in a tunnel', async () => {
    const service = await startOddService();
    const port = Number(new URL(service.url).port);
    const front = await startTlsFront(certificates, port);
    const baseUrl = `https://${SERVICE_HOST}:${front.port}`;
    const env = { HTTPS_PROXY: proxy.url, NO_PROXY: '' };
    const connection = {
      proxy: routeTo(baseUrl, env).proxy,
      tls: { ca: readFileSync(certificates.caFile, 'utf8') },
    };
    const transport = createTransport({ baseUrl, connection });
    const database = await openDeskDatabase({ location: ':memory:', operator: 'op@desk' });
    await proxy.seen();
    try {
      expect(tunnelCells).toHaveLength(2 * (answers.length + 2));
      expect(await examineAll({ service, baseUrl, transport, database }, tunnelCells)).toEqual([]);
      const seen = await proxy.seen();
      const kinds = new Set(seen.map(({ kind }) => kind));
      expect([...kinds]).toEqual(['connect']);
      // Every instruction had a connection of its own.
      expect(seen.length).toBeGreaterThan(tunnelCells.length);
    } finally {
      await transport.close();
      await front.stop();
      await service.close();
      await database.close();
    }
  });
});
