import { beforeAll, expect, it } from 'vitest';
import { stateNames } from '../../src/contract/states.js';
import { openSeededDesk, sceneNames, type SeededDesk } from './seeded.js';

let desk: SeededDesk;
beforeAll(async () => {
  desk = await openSeededDesk();
});

/** How the desk and the service talk among themselves, and what may alarm a customer. */
const internal =
  /fraud|held|hold|ledger|intent|webhook|recheck|capture|authoris|process(ing|ed)|provider|sandbox|paydesk|desk|api|profile|stuck|refund(ing|ed)|declin|expired|error|state|undefined|null/i;
const personal = /ada|ben|cleo|dora|example|@|c_|Visa|Mastercard|\d{4,}|http/i;

it('says something to the customer in every state, and nothing that is not theirs', async () => {
  const states = new Set<string>();
  const said = new Set<string>();
  for (const name of sceneNames) {
    const { payment } = await desk.explain(name);
    states.add(payment.paymentState);
    const { stdout, code } = await desk.run('explain', [name, '--as-reply']);
    expect(code).toBe(0);
    const text = stdout.trimEnd().replace(`(${name})`, '');
    expect(text).toMatch(/^[A-Z].*\.$/);
    expect(text).toContain('your payment of '.slice(1));
    expect(text).not.toMatch(internal);
    expect(text).not.toMatch(personal);
    expect(text.length).toBeLessThan(300);
    said.add(text.replace(/[A-Z]{3} [\d.]+/, ''));
  }
  expect([...states].sort()).toEqual([...stateNames].sort());
  expect(said.size).toBe(stateNames.length);
});

it('promises nothing while nobody knows', async () => {
  const { paymentId, referenceId } = await desk.paid();
  await desk.fault({ kind: 'drop-before-commit', route: 'refund', next: 1 });
  await desk.run('refund', [paymentId]);
  const { json } = await desk.run('explain', [paymentId, '--as-reply', '--json']);
  expect(json).toEqual({
    paymentId: String(paymentId),
    referenceId,
    reply: `Thank you for asking about your payment of EUR 10.50 (${referenceId}). We are looking into it and will tell you as soon as we know more.`,
  });
});
