import { expect, it } from 'vitest';
import { openOwnWorld } from '../../src/scenarios/own/own-world.js';
import { readScenario, type Scenario } from '../../src/scenarios/read.js';
import { runScenario } from '../../src/scenarios/run.js';
import { explainPayment } from '../../src/scenarios/steps/explain.js';
import { createInbox } from '../../src/webhooks/inbox/inbox.js';
import { START } from './run-text.js';

const text = `name: a slow payment
steps:
  - create: { amount: 10, currency: EUR, customer: c_1, auto-capture: false }
    as: order
  - fault: { add: webhook-duplicate, route: Authorised, next: 1 }
  - pay: { payment: '\${order}', card: slow-approved }
  - clock: { advance: 1h }
`;

it('the webhooks of a scenario are in the inbox of its desk, where explain finds them', async () => {
  const { signal } = new AbortController();
  const world = await openOwnWorld({ seed: 1, clock: START, quietMs: 2_000, signal });
  try {
    const { failure } = await runScenario(readScenario('a.yaml', text).scenario as Scenario, world, 1);
    expect(failure).toBeUndefined();
    const { timeline } = await explainPayment(world, 'id:100001');
    const webhooks = timeline.filter((entry) => entry.event === 'webhook');
    expect(webhooks.map(({ said, read }) => [said, read])).toEqual([
      ['Created', 'Created'],
      ['Processing', 'Processing'],
      ['Authorised', 'Authorised'],
      ['Authorised', 'Authorised'],
    ]);
    // At the time of the sandbox's clock, which had moved on.
    expect(Date.parse(webhooks[2]!.time)).toBeGreaterThan(START);
    const kept = await createInbox(world.database.store).ofPayment(
      world.desk.app,
      { paymentId: '100001' },
      { limit: 10 },
    );
    expect(kept.map(({ verdict }) => verdict)).toEqual(['changed', 'changed', 'changed', 'duplicate']);
  } finally {
    await world.close();
  }
});
