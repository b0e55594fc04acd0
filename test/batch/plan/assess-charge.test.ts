import { expect, it } from 'vitest';
import { assessCharge } from '../../../src/batch/plan/assess-charge.js';
import { clientFor, httpServer, json } from '../../helpers/servers.js';

const row = { line: 2, typed: 'inv-7', amount: '10.50', customer: 'c1' };
const options = { now: Date.now(), onRead: () => {} };

/** A service that shows these payments by their references, and a stored method of every customer. */
async function serviceWith(states: Record<string, string>) {
  const { url } = await httpServer((request, response) => {
    if (request.url.includes('/customers/'))
      return json(response, 200, [{ paymentMethodId: 1, isActive: true }]);
    const reference = decodeURIComponent(request.url.split('referenceId:')[1] ?? '');
    const paymentState = states[reference];
    if (paymentState === undefined) return json(response, 404, {});
    return json(response, 200, {
      paymentId: 7,
      referenceId: reference,
      paymentState,
      amount: 10.5,
      customerId: 'c1',
    });
  });
  return clientFor(url);
}

it.each([
  ['the first attempt is made', 'inv-7', {}, 'act', undefined],
  [
    'the next one as well, if the first has failed',
    'inv-7-retry-1',
    { 'inv-7': 'Declined' },
    'act',
    undefined,
  ],
  [
    'not if the first went through after all',
    'inv-7-retry-1',
    { 'inv-7': 'Captured' },
    'done',
    /Captured after all/,
  ],
  [
    'nor if the first is not found',
    'inv-7-retry-1',
    {},
    'conflict',
    /^inv-7 is not found, so it may have been charged$/,
  ],
  [
    'a state that nobody knows settles nothing',
    'inv-7',
    { 'inv-7': 'Odd' },
    'conflict',
    /does not know the state Odd/,
  ],
])('%s', async (_, typed, states, verdict, why) => {
  const assessment = await assessCharge(await serviceWith(states), { ...row, typed }, options);
  expect(assessment.verdict).toBe(verdict);
  if (why) expect(assessment.why).toMatch(why);
});
