import { expect, it } from 'vitest';
import { parsePayment } from '../../src/payments/named-payments.js';
import { watchAll } from '../../src/support/watch.js';
import { clientFor, httpServer, json, virtualClock } from '../helpers/servers.js';

it('notices soon that a service is back, however long it was away', async () => {
  const pauses: number[] = [];
  let reads = 0;
  let isAway = false;
  const { url } = await httpServer((_, response) => {
    if (isAway) return json(response, 503, {});
    reads += 1;
    return json(response, 200, { paymentId: 7, paymentState: reads < 20 ? 'Processing' : 'Captured' });
  });
  const troubles: string[] = [];
  const [watched] = await watchAll([parsePayment('id:7')], {
    client: clientFor(url),
    clock: virtualClock(),
    signal: new AbortController().signal,
    until: 'settled',
    intervalMs: 500,
    wakeups: {
      async sleep(_, ms) {
        pauses.push(ms);
        if (pauses.length === 10) isAway = true;
        if (pauses.length === 15) {
          isAway = false;
          reads = 20;
        }
        return false;
      },
    },
    onEvent: async () => {},
    onTrouble: (_, { message }) => troubles.push(message),
  });
  expect(watched).toMatchObject({ result: 'reached' });
  expect(troubles).toHaveLength(1);
  // Long pauses while all is well, and short ones while the service is away.
  expect(pauses[9]).toBe(10_000);
  expect(pauses.slice(10)).toEqual(Array(5).fill(2_000));
});
