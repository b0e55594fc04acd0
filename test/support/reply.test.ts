import { beforeAll, expect, it } from 'vitest';
import { stateNames } from '../../src/contract/states.js';
import { openSeededDesk, sceneNames, type SeededDesk } from './seeded.js';

let desk: SeededDesk;
beforeAll(async () => {
  desk = await openSeededDesk();
});

/** Words of the desk and the service among themselves. */
const internal =
  /fraud|\bheld\b|\bhold\b|ledger|intent|webhook|recheck|capture|authoris|provider|sandbox|paydesk|desk|\bapi\b|profile|stuck|error|\bstate\b|undefined|null/i;
const personal = /example|@|c_|Visa|Mastercard|http/i;

it('says something to the customer in every state, and nothing that is not theirs', async () => {
  const states = new Set<string>();
  const texts = new Set<string>();
  for (const name of sceneNames) {
    const { payment } = await desk.explain(name);
    states.add(payment.paymentState);
    const { stdout, code } = await desk.run('explain', [name, '--as-reply']);
    expect(code).toBe(0);
    const text = stdout.trimEnd().replace(`(reference ${name})`, '');
    expect(text).toMatch(/^Hello( [A-Z]\w+)?,\n\n[A-Z].*\.$/);
    expect(text).toContain('your payment of '.slice(1));
    expect(text).not.toMatch(internal);
    expect(text).not.toMatch(personal);
    texts.add(text.replace(/[A-Z]{3} [\d.]+ from \d+ \w+ \d+/, '').replace(/^.*\n\n/, ''));
  }
  expect([...states].sort()).toEqual([...stateNames].sort());
  expect(texts.size).toBe(stateNames.length);
});

it('promises nothing while nobody knows', async () => {
  const { paymentId, referenceId } = await desk.paid();
  await desk.fault({ kind: 'drop-before-commit', route: 'refund', next: 1 });
  await desk.run('refund', [paymentId]);
  const { json } = await desk.run('explain', [paymentId, '--as-reply', '--json']);
  expect(json).toMatchObject({ paymentId, referenceId });
  expect(json['reply']).toMatch(
    /\n\nWe are checking the status of the refund of your payment of EUR 10\.50 from .*\. We will write to you by \d+ \w+ \d{4}\.$/,
  );
});

it.each([
  ['en', 'We are checking the status of the refund of your payment of '],
  ['de', 'Wir prüfen gerade den Stand der Erstattung Ihrer Zahlung '],
  ['es', 'Estamos comprobando el estado del reembolso de su pago '],
  ['fr', 'Nous vérifions actuellement l’état du remboursement de votre paiement '],
])('does not reassure in %s while a refund takes too long', async (language, text) => {
  const customer = { customerId: `c-late-${language}` };
  const { paymentId } = await desk.paid('approved', { customerOrder: { customer } });
  await desk.fault({ kind: 'provider-silent', route: 'refund', next: 1 });
  await desk.run('refund', [paymentId]);
  const reply = async (afterMs: number) => {
    const now = new Date(Date.now() + afterMs);
    return (await desk.run('explain', [paymentId, '--as-reply', '--lang', language], { now })).stdout;
  };
  expect(await reply(60_000)).not.toContain(text);
  const late = await reply(2 * 3_600_000);
  expect(late).toContain(`\n\n${text}`);
  expect(late).not.toMatch(/5 (to|bis|a|à) 10/);
});

const options = { now: new Date('2026-11-20T09:00:00Z') };

it.each([
  [
    'en',
    /^Hello,\n\nWe are still reviewing your payment of EUR 240\.00 from \d+ \w+ 2026 \(reference seed-held\), .* by 23 November 2026\.\n$/,
  ],
  [
    'de',
    /^Guten Tag,\n\nWir prüfen Ihre Zahlung über 240,00\u{a0}€ vom \d+\. \w+ 2026 \(Referenz seed-held\) noch\. .* bis zum 23\. November 2026 bei Ihnen\.\n$/u,
  ],
  [
    'es',
    /^Hola:\n\nSeguimos revisando su pago de 240,00\u{a0}€ del \d+ de \w+ de 2026 \(referencia seed-held\)\. .* el 23 de noviembre de 2026\.\n$/u,
  ],
  [
    'fr',
    /^Bonjour,\n\nNous vérifions encore votre paiement de 240,00\u{a0}€ du \d+ \S+ 2026 \(référence seed-held\)\. .* le 23 novembre 2026\.\n$/u,
  ],
])('writes amounts and dates as people do in %s, and names the next working day', async (language, text) => {
  const { stdout } = await desk.run('explain', ['seed-held', '--as-reply', '--lang', language], options);
  expect(stdout).toMatch(text);
});

it('greets a customer whose name is known', async () => {
  const { stdout } = await desk.run('explain', ['seed-captured', '--as-reply', '--lang', 'fr']);
  expect(stdout).toMatch(/^Bonjour Ben,\n\nNous avons bien reçu votre paiement /);
});

it('refuses a language that it does not speak, and a language without a reply', async () => {
  const odd = await desk.run('explain', ['seed-held', '--as-reply', '--lang', 'it']);
  expect([odd.code, odd.stderr]).toEqual([2, expect.stringContaining('--lang')]);
  expect((await desk.run('explain', ['seed-held', '--lang', 'de'])).code).toBe(2);
});
