import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { Secret } from '../../../src/profiles/secret.js';
import { temporaryStore } from '../../profiles/temporary-home.js';
import { addFault, envOf, openTestDesk, payments, type TestDesk } from '../../helpers/desk.js';
import { eventually, type ShownPayment } from '../../helpers/sandbox.js';

let desk: TestDesk;
beforeAll(async () => {
  desk = await openTestDesk();
});
afterEach(() => desk.sandbox.control('DELETE', '/faults'));
afterAll(() => desk.sandbox.close());

const posts = () => desk.requests().filter((line) => line.startsWith('POST /api'));

describe('capture, cancel, refund and unhold', () => {
  it('shows before and after on a terminal, and what to do next', async () => {
    const { paymentId, referenceId } = await desk.paid();
    const { code, stdout, stderr } = await desk.run('refund', [referenceId], { terminal: true });
    expect(code).toBe(0);
    expect(stdout).toMatch(
      new RegExp(
        `^  ${paymentId}  ${referenceId}   EUR 10\\.50   Captured → Refunding   accepted   [\\d.]+ m?s\n$`,
      ),
    );
    expect(stderr).toBe(
      '\nThe refund is on its way. It is final when the state is Refunded:\n' +
        `  paydesk payments watch ${paymentId} --until Refunded\n`,
    );
    expect(await desk.sandbox.books(paymentId)).toMatchObject({ refund: '1/1' });
  });

  it('takes no amount for a payment: nothing is refunded when half of it was meant', async () => {
    const { paymentId } = await desk.paid();
    const sums = [
      '15.00',
      '15,00',
      '1,234.50',
      '1.234,50',
      "1'234",
      '1 234,50',
      '1234.5000',
      '15,-',
      '-15.00',
    ];
    const named = [
      'EUR 15.00',
      '15.00€',
      'EUR 15',
      '15 EUR',
      'EUR15',
      '15 eur',
      '€15',
      '15 kr',
      'US$ 15',
      '15 euros',
    ];
    for (const amount of [...sums, ...named]) {
      const { code, json } = await desk.run('refund', ['--json', '--', String(paymentId), amount]);
      expect([amount, code, json.error]).toMatchObject([
        amount,
        2,
        { code: 'amount-given', details: [{ input: amount }] },
      ]);
    }
    expect(await desk.sandbox.books(paymentId)).not.toHaveProperty('refund');
    const { json } = await desk.run('refund', [String(paymentId), '15 euros', '--json']);
    expect(json.error?.details?.[0]?.problem).toContain("write 'ref:15 euros' if it is a reference");
    const forced = await desk.run('refund', [paymentId, 'ref:15.00', '--json']);
    expect(forced.code).toBe(7);
  });

  it.each(['INV15', 'ord 15', '15a', '2026-11', 'A15.00', '10.11.2026'])(
    'takes %s for a payment',
    async (reference) => {
      const { paymentId } = await desk.paid('approved', { referenceId: reference });
      const { code } = await desk.run('refund', [reference, '--wait']);
      expect([reference, code]).toEqual([reference, 0]);
      expect(await desk.sandbox.books(paymentId)).toMatchObject({ refund: '1/1' });
    },
  );

  it('names the profile in what to do next where it was given', async () => {
    const { home, store } = temporaryStore();
    const { url, app } = desk.sandbox;
    const apiKey = new Secret(app.apiKey);
    await store.add({ name: 'shop', baseUrl: url, appId: app.appId, kind: 'sandbox', apiKey });
    const env = { PAYDESK_HOME: home };
    const { paymentId } = await desk.paid();
    const accepted = await payments(env, 'refund', [paymentId, '-p', 'shop'], { terminal: true });
    expect(accepted.stderr).toMatch(new RegExp(` watch ${paymentId} --until Refunded --profile shop\n$`));
    const refused = await payments(env, 'capture', [paymentId, '-p', 'shop'], { terminal: true });
    expect(refused.stderr).toMatch(
      new RegExp(`Next: {2}paydesk payments \\w+ ${paymentId} --profile shop\n$`),
    );
    const { json } = await payments(env, 'capture', [paymentId, '-p', 'shop', '--json']);
    expect(json.error?.next).toEqual([expect.stringMatching(/ --profile shop$/)]);
    const usual = await payments(env, 'capture', [paymentId, '--json']);
    expect(usual.json.error?.next).toEqual([expect.not.stringContaining('--profile')]);
  });

  it('prints a row in a pipe and the operation as JSON', async () => {
    const one = await desk.authorised();
    const row = await desk.run('capture', [one.paymentId]);
    expect(row.stdout).toBe(
      `${one.paymentId}\t${one.referenceId}\t10.50\tEUR\tAuthorised\tCapturing\taccepted\n`,
    );

    const two = await desk.authorised();
    const { code, json } = await desk.run('cancel', [two.referenceId, '--json']);
    expect(code).toBe(0);
    expect(Object.keys(json)).toEqual(['payment', 'operation', 'before', 'after', 'outcome']);
    expect(json).toMatchObject({
      operation: 'cancel',
      before: 'Authorised',
      after: 'Cancelling',
      outcome: 'accepted',
    });
    expect(json.payment?.paymentId).toBe(two.paymentId);

    const held = await desk.held();
    expect((await desk.run('unhold', [held.paymentId, '--json'])).json).toMatchObject({
      before: 'Held',
      outcome: 'done',
    });
  });

  it('sends the description of a refund, and nothing of the reason and the ticket', async () => {
    const { paymentId } = await desk.paid();
    desk.requests();
    const flags = ['--description', 'parcel lost', '--reason', 'secret reason', '--ticket', 'T-1'];
    expect((await desk.run('refund', [paymentId, ...flags])).code).toBe(0);
    expect(posts().join()).toMatch(/refund/);
    const story = await desk.sandbox.control('GET', `/payments/${paymentId}/story`);
    expect(story.text).toContain('parcel lost');
    expect(story.text).not.toContain('secret reason');
  });

  it('follows to the end with --wait', async () => {
    const one = await desk.paid();
    expect((await desk.run('refund', [one.paymentId, '--wait', '--json'])).json).toMatchObject({
      before: 'Captured',
      after: 'Refunded',
      outcome: 'done',
    });
    const two = await desk.authorised();
    expect((await desk.run('capture', [two.paymentId, '--wait', '--json'])).json).toMatchObject({
      after: 'Captured',
      outcome: 'done',
    });
    const held = await desk.held();
    expect((await desk.run('unhold', [held.paymentId, '--wait', '--json'])).json).toMatchObject({
      before: 'Held',
      after: 'Captured',
      outcome: 'done',
    });
  });

  it('ends with 3 when it bounces back, and 8 when the time is up', async () => {
    const bounces = await desk.paid('refund-fails');
    const failed = await desk.run('refund', [bounces.paymentId, '--wait', '--json']);
    expect(failed.code).toBe(3);
    expect(failed.json).toMatchObject({ after: 'Captured', outcome: 'failed' });
    expect(failed.json.error).toMatchObject({ code: 'not-reached', exit: 3 });

    const slow = await desk.paid();
    await desk.fault({ kind: 'provider-silent', route: 'refund', next: 1 });
    const pending = await desk.run('refund', [slow.paymentId, '--wait', '--timeout', '3s', '--json']);
    expect(pending.code).toBe(8);
    expect(pending.json).toMatchObject({ after: 'Refunding', outcome: 'accepted' });
    expect(pending.json.error).toMatchObject({ exit: 8 });
    expect(await desk.sandbox.books(slow.paymentId)).toMatchObject({ refund: '1/1' });
  });

  it('refuses what the state forbids with 9 and the right command, unless forced', async () => {
    const { paymentId } = await desk.paid();
    desk.requests();
    const { code, stderr } = await desk.run('cancel', [paymentId]);
    expect(code).toBe(9);
    expect(stderr).toContain(`paydesk payments refund ${paymentId}`);
    expect(posts()).toEqual([]);

    const forced = await desk.run('cancel', [paymentId, '--force', '--json']);
    // The cancel, and a recheck that finds out whether it had an effect all the same.
    expect(posts()).toHaveLength(2);
    expect(forced.code).toBe(1);
    expect(forced.json).toMatchObject({ outcome: 'refused', before: 'Captured', after: 'Captured' });
    expect(forced.json.error).toMatchObject({ code: 'operation-not-allowed', httpStatus: 422, exit: 1 });
    expect(forced.json.error?.next).toEqual([`paydesk payments refund ${paymentId}`]);
  });

  it.each([
    ['refund', 'authorised', 'cancel'],
    ['capture', 'held', 'unhold'],
    ['unhold', 'authorised', 'capture'],
  ] as const)('%s of a payment that is %s points at %s', async (verb, state, right) => {
    const { paymentId } = await desk[state]();
    const { code, json } = await desk.run(verb, [paymentId, '--json']);
    expect(code).toBe(9);
    expect(json.error?.next).toEqual([`paydesk payments ${right} ${paymentId}`]);
  });

  it('says with --dry-run what would be sent for each of several payments, and for which nothing would be', async () => {
    const open = await desk.sandbox.create();
    const paid = await desk.sandbox.create();
    await desk.sandbox.pay(paid.paymentId);
    await desk.sandbox.settle();
    const ids = [open.paymentId, paid.paymentId];
    const { stdout, stderr, code } = await desk.run('cancel', [...ids, '--dry-run'], { terminal: true });
    expect(stdout).toMatch(
      new RegExp(`Cancel EUR \\S+ of payment ${ids[0]} .*Would be sent:\\nPOST .*/${ids[0]}/cancel`, 's'),
    );
    expect(stdout).not.toContain('unsent');
    expect(stderr).toContain('1 of 2 payments would not be cancelled.');
    expect(stderr).toContain(`${ids[1]}  `);
    expect(code).toBe(7);
  });

  it('ends with 6 when none of several is known to be done and one may be', async () => {
    const { paymentId } = await desk.paid();
    await desk.fault({ kind: 'error-before-commit', route: 'refund', next: 1 });
    const { code, json } = await desk.run('refund', [paymentId, 'nobody-has-this', '--json']);
    expect(code).toBe(6);
    expect(json.map(({ outcome }) => outcome)).toEqual(['unknown', 'refused']);
  });

  it('says of an approval whether the customer is charged', async () => {
    const later = await desk.paid('held', { autoCapture: false });
    const said = async (payment: ShownPayment) =>
      (await desk.run('unhold', [payment.paymentId, '--dry-run'], { terminal: true })).stdout;
    expect(await said(later)).toContain('Approve EUR ');
    expect(await said(await desk.held())).toContain('Approve and charge EUR ');
  });

  it('does every check and sends nothing with --dry-run', async () => {
    const { paymentId } = await desk.paid();
    desk.requests();
    const { code, json } = await desk.run('refund', [
      paymentId,
      '--dry-run',
      '--description',
      'a b',
      '--json',
    ]);
    expect(code).toBe(0);
    expect(json).toMatchObject({ dryRun: true, outcome: 'unsent', before: 'Captured', after: 'Captured' });
    expect(json.request?.path).toBe(
      `/api/apps/${desk.sandbox.app.appId}/payments/${paymentId}/refund?description=a+b`,
    );
    expect(posts()).toEqual([]);
    expect((await desk.run('cancel', [paymentId, '--dry-run'])).code).toBe(9);
    expect((await desk.run('refund', [paymentId, '--dry-run'])).stdout).toContain(
      'Would be sent:\nPOST /api',
    );
  });

  it('works on several, and ends with 7 when some were not done', async () => {
    const [one, two, three] = [await desk.paid(), await desk.authorised(), await desk.paid()];
    const names = [one.paymentId, two.referenceId, three.paymentId];
    const { code, json } = await desk.run('refund', [...names, '--json']);
    expect(code).toBe(7);
    expect(json.map(({ outcome }) => outcome)).toEqual(['accepted', 'refused', 'accepted']);
    expect(json[1]).toMatchObject({ before: 'Authorised', error: { exit: 9 } });
    expect(await desk.sandbox.books(two.paymentId)).not.toHaveProperty('refund');

    const none = await desk.run('refund', [two.paymentId, 'nowhere', '--json']);
    expect(none.code).toBe(7);
    expect(none.json.map(({ outcome }) => outcome)).toEqual(['refused', 'refused']);
    // A person is told that the service was not asked.
    const shown = await desk.run('refund', [two.paymentId, 'nowhere'], { terminal: true });
    expect(shown.stdout).toMatch(/^ +nowhere .* not sent$/m);
    expect(shown.stdout).toMatch(new RegExp(`^ +${two.paymentId} .* not sent$`, 'm'));
    expect(shown.stdout).not.toContain('refused');
    const all = await desk.run('capture', ['-'], {
      input: `${two.paymentId}\n${(await desk.authorised()).paymentId}`,
    });
    expect(all.code).toBe(0);
    expect(all.stdout.trimEnd().split('\n')).toHaveLength(2);
  });

  it('sends all of several before it waits for the first, and Ctrl-C ends only the wait', async () => {
    const all = [await desk.paid(), await desk.paid(), await desk.paid()];
    await addFault(desk.sandbox, { kind: 'provider-silent', route: 'refund', next: 3 });
    let interrupt = () => {};
    const stopped = desk.run('refund', [...all.map(({ paymentId }) => paymentId), '--wait', '--json'], {
      onStart: (stop) => (interrupt = stop),
    });
    await eventually(async () => {
      for (const { paymentId } of all)
        expect((await desk.sandbox.read(paymentId)).paymentState).toMatch(/^Refund/);
    });
    interrupt();
    const { code, json } = await stopped;
    expect(code).toBe(130);
    expect(json.map(({ outcome }) => outcome)).toEqual(['accepted', 'accepted', 'accepted']);
  });

  it('keeps what the ledger has as accepted when the time is up before its turn', async () => {
    const [one, two] = [await desk.paid(), await desk.paid()];
    await addFault(desk.sandbox, { kind: 'provider-silent', route: 'refund', next: 2 });
    const names = [one.paymentId, two.paymentId];
    await desk.run('refund', names);
    const { code, json } = await desk.run('refund', [...names, '--wait', '--timeout', '3s', '--json']);
    expect(code).toBe(8);
    expect(json.map(({ outcome }) => outcome)).toEqual(['accepted', 'accepted']);
  });

  it('says of which of several payments it speaks', async () => {
    const [one, two] = [await desk.paid(), await desk.paid()];
    await desk.run('refund', [two.paymentId, '--wait']);
    const names = [one.referenceId, two.paymentId];
    const { stderr } = await desk.run('refund', [...names, '--wait']);
    expect(stderr).toContain(`${one.referenceId}: Refunding → Refunded`);
    expect(stderr).toContain(`${two.paymentId}: The ledger has this refund as done. Nothing was sent.`);
  });

  it('refuses a payment that is named twice before anything is sent', async () => {
    const { paymentId, referenceId } = await desk.paid();
    desk.requests();
    const { code, stderr } = await desk.run('refund', [paymentId, referenceId]);
    expect(code).toBe(2);
    expect(stderr).toContain(`is the same payment as ${paymentId}`);
    expect(posts()).toEqual([]);
  });

  it('says once that a payment is cancelled', async () => {
    const { paymentId, referenceId } = await desk.sandbox.create();
    await desk.sandbox.call('POST', `/payments/${paymentId}/cancel`);
    await desk.sandbox.settle();
    const { json } = await desk.run('refund', [paymentId, '--json']);
    expect(json).toMatchObject({
      error: {
        message: `Payment ${paymentId} (${referenceId}) cannot be refunded: it is Cancelled. Nothing was charged.`,
      },
    });
  });

  it('ends with 4, 5 and 130 before anything was sent', async () => {
    const { paymentId } = await desk.paid();
    const env = envOf(desk.sandbox);
    for (const verb of ['capture', 'cancel', 'refund', 'unhold', 'recheck'] as const) {
      const wrong = await payments({ ...env, PAYDESK_API_KEY: 'sk_wrong' }, verb, [paymentId, '--json']);
      expect(wrong.code).toBe(4);
      expect((await payments({}, verb, [paymentId])).code).toBe(4);
    }
    expect(
      (await payments({ ...env, PAYDESK_BASE_URL: 'http://127.0.0.1:9' }, 'refund', [paymentId])).code,
    ).toBe(5);
    await desk.fault({ kind: 'latency', route: 'get', next: 1, delayMs: 20_000 });
    const stopped = await desk.run('refund', [paymentId], { onStart: desk.onceFaultHit });
    expect(stopped.code).toBe(130);
    expect((await desk.sandbox.read(paymentId)).paymentState).toBe('Captured');
  });

  it('ends with 5 when the instruction provably never left', async () => {
    let closed = false;
    const { paymentId } = await desk.paid();
    const { url, app } = desk.sandbox;
    // It answers the reads over connections that stay open, and takes no new one after the last of them.
    const server = createServer((request, response) => {
      const headers = { authorization: `Bearer ${app.apiKey}` };
      void fetch(url + request.url, { headers }).then(async (answer) => {
        const reads = (counts[request.url ?? ''] = (counts[request.url ?? ''] ?? 0) + 1);
        if (reads === 2) closed = true;
        if (closed) server.close();
        response.writeHead(answer.status).end(await answer.text());
      });
    });
    const counts: Record<string, number> = {};
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const env = { ...envOf(desk.sandbox), PAYDESK_BASE_URL: `http://127.0.0.1:${port}` };
    const { code, json } = await payments(env, 'refund', [paymentId, '--json']);
    server.closeAllConnections();
    expect(code).toBe(5);
    expect(json).toMatchObject({ outcome: 'unsent', error: { code: 'not-sent' } });
    expect((await desk.sandbox.read(paymentId)).paymentState).toBe('Captured');
  });

  it('only warns of a state that nobody knows, and takes an alias for what it stands for', async () => {
    const other = await openTestDesk({ answers: { states: 'other' } });
    try {
      const held = await other.held();
      const warned = await other.run('unhold', [held.paymentId, '--json']);
      expect(warned.code).toBe(0);
      expect(warned.stderr).toContain(
        "paydesk does not know the state OnHold. If it means one of paydesk's states, " +
          'set PAYDESK_STATE_ALIASES=OnHold=OURS, or run: paydesk profiles alias PROFILE OnHold=OURS\n',
      );
      expect(warned.json).toMatchObject({ before: 'OnHold', operation: 'unhold' });

      const { home, store } = temporaryStore();
      const { url, app } = other.sandbox;
      const key = new Secret(app.apiKey);
      await store.add({ name: 'shop', baseUrl: url, appId: app.appId, kind: 'sandbox', apiKey: key });
      await store.alias('shop', { OnHold: 'Held', Authorized: 'Authorised' });
      const env = { PAYDESK_HOME: home };
      const reserved = await other.authorised();
      const refused = await payments(env, 'refund', [reserved.paymentId, '--json']);
      expect(refused.code).toBe(9);
      expect(refused.json.error?.message).toContain('it is Authorized (Authorised)');
      const captured = await payments(env, 'capture', [reserved.paymentId, '--wait', '--json']);
      expect(captured.json).toMatchObject({ before: 'Authorized', after: 'Captured', outcome: 'done' });
      const released = await payments(env, 'unhold', [(await other.held()).paymentId, '--json']);
      expect(released.json).toMatchObject({ before: 'OnHold', outcome: 'done' });
      expect(released.stderr).toBe('');
    } finally {
      await other.sandbox.close();
    }
  });
});

it('a refund of a payment that the provider has not confirmed points to the provider, and not to cancel', async () => {
  const { paymentId } = await desk.paid('unknown-charged');
  const { code, json } = await desk.run('refund', [paymentId, '--json']);
  expect(code).toBe(9);
  expect(json.error?.message).toContain('Check with the provider first.');
  expect(json.error?.message).not.toContain('cancel');
  expect(json.error?.next).toEqual([`paydesk payments recheck ${paymentId}`]);
});

describe('recheck', () => {
  it('says plainly whether anything changed', async () => {
    const stuck = await desk.paid('unknown-charged');
    const found = await desk.run('recheck', [stuck.paymentId], { terminal: true });
    expect(found.stdout).toMatch(/Processing → Captur\w+   changed\n$/);
    await desk.sandbox.settle();
    const again = await desk.run('recheck', [stuck.paymentId], { terminal: true });
    expect(again.stdout).toMatch(/   Captured   nothing changed\n$/);
    expect((await desk.run('recheck', [stuck.paymentId, '--json'])).json).toMatchObject({
      operation: 'recheck',
      before: 'Captured',
      after: 'Captured',
      outcome: 'done',
    });
  });

  it('takes several, in part too', async () => {
    const { paymentId } = await desk.paid();
    const { code, json } = await desk.run('recheck', [paymentId, 'nowhere', '--json']);
    expect(code).toBe(7);
    expect(json.map(({ outcome }) => outcome)).toEqual(['done', 'refused']);
    expect((await desk.run('recheck', ['nowhere'])).code).toBe(1);
  });
});
