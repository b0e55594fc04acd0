import { afterAll, beforeAll, expect, it } from 'vitest';
import { openTestDesk, payments, runTyped, temporaryHome, type TestDesk, envOf } from '../../helpers/desk.js';
import { closedPort } from '../../helpers/servers.js';

let desk: TestDesk;
beforeAll(async () => {
  desk = await openTestDesk();
});
afterAll(() => desk.sandbox.close());

it('shows a payment as the service has it: a card on a terminal, lines in a pipe, the exact object as JSON', async () => {
  const { paymentId, referenceId } = await desk.paid('approved', { amount: 10.1 });
  const shown = await desk.run('get', [referenceId], { terminal: true });
  expect(shown.code).toBe(0);
  expect(shown.stdout).toMatch(new RegExp(`^Payment ${paymentId}   ${referenceId} +Captured\n`));
  expect(shown.stdout).toContain('Amount       EUR 10.10   captured EUR 10.10');

  const piped = await desk.run('get', [paymentId]);
  expect(piped.stdout).toContain(`payment\t${paymentId}\nreference\t${referenceId}\nstate\tCaptured\n`);
  expect(piped.stderr).toBe('');

  const { text } = await desk.sandbox.call('GET', `/payments/${paymentId}`);
  expect((await desk.run('get', [paymentId, '--json'])).json).toEqual(JSON.parse(text));
});

it('takes digits for a reference where no payment has that id', async () => {
  const reference = '777000111';
  const { paymentId } = await desk.sandbox.create({ referenceId: reference });
  expect((await desk.run('get', [`ref:${reference}`, '--jq', '.paymentId'])).stdout).toBe(`${paymentId}\n`);
  expect((await desk.run('get', [reference, '--jq', '.paymentId'])).stdout).toBe(`${paymentId}\n`);
  expect((await desk.run('get', [`id:${reference}`])).code).toBe(1);
  expect((await desk.run('get', [`id:${paymentId}`])).code).toBe(0);
  const bad = await desk.run('get', ['id:inv-1']);
  expect(bad).toMatchObject({ code: 2 });
  expect(bad.stderr).toContain('use digits after id:');
});

it('ends with 5 where the service is away, and explain with 6 if an instruction is open', async () => {
  const { paymentId } = await desk.paid();
  expect((await desk.run('refund', [paymentId])).code).toBe(0);
  const env = { PAYDESK_BASE_URL: `http://127.0.0.1:${await closedPort()}` };
  expect((await desk.run('get', [`id:${paymentId}`, '--json'], { env })).code).toBe(5);
  const explained = await desk.run('explain', [`id:${paymentId}`, '--json'], { env });
  expect([explained.code, explained.json.error?.code]).toEqual([6, 'still-open']);
});

it('reads several, also from stdin, and says which it could not read', async () => {
  const [one, two] = [await desk.sandbox.create(), await desk.sandbox.create()];
  const input = `${one.referenceId}\n\n${two.paymentId}\n`;
  const table = await desk.run('get', ['-'], { input });
  expect(table.stdout.trimEnd().split('\n')).toEqual([
    expect.stringContaining(`${one.paymentId}\t${one.referenceId}\tCreated`),
    expect.stringContaining(`${two.paymentId}\t${two.referenceId}\tCreated`),
  ]);
  const csv = await desk.run('get', ['-', '--csv', '--columns', 'state,payment'], { input });
  expect(csv.stdout.split(/\r?\n/)[0]).toBe('state,payment');

  const part = await desk.run('get', [one.referenceId, 'nowhere', two.referenceId, '--json']);
  expect(part.code).toBe(7);
  expect(part.json.map((entry) => entry.paymentId ?? entry.error?.code)).toEqual([
    one.paymentId,
    'not-found',
    two.paymentId,
  ]);
  const told = await desk.run('get', [one.referenceId, 'nowhere']);
  expect(told.code).toBe(7);
  expect(told.stderr).toMatch(/1 of 2 payments was not read[^]*nowhere\s+There is no payment/);
  expect((await desk.run('get', ['nowhere', 'never', '--json'])).code).toBe(1);
});

it('refuses what names no payment before anything is asked of the service', async () => {
  desk.requests();
  for (const [args, problem] of [
    [[], 'PAYMENT'],
    [['\u001b[31m'], 'remove control'],
    [['-'], 'contains no payment'],
    [['x', '--bogus'], 'unknown option'],
    [['x', '--columns', 'nope'], 'there is no nope'],
  ] as const) {
    const { code, stderr } = await desk.run('get', [...args]);
    expect(code).toBe(2);
    expect(stderr).toContain(problem);
  }
  expect(desk.requests()).toEqual([]);
});

it('leads from a name that the service does not know to the known payments', async () => {
  const { code, json } = await desk.run('get', ['inv-l', '--json']);
  expect([code, json.error?.code, json.error?.next?.[0]]).toEqual([
    1,
    'not-found',
    'paydesk payments find inv-l',
  ]);
});

it('ends with 4 on a wrong key, 5 when the server is gone and 130 on Ctrl-C', async () => {
  const env = envOf(desk.sandbox);
  const wrong = await payments({ ...env, PAYDESK_API_KEY: 'sk_wrong_key' }, 'get', ['1', '--json']);
  expect(wrong.code).toBe(4);
  expect(wrong.json.error?.next).toContain('paydesk whoami');
  const gone = await payments({ ...env, PAYDESK_BASE_URL: 'http://127.0.0.1:9' }, 'get', ['1']);
  expect(gone.code).toBe(5);
  expect(gone.stderr).toContain('could not be reached');

  await desk.fault({ kind: 'latency', route: 'get', next: 1, delayMs: 100_000 });
  const started = Date.now();
  const stopped = await desk.run('get', ['1'], { onStart: desk.onceFaultHit });
  expect(stopped.code).toBe(130);
  expect(Date.now() - started).toBeLessThan(100_000);
});

it('stops when another app answers than the profile says', async () => {
  const { paymentId } = await desk.sandbox.create();
  const { text } = await desk.sandbox.call('GET', `/payments/${paymentId}`);
  const { httpServer } = await import('../../helpers/servers.js');
  const echo = await httpServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' }).end(text);
  });
  const env = { ...envOf(desk.sandbox), PAYDESK_BASE_URL: echo.url, PAYDESK_APP_ID: 'another' };
  const { code, json } = await payments(env, 'refund', [paymentId, '--json']);
  expect(code).toBe(4);
  expect(json.error?.code).toBe('wrong-app');
  expect(echo.requests.every(({ method }) => method === 'GET')).toBe(true);
});

it('says what to type where IDs were pasted with commas, and never sends on a guess', async () => {
  const [one, two] = [await desk.paid(), await desk.paid()].map(({ paymentId }) => String(paymentId));
  const typed = (...words: string[]) => runTyped([...words, '--json'], { home: desk.home, env: desk.env });
  const apart = (verb: string) => [`paydesk payments ${verb} ${one} ${two} --json`];

  const got = await typed('payments', 'get', `${one},${two}`);
  expect(got).toMatchObject({ code: 1, json: { error: { code: 'not-found', next: apart('get') } } });
  expect(got.json.error?.message).toMatch(
    /There is no payment with reference .* Put spaces between payments/,
  );
  const explained = await typed('payments', 'explain', `${one},`, two!);
  expect(explained.code).toBe(7);
  expect(explained.json[0]).toMatchObject({ error: { next: apart('explain') } });

  desk.requests();
  const refused = await typed('payments', 'refund', `${one},${two}`);
  expect(refused).toMatchObject({ code: 2, json: { error: { next: apart('refund') } } });
  const single = await typed('payments', 'refund', `${one},`);
  const next = [`paydesk payments refund ${one} --json`];
  expect(single).toMatchObject({ code: 1, json: { error: { code: 'not-found', next } } });
  expect(desk.requests().filter((line) => !line.startsWith('GET'))).toEqual([]);
});

it('asks whether a known payment was meant where only case, spaces, hyphens or dashes differ', async () => {
  const home = temporaryHome();
  const run = (verb: string, ...words: string[]) =>
    desk.run(verb, [...words, '--json'], { env: { PAYDESK_HOME: home } });
  const { paymentId } = await desk.paid('approved', { referenceId: 'B-2001' });
  const question = `Did you mean ${paymentId} (B-2001)?`;
  // Nobody has seen it so far.
  expect((await run('get', 'b 2001')).json.error?.message).not.toContain('Did you mean');
  expect((await run('get', 'B-2001')).code).toBe(0);
  desk.requests();
  for (const typed of ['B\u{2011}2001', 'b2001', 'B 2001', 'ref:b\u{2013}2001']) {
    for (const [verb, next] of Object.entries({ get: 'get', explain: 'explain', refund: 'get' })) {
      const { code, json } = await run(verb, typed);
      expect([code, json.error?.code]).toEqual([1, 'not-found']);
      expect(json.error?.message).toContain(question);
      expect(json.error?.next?.[0]).toBe(`paydesk payments ${next} ${paymentId}`);
    }
  }
  const several = await run('refund', 'b2001', 'c2001');
  expect(several.json[0]?.error?.message).toContain(question);
  expect(several.json[1]?.error?.message).not.toContain('Did you mean');
  for (const other of ['B-2002', 'B-200', `id:${paymentId}0`]) {
    expect((await run('get', other)).json.error?.message).not.toContain('Did you mean');
  }
  expect(desk.requests().filter((line) => !line.startsWith('GET'))).toEqual([]);
});

it('reads a payment whose reference has a comma', async () => {
  const { paymentId } = await desk.sandbox.create({ referenceId: 'inv-7,b' });
  expect((await desk.run('get', ['inv-7,b', '--jq', '.paymentId'])).stdout).toBe(`${paymentId}\n`);
});
