import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createHome, createPayment, type Home, type SandboxProcess } from '../commands/sandbox/processes.js';
import { hostedBody, startReceiver, type Receiver } from '../helpers/sandbox.js';
import { visitConsole, type Visitor } from './console-visitor.js';
import { textOf } from './forms.js';

// The command beside each button, as the page shows it, typed into a shell: it does what the button does.

let home: Home;
let sandbox: SandboxProcess;
let receiver: Receiver;
let visitor: Visitor;
beforeAll(async () => {
  home = await createHome();
  sandbox = await home.start('--memory', '--seed', '7');
  // A newer one, so that a command without --port would go astray.
  await home.start('--memory', '--no-profiles');
  receiver = await startReceiver();
  visitor = await visitConsole(sandbox.ready);
});
afterAll(async () => {
  await home.remove();
  await receiver.close();
});
beforeEach(async () => {
  await control('POST', '/reset');
  await control('PATCH', `/apps/${sandbox.ready.apps[0]!.appId}`, { webhookUrl: receiver.url });
  await createPayment(sandbox.ready, 'inv-1');
  await control('POST', '/clock', { action: 'advance', value: 0 });
});

const PAYMENT = 100001;

async function control<T = Record<string, unknown>>(
  method: string,
  path: string,
  body?: unknown,
): Promise<T> {
  const answer = await fetch(`${sandbox.ready.url}/_sandbox${path}`, {
    method,
    headers: { authorization: `Bearer ${sandbox.ready.controlToken}` },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return (await answer.json()) as T;
}

async function state(): Promise<string> {
  const { payment } = await control<{ payment: { paymentState: string } }>(
    'GET',
    `/payments/${PAYMENT}/story`,
  );
  return payment.paymentState;
}

async function createFor(
  app: { appId: string; apiKey: string },
  fields: Record<string, unknown>,
): Promise<number> {
  const answer = await fetch(`${sandbox.ready.url}/api/apps/${app.appId}/payments/hosted-page`, {
    method: 'POST',
    headers: { authorization: `Bearer ${app.apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify(hostedBody(fields)),
  });
  return ((await answer.json()) as { paymentId: number }).paymentId;
}

/** The commands that a page shows, ready to copy. */
async function commandsOn(path: string): Promise<string[]> {
  const { html } = await visitor.get(path);
  return Array.from(html.matchAll(/<p class="command"><code[^>]*>(.*?)<\/code>/g), ([, code]) =>
    textOf(code!).trim(),
  );
}

/** Runs the one command of a page that begins like this. */
async function run(path: string, start: string): Promise<{ stdout: string; code: number }> {
  const found = (await commandsOn(path)).filter((command) => command.startsWith(start));
  expect({ start, found: found.length }).toEqual({ start, found: 1 });
  // As a shell would take it apart; none of them needs more than single quotes.
  const words = Array.from(found[0]!.matchAll(/'([^']*)'|(\S+)/g), ([, quoted, plain]) => quoted ?? plain!);
  const { stdout, stderr, code } = await home.run(words.slice(1));
  expect({ start, stderr, code }).toMatchObject({ start, code: 0 });
  return { stdout, code };
}

const page = `/console/payments/${PAYMENT}`;

test('pay as the customer', async () => {
  await run(page, 'paydesk sandbox pay');
  expect(await state()).toBe('Captured');
});

test('the step at the provider', async () => {
  await control('POST', `/payments/${PAYMENT}/pay`, { card: 'three-d-secure' });
  await run(page, `paydesk sandbox pay ${PAYMENT} --challenge failed`);
  expect(await state()).toBe('Declined');
  await control('POST', `/payments/${PAYMENT}/pay`, { card: 'three-d-secure' });
  await run(page, `paydesk sandbox pay ${PAYMENT} --challenge passed`);
  expect(await state()).toBe('Captured');
});

test('the provider confirms, declines, and a payment is held', async () => {
  await run(page, `paydesk sandbox provider ${PAYMENT} hold`);
  expect(await state()).toBe('Held');
  await createPayment(sandbox.ready, 'inv-2');
  for (const [id, answer, end] of [
    [PAYMENT + 1, 'confirm', 'Captured'],
    [PAYMENT + 2, 'decline', 'Declined'],
  ] as const) {
    await createPayment(sandbox.ready, `inv-${id}`);
    await control('POST', `/payments/${id}/pay`, { card: 'slow-approved' });
    const { stdout } = await run(`/console/payments/${id}`, `paydesk sandbox provider ${id} ${answer}`);
    expect(stdout).toContain(`state\t${end}\n`);
  }
});

test('resend a webhook', async () => {
  receiver.requests.splice(0);
  await run(page, 'paydesk sandbox resend');
  expect(receiver.states(PAYMENT)).toEqual(['Created']);
});

test('the merchant’s own: what is legal now', async () => {
  // The default profile is another sandbox's by now: the command names the one that it means.
  await run(page, `paydesk payments cancel ${PAYMENT} --profile local`);
  expect(['Cancelling', 'Cancelled']).toContain(await state());
  await run(page, `paydesk payments recheck ${PAYMENT}`);
});

test('a command whose profile is gone is not offered; what makes one is', async () => {
  const app = sandbox.ready.apps[1]!;
  const { html } = await visitor.get(`/console/payments/${PAYMENT}`);
  expect(textOf(html)).toContain(`--profile local`);
  expect((await home.run(['profiles', 'remove', 'local-live'])).code).toBe(0);
  const paymentId = await createFor(app, {});
  const commands = await commandsOn(`/console/payments/${paymentId}`);
  expect(commands.filter((command) => command.startsWith('paydesk payments'))).toEqual([]);
  expect(commands).toContain(
    `paydesk profiles add my-app --base-url ${sandbox.ready.url} --app-id ${app.appId} --live`,
  );
});

test('a customer whose id looks like a flag, or like something else to a shell', async () => {
  for (const customerId of ['--json', '~root', "it's; rm"]) {
    await createFor(sandbox.ready.apps[0]!, { customerOrder: { customer: { customerId } } });
    const path = `/console/customers/one?app=${sandbox.ready.apps[0]!.appId}&id=${encodeURIComponent(customerId)}`;
    const [command] = await commandsOn(path);
    const { stdout } = await promisify(execFile)('sh', [
      '-c',
      `paydesk() { printf '%s\\n' "$@"; }; ${command}`,
    ]);
    expect(stdout.trimEnd().split('\n').at(-1)).toBe(customerId);
    const { stdout: link, code } = await home.run(stdout.trimEnd().split('\n'));
    expect({ customerId, code }).toEqual({ customerId, code: 0 });
    expect(link).toContain('/panel/');
  }
});

test('the clock', async () => {
  const now = async () => Date.parse((await control<{ now: string }>('GET', '/clock')).now);
  const before = await now();
  await run('/console/clock', 'paydesk sandbox clock stop');
  expect(await control('GET', '/clock')).toMatchObject({ stopped: true });
  await run(page, 'paydesk sandbox clock advance 30s');
  expect((await now()) - before).toBeGreaterThanOrEqual(30_000);
  await run('/console/clock', 'paydesk sandbox clock set');
  expect((await now()) % 3_600_000).toBe(0);
  await run('/console/clock', 'paydesk sandbox clock resume');
  expect(await control('GET', '/clock')).toMatchObject({ stopped: false });
});

test('faults', async () => {
  await run('/console/faults', 'paydesk sandbox fault add');
  expect(await control('GET', '/faults')).toMatchObject([{ kind: 'latency', route: '*', remaining: 1 }]);
  await run('/console/faults', 'paydesk sandbox fault clear');
  expect(await control('GET', '/faults')).toEqual([]);
});

test('apps, with an address and a policy as they stand, and without', async () => {
  const [app] = sandbox.ready.apps;
  const own = `paydesk sandbox apps set ${app!.appId}`;
  await run('/console/apps', `${own} --webhook-url`);
  await run('/console/apps', `${own} --no-fraud-policy`);
  await run('/console/apps', `${own} --blocked`);
  expect((await control<object[]>('GET', '/apps'))[0]).toMatchObject({
    isBlocked: true,
    webhookUrl: receiver.url,
  });
  await control('PATCH', `/apps/${app!.appId}`, { webhookUrl: null, fraudPolicyId: 2 });
  await run('/console/apps', `${own} --no-webhook`);
  await run('/console/apps', `${own} --fraud-policy 2`);
  await run('/console/apps', `${own} --no-blocked`);
  expect((await control<object[]>('GET', '/apps'))[0]).toMatchObject({ isBlocked: false, fraudPolicyId: 2 });
});

test('what a button did is shown with the command that does the same', async () => {
  const { html } = await visitor.send(`${page}/pay`, { card: 'insufficient-funds' });
  const { port } = new URL(sandbox.ready.url);
  expect(textOf(html)).toContain(
    `The same in a terminal paydesk sandbox pay ${PAYMENT} --card insufficient-funds --port ${port}`,
  );
});
