import { expect, it } from 'vitest';
import { runText } from './run-text.js';

const create = (more: string) =>
  `name: a\nsteps:\n  - create: { amount: 1, currency: EUR, customer: c, ${more} }\n`;

it('a step that creates names what does not fit together', async () => {
  const { failure } = await runText(create('provider-profile: 1'));
  expect(JSON.stringify(failure)).toContain('provider-profile does not apply to --flow hosted-page');
});

it('an order number may be written without quotes', async () => {
  const { failure } = await runText(create('order-id: 42'));
  expect(failure).toBeUndefined();
});

it('the clock may be set to a day', async () => {
  const { failure } = await runText(`${create('order-id: a')}  - clock: { set: 2027-01-01 }\n`);
  expect(failure).toBeUndefined();
});
