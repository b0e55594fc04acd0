import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { paydesk, paydeskTty } from '../../helpers/run.js';
import { shareTerminal } from '../../helpers/shared-terminal.js';
import { createFlags, envOf, openTestDesk, type TestDesk } from '../../helpers/desk.js';
import { rewriteAnswers } from '../../helpers/rewritten-answers.js';
import { newReference } from '../../helpers/sandbox.js';

let desk: TestDesk;
const home = mkdtempSync(join(tmpdir(), 'paydesk-terminal-'));
beforeAll(async () => {
  desk = await openTestDesk();
});
afterAll(async () => {
  await desk.sandbox.close();
  rmSync(home, { recursive: true, force: true });
});

const type = shareTerminal();
const tty = (args: string[], kind: 'sandbox' | 'live' = 'sandbox') =>
  type(['payments', ...args], { home, env: envOf(desk.sandbox, kind) });

/** In a process of its own, for what a signal does to it. */
const ownTty = (args: string[]) => paydeskTty(['payments', ...args], { home, env: envOf(desk.sandbox) });

async function livePayment(): Promise<number> {
  const { live: app } = desk.sandbox;
  const { paymentId } = await desk.sandbox.create({ amount: 49.9 }, { key: app.apiKey, appId: app.appId });
  await desk.sandbox.pay(paymentId);
  await desk.sandbox.settle();
  return paymentId;
}

it('create asks for what is missing, shows it together, and then the link', async () => {
  const terminal = await tty(['create', '--currency', 'EUR']);
  await terminal.waitFor('Amount');
  terminal.type('10,5');
  terminal.press('enter');
  await terminal.waitFor('use a decimal point');
  terminal.press('backspace', 'backspace');
  terminal.type('.50');
  terminal.press('enter');
  await terminal.waitFor('Your customer ID');
  terminal.type('c_881');
  terminal.press('enter');
  await terminal.waitFor('Page that the customer returns to');
  terminal.type('https://shop.example/done');
  terminal.press('enter');
  await terminal.waitFor('Charge the customer');
  terminal.press('down', 'enter');
  await terminal.waitFor(/Reference pd-\d{8}-\w+/);
  await terminal.waitFor(/Amount +EUR 10\.50/);
  await terminal.waitFor('authorised only');
  await terminal.waitFor('Continue?');
  terminal.press('enter');
  await terminal.waitFor(/Payment \d+/);
  await terminal.waitFor('Checkout');
  expect(await terminal.ended()).toBe(0);
});

it.each([
  ['payments', 'create'],
  ['payments', 'charge'],
  ['customers', 'create'],
])('%s %s asks for nothing where there is no profile', async (...words) => {
  const terminal = await type(words, { home });
  await terminal.waitFor('There is no profile yet');
  expect(await terminal.ended()).toBe(4);
});

it('create sends nothing when the summary is declined, or at Ctrl-C', async () => {
  desk.requests();
  const args = createFlags(newReference()).filter((word) => !['--amount', '10.10'].includes(word));
  const declined = await tty(['create', ...args, '--auto-capture']);
  await declined.waitFor('Amount');
  declined.type('3');
  declined.press('enter');
  await declined.waitFor('Continue?');
  declined.type('n');
  declined.press('enter');
  expect(await declined.ended()).toBe(130);
  const left = await tty(['create']);
  await left.waitFor('Amount');
  left.press('ctrl-c');
  expect(await left.ended()).toBe(130);
  expect(desk.requests().filter((line) => line.startsWith('POST /api'))).toEqual([]);
});

it('Ctrl-D leaves a question as Ctrl-C does', async () => {
  const paymentId = await livePayment();
  const questions = [
    { args: ['create'], at: 'Amount, for example' },
    { args: ['create', ...createFlags(newReference())], at: 'Type the App ID to confirm:' },
    { args: ['refund', String(paymentId)], at: 'Type the amount to confirm:' },
    { args: ['resolve'], at: 'Which payments?' },
    { args: ['resolve', String(paymentId)], at: 'Choose:' },
  ];
  for (const { args, at } of questions) {
    const endings = [];
    for (const key of ['ctrl-c', 'ctrl-d'] as const) {
      const terminal = await tty(args, 'live');
      await terminal.waitFor(at);
      terminal.press(key);
      const code = await terminal.ended();
      endings.push({ code, lines: terminal.text().split('\n').filter(Boolean).slice(-2) });
    }
    expect(endings[1], at).toEqual(endings[0]);
    expect(endings[1]?.code).toBe(130);
  }
  expect(await desk.sandbox.books(paymentId)).not.toHaveProperty('refund');
});

it('Ctrl-D only deletes where something was typed', async () => {
  const terminal = await tty(['refund', String(await livePayment())], 'live');
  await terminal.waitFor('Type the amount to confirm:');
  terminal.type('1');
  terminal.press('ctrl-d');
  terminal.press('backspace', 'enter');
  expect(await terminal.ended()).toBe(130);
  expect(terminal.text()).toContain('Nothing was sent.');
});

it('a create that waits says after a decline that the customer may retry, and ends when it is paid', async () => {
  const reference = newReference();
  const terminal = await tty(['create', ...createFlags(reference), '--wait']);
  await terminal.waitFor('Created. Waiting. Ctrl-C ends the wait.');
  await desk.sandbox.control('POST', `/payments/${reference}/pay`, { card: 'declined' });
  await terminal.waitFor('Declined. The customer may retry. Ctrl-C ends the wait.');
  await desk.sandbox.control('POST', `/payments/${reference}/pay`, { card: 'approved' });
  await terminal.waitFor('→ Captured');
  expect(await terminal.ended()).toBe(0);
});

it('a refund says what it waits for, and Ctrl-C ends only the wait', async () => {
  const { paymentId } = await desk.paid();
  await desk.fault({ kind: 'provider-silent', route: 'refund', next: 1 });
  const terminal = await ownTty(['refund', String(paymentId), '--wait']);
  await terminal.waitFor('Refunding. Waiting for Refunded. Ctrl-C ends the wait.');
  terminal.press('ctrl-c');
  await terminal.waitFor('Stopped waiting. The refund was accepted');
  expect(await terminal.ended()).toBe(130);
  expect(await desk.sandbox.books(paymentId)).toMatchObject({ refund: '1/1' });
});

it('a refund that waits says when the payment cannot be read, and how it was last seen', async () => {
  const { paymentId } = await desk.paid();
  await desk.fault({ kind: 'provider-silent', route: 'refund', next: 1 });
  const terminal = await ownTty(['refund', String(paymentId), '--wait']);
  await terminal.waitFor('Refunding. Waiting for Refunded. Ctrl-C ends the wait.');
  await desk.fault({ kind: 'drop-before-commit', route: 'getPayment' });
  await terminal.waitFor(/The service did not answer: .* Trying again\./s);
  await terminal.waitFor('The payment cannot be read now. Last seen: Refunding. Trying again.');
  terminal.press('ctrl-c');
  await terminal.waitFor(
    /Stopped waiting\. The refund was accepted, and payment .* was\s+Refunding when it was/,
  );
  await terminal.waitFor('cannot be read now: ');
  expect(await terminal.ended()).toBe(130);
  await desk.sandbox.control('DELETE', '/faults');
});

it('a refund that came back says in the wait until when it may still not have failed', async () => {
  const { paymentId } = await desk.paid('refund-fails');
  const terminal = await tty(['refund', String(paymentId), '--wait']);
  await terminal.waitFor(/Back in Captured\. If that is still so in \d s, the refund has failed\.(?! Ctrl)/);
  expect(await terminal.ended()).toBe(3);
  // Not only until the service accepted it.
  expect(terminal.text()).toMatch(/Captured → Captured {3}failed {3}\d\.\d s/);
});

it('a live refund is confirmed by its amount; a wrong one is told, none leaves it', async () => {
  const paymentId = await livePayment();
  const terminal = await tty(
    ['refund', String(paymentId), '--reason', 'parcel lost', '--ticket', 'T-1'],
    'live',
  );
  await terminal.waitFor(`LIVE  environment (app ${desk.sandbox.live.appId})`);
  await terminal.waitFor(`Refund EUR 49.90 of payment ${paymentId}`);
  await terminal.waitFor('Reason: parcel lost\nTicket: T-1\n');
  await terminal.waitFor('Type the amount to confirm');
  terminal.type('49.91');
  terminal.press('enter');
  await terminal.waitFor('Type the amount, EUR 49.90,');
  terminal.type('49.90');
  terminal.press('enter');
  await terminal.waitFor('Captured → Refunding');
  expect(await terminal.ended()).toBe(0);
  expect(await desk.sandbox.books(paymentId)).toMatchObject({ refund: '1/1' });

  const other = await livePayment();
  const empty = await tty(['refund', String(other)], 'live');
  await empty.waitFor('Type the amount');
  empty.type('19');
  empty.press('enter');
  await empty.waitFor('or press Enter to cancel');
  empty.press('enter');
  expect(await empty.ended()).toBe(130);
  expect(await desk.sandbox.books(other)).not.toHaveProperty('refund');
});

it('a live refund of a payment that was captured in part is confirmed by what was captured', async () => {
  const paymentId = await livePayment();
  const url = await rewriteAnswers(desk.sandbox, (body) =>
    body.replace('"capturedAmount":49.9,', '"capturedAmount":20.00,'),
  );
  const env = { ...envOf(desk.sandbox, 'live'), PAYDESK_BASE_URL: url };
  const terminal = await type(['payments', 'refund', String(paymentId)], { home, env });
  await terminal.waitFor(`Refund EUR 20.00 of payment ${paymentId}`);
  await terminal.waitFor('Type the amount to confirm');
  terminal.type('49.90');
  terminal.press('enter');
  await terminal.waitFor('Type the amount, EUR 20.00,');
  terminal.type('20');
  terminal.press('enter');
  await terminal.waitFor('EUR 20.00   Captured → Refunding');
  expect(await terminal.ended()).toBe(0);
  expect(await desk.sandbox.books(paymentId)).toMatchObject({ refund: '1/1' });
});

it('several live payments are confirmed once, by the App ID, with their totals', async () => {
  const [one, two] = [await livePayment(), await livePayment()];
  const terminal = await tty(['refund', String(one), String(two)], 'live');
  await terminal.waitFor('Refund 2 payments, EUR 99.80 in total?');
  await terminal.waitFor(new RegExp(`  ${one}  \\S+  EUR 49\\.90`));
  await terminal.waitFor(new RegExp(`  ${two}  \\S+  EUR 49\\.90`));
  await terminal.waitFor('Type the App ID to confirm');
  terminal.type(desk.sandbox.live.appId);
  terminal.press('enter');
  expect(await terminal.ended()).toBe(0);
  expect(await desk.sandbox.books(one)).toMatchObject({ refund: '1/1' });
  expect(await desk.sandbox.books(two)).toMatchObject({ refund: '1/1' });
});

it('a live approval is confirmed by its amount too, as a person writes it', async () => {
  const { live: app } = desk.sandbox;
  const { paymentId } = await desk.sandbox.create({ amount: 49.9 }, { key: app.apiKey, appId: app.appId });
  await desk.sandbox.pay(paymentId, 'held');
  await desk.sandbox.settle();
  const terminal = await tty(['unhold', String(paymentId)], 'live');
  await terminal.waitFor(`Approve and charge EUR 49.90 of payment ${paymentId}`);
  await terminal.waitFor('Type the amount to confirm');
  terminal.type('EUR 49,90');
  terminal.press('enter');
  await terminal.waitFor('EUR 49.90   Held →');
  expect(await terminal.ended()).toBe(0);
});

it('a payment that moved while the question stood is looked at again', async () => {
  const paymentId = await livePayment();
  const terminal = await tty(['refund', String(paymentId)], 'live');
  await terminal.waitFor('Type the amount');
  const { live: app } = desk.sandbox;
  await desk.sandbox.call('POST', `/payments/${paymentId}/refund`, undefined, {
    key: app.apiKey,
    appId: app.appId,
  });
  await desk.sandbox.settle();
  terminal.type('49.90');
  terminal.press('enter');
  await terminal.waitFor('changed meanwhile: Captured → Refunded');
  expect(await terminal.ended()).toBe(9);
  expect(await desk.sandbox.books(paymentId)).toMatchObject({ refund: '1/1' });
});

it('Ctrl-C while a refund is in flight says that its outcome is unknown', async () => {
  const { paymentId } = await desk.paid();
  await desk.fault({ kind: 'latency', route: 'refund', next: 1, delayMs: 3_000, afterCommit: true });
  const terminal = await tty(['refund', String(paymentId), '--debug']);
  await terminal.waitFor(/POST \S+\/refund/);
  // The request is on its way once it was carried out.
  await expect
    .poll(async () => (await desk.sandbox.read(paymentId)).paymentState, { timeout: 60_000 })
    .not.toBe('Captured');
  terminal.press('ctrl-c');
  await terminal.waitFor(/accepted|done/);
  expect(await terminal.ended()).toBe(0);
  expect(await desk.sandbox.books(paymentId)).toMatchObject({ refund: '1/1' });
});

it('in CI nothing is asked, and a pipe gets rows and JSON from the real program', async () => {
  const env = envOf(desk.sandbox);
  const missing = await paydesk(['payments', 'create'], { home, env: { ...env, CI: 'true' } });
  expect(missing.code).toBe(2);
  expect(missing.stderr.match(/missing:/g)).toHaveLength(4);
  const { paymentId } = await desk.paid();
  const refund = await paydesk(['payments', 'refund', '-', '--json'], { home, env, input: `${paymentId}\n` });
  expect(refund.code).toBe(0);
  expect(JSON.parse(refund.stdout)).toMatchObject({ operation: 'refund', outcome: 'accepted' });
});

it('--open hands the link to the browser', async () => {
  const seen = join(home, 'opened');
  const browser = join(home, 'browser.sh');
  writeFileSync(browser, `#!/bin/sh\nprintf %s "$1" > ${seen}.part && mv ${seen}.part ${seen}\n`, {
    mode: 0o755,
  });
  const env = {
    ...envOf(desk.sandbox),
    BROWSER: browser,
    DISPLAY: undefined,
    XDG_CURRENT_DESKTOP: 'X-Generic',
  };
  const args = ['payments', 'create', ...createFlags(newReference()), '--open', '--json'];
  const { code, stdout } = await paydesk(args, { home, env });
  expect(code).toBe(0);
  const { payment } = JSON.parse(stdout) as { payment: { redirectUrl: string } };
  await expect
    .poll(() => existsSync(seen) && readFileSync(seen, 'utf8'), { timeout: 60_000 })
    .toBe(payment.redirectUrl);
});

it('writes no escape codes and asks nothing where TERM is dumb', async () => {
  const env = { ...envOf(desk.sandbox, 'live'), TERM: 'dumb' };
  const paymentId = await livePayment();
  const list = await paydeskTty(['payments', 'list', '--refresh', '--stuck'], { home, env });
  await list.ended();
  const refund = await paydeskTty(['payments', 'refund', String(paymentId)], { home, env });
  await refund.waitFor('--confirm');
  expect(await refund.ended()).toBe(9);
  expect(list.raw() + refund.raw()).not.toContain('\u001B');
});
