import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { envOf, openTestDesk, runTyped, type TestDesk } from '../../helpers/desk.js';
import { paydesk, paydeskTty, type TtyOptions } from '../../helpers/run.js';
import { createScreen } from '../../helpers/screen.js';

// What a person sees while the service is slow, and what is said when nothing was sent.

let desk: TestDesk;
beforeAll(async () => {
  desk = await openTestDesk();
});
afterAll(() => desk.sandbox.close());

const slow = (route: string) => desk.fault({ kind: 'latency', route, next: 1, delayMs: 1500 });

async function onTerminal(words: string[], options: TtyOptions = {}) {
  const tty = await paydeskTty(words, { env: envOf(desk.sandbox), ...options });
  const screen = createScreen(options.columns);
  return {
    tty,
    async left() {
      const code = await tty.ended();
      screen.write(tty.raw());
      return { code, lines: screen.lines() };
    },
  };
}

describe('a slow answer', () => {
  it('is told while it is awaited, and leaves nothing on the screen', async () => {
    const { paymentId } = await desk.paid();
    await slow('getPayment');
    const { tty, left } = await onTerminal(['payments', 'get', String(paymentId)]);
    await tty.waitFor(`Reading payment ${paymentId} …`);
    const { code, lines } = await left();
    expect(code).toBe(0);
    expect(lines[0]).toContain(`Payment ${paymentId}`);
    expect(lines.join('\n')).not.toContain('Reading');
  });

  it('of a money move names the amount', async () => {
    const { paymentId } = await desk.paid('approved', { amount: 20 });
    await slow('refundPayment');
    const { tty, left } = await onTerminal(['payments', 'refund', String(paymentId)]);
    await tty.waitFor('Sending the refund of EUR 20.00 …');
    const { lines } = await left();
    expect(lines.join('\n')).not.toContain('Sending');
  });

  it('leaves nothing on a narrow screen at Ctrl-C, which the terminal echoes', async () => {
    const { paymentId } = await desk.paid();
    await desk.fault({ kind: 'provider-silent', route: 'refund', next: 1 });
    const words = ['payments', 'refund', String(paymentId), '--wait'];
    const { tty, left } = await onTerminal(words, { columns: 60 });
    await tty.waitFor('Refunding. Waiting for Refunded.');
    tty.press('ctrl-c');
    const { code, lines } = await left();
    expect(code).toBe(130);
    expect(tty.text()).toContain('^C');
    expect(lines.join('\n')).not.toContain('Waiting for');
  });

  it('is not told in a pipe', async () => {
    const { paymentId } = await desk.paid();
    await slow('getPayment');
    const { stdout, stderr } = await paydesk(['payments', 'get', String(paymentId)], {
      env: envOf(desk.sandbox),
    });
    expect(stderr).toBe('');
    expect(stdout).toContain(`payment\t${paymentId}\n`);
  });
});

describe('whether anything was sent', () => {
  it('is said when a money move fails before it sends', async () => {
    const { paymentId } = await desk.authorised();
    for (const words of [
      ['refund', 'nobody'],
      ['refund', String(paymentId)],
      ['refund', String(paymentId), '--nonsense'],
    ]) {
      const { stderr, code } = await runTyped(['payments', ...words], { home: desk.home, env: desk.env });
      expect(code).toBeGreaterThan(0);
      expect(stderr.match(/nothing was sent/gi), stderr).toHaveLength(1);
    }
  });

  it('is said at Ctrl-C before anything was sent', async () => {
    const { paymentId } = await desk.paid();
    await slow('getPayment');
    const { tty, left } = await onTerminal(['payments', 'refund', String(paymentId)]);
    await tty.waitFor('Reading payment');
    tty.press('ctrl-c');
    const { code, lines } = await left();
    expect(code).toBe(130);
    expect(lines).toContain('Interrupted. Nothing was sent.');
    expect(await desk.sandbox.books(paymentId)).not.toHaveProperty('refund');
  });

  it('is not said of what was sent, nor by a command that only reads', async () => {
    const { paymentId } = await desk.paid();
    await desk.fault({ kind: 'error-before-commit', route: 'refundPayment', next: 1, status: 500 });
    const unknown = await runTyped(['payments', 'refund', paymentId], { home: desk.home, env: desk.env });
    expect(unknown.code).toBe(6);
    expect(unknown.stderr).not.toContain('Nothing was sent');
    const read = await runTyped(['payments', 'get', 'nobody'], { home: desk.home, env: desk.env });
    expect(read.stderr).not.toContain('Nothing was sent');
  });
});

it('a read of a live app names it on a terminal, and only there', async () => {
  const live = envOf(desk.sandbox, 'live');
  const words = ['payments', 'get', 'nobody'];
  const { left } = await onTerminal(words, { env: live });
  expect((await left()).lines[0]).toBe(`Live app ${desk.sandbox.live.appId} (profile environment)`);
  expect((await paydesk(words, { env: live })).stderr).not.toContain('Live app');
});
