import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openDeskDatabase } from '../../../src/ledger/database.js';
import { createRuns } from '../../../src/sandbox-control/runs.js';
import { openListener } from '../../../src/webhooks/inbox/listeners.js';
import { displayWidth } from '../../../src/output/text.js';
import type { Tty } from '../../helpers/run.js';
import { shareTerminal } from '../../helpers/shared-terminal.js';
import {
  eventually,
  type Receiver,
  startReceiver,
  startTestSandbox,
  type TestSandbox,
} from '../../helpers/sandbox.js';
import { postTo } from '../../webhooks/hook-desk.js';
import { createHookHome, type HookHome } from './processes.js';

let sandbox: TestSandbox;
let handler: Receiver;
let home: HookHome;
let tty: Tty;

beforeAll(async () => {
  sandbox = await startTestSandbox();
});
afterAll(() => sandbox.close());
beforeEach(async () => {
  handler = await startReceiver();
  home = createHookHome(sandbox);
});
afterEach(async () => {
  await home.close();
  await handler.close();
});

const LEAVE = '\u001B[?25h\u001B[?1049l';
const KEYS = '↑↓ select   enter details   r replay   c copy url   q quit';

const type = shareTerminal();
const listen = (...args: string[]) =>
  type(['webhook', 'listen', '--port', '0', ...args], { home: home.path, env: home.env });

async function open(...args: string[]): Promise<string> {
  tty = await listen(...args);
  await tty.waitFor(KEYS);
  tty.type('c');
  const copied = await eventually(() => {
    const [found] = clipboard();
    expect(found).toBeDefined();
    return Buffer.from(found!, 'base64').toString();
  });
  return copied;
}

async function leave(): Promise<void> {
  tty.type('q');
  expect(await tty.ended()).toBe(0);
}

/** What was copied to the terminal's own clipboard (OSC 52). */
const clipboard = (): string[] =>
  tty
    .raw()
    .split('\u001B]52;c;')
    .slice(1)
    .map((text) => text.split('\u0007')[0] as string);

/** What is on the screen now: the last frame, line by line. */
function screen(): string[] {
  const frame = tty.raw().split('\u001B[?2026h').at(-1) ?? '';
  return stripVTControlCharacters(frame).split(/\r*\n/);
}

const shows = (text: string | RegExp) => eventually(() => expect(screen().join('\n')).toMatch(text));

describe('the live table', () => {
  it('shows deliveries as they come, and obeys its keys', async () => {
    const url = await open('--forward-to', handler.url);
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/wh\/[\w-]{32}$/);
    await shows(`Copied, if your terminal allows it:\n${url}`);
    // Too long for a row that also says what is retried: then the reference is cut, and not the state.
    const referenceId = 'order-2026-11-15-001';
    const { paymentId } = await sandbox.create({ webhookUrl: url, referenceId });
    await shows(
      new RegExp(`› \\d\\d:\\d\\d:\\d\\d  ${paymentId} +${referenceId} +Created +200 +(\\d+ ms|\\d\\.\\d s)`),
    );
    handler.answer({ status: 500 });
    await postTo(url, '{"hello":"world"}');
    await shows(/\? \(no payment named\) +500 +(\d+ ms|\d\.\d s) +will retry/);
    handler.answer({ status: 200 });
    await shows(/\? \(no payment named\) +200/);
    tty.press('up');
    await shows(new RegExp(`› \\d\\d:\\d\\d:\\d\\d  ${paymentId}`));
    tty.press('enter');
    await shows('POST /wh/[redacted]');
    await shows(`"paymentId":${paymentId}`);
    tty.press('escape');
    await shows(KEYS);
    const before = handler.requests.length;
    tty.type('r');
    await shows(/Replayed 1: 200 in/);
    expect(handler.requests[before]?.headers['paydesk-replay']).toBe('1');
    tty.type('q');
    expect(await tty.ended()).toBe(0);
    // The terminal is as it was, and the last rows can still be read.
    const after = tty.raw().split(LEAVE).at(-1) ?? '';
    expect(after).toContain(String(paymentId));
    expect(tty.raw().split(LEAVE)).toHaveLength(2);
  });

  it('replays to the targets whose filters let the webhook through', async () => {
    const refunds = await startReceiver();
    const url = await open('--forward-to', handler.url, '--forward-to', `${refunds.url} state=Refunded`);
    await sandbox.create({ webhookUrl: url });
    await shows(/Created +200/);
    tty.type('r');
    await shows(/Replayed 1: 200 in \S+ \S+$/m);
    expect([handler.requests.length, refunds.requests.length]).toEqual([2, 0]);
    await leave();

    const again = await open('--forward-to', `${refunds.url} state=Refunded`);
    await postTo(again, handler.requests[0]?.text ?? '');
    await shows(/Created \(duplicate\)/);
    tty.type('r');
    await shows('The filters of the targets exclude it: paydesk webhook replay 2 --to URL');
    expect(refunds.requests).toEqual([]);
    await leave();
    await refunds.close();
  });

  it('names and copies the command that connects a sandbox of this machine', async () => {
    createRuns(join(home.path, 'data')).write({
      url: sandbox.url,
      consoleUrl: `${sandbox.url}/console`,
      controlToken: sandbox.controlToken,
      database: ':memory:',
      startedTime: new Date().toISOString(),
      pid: process.pid,
    });
    const url = await open();
    await shows(`  paydesk sandbox apps set ${sandbox.app.appId} --webhook-url …`);
    tty.type('s');
    await shows('Copied, if your terminal allows it. Press c to see the address.');
    const command = Buffer.from(clipboard().at(-1) ?? '', 'base64').toString();
    expect(command).toBe(`paydesk sandbox apps set ${sandbox.app.appId} --webhook-url ${url}`);
    try {
      expect((await home.run(...command.split(' ').slice(1))).code).toBe(0);
      const { paymentId } = await sandbox.create();
      await shows(new RegExp(`${paymentId} .*Created`));
    } finally {
      await home.run('sandbox', 'apps', 'set', sandbox.app.appId, '--no-webhook');
    }
    await leave();
  });

  it('fits into any terminal, and is drawn again when that changes', async () => {
    const url = await open();
    await sandbox.create({ webhookUrl: url, referenceId: `long-${'x'.repeat(60)}` });
    await shows(/Created/);
    const widest = () => Math.max(...screen().map(displayWidth));
    expect(widest()).toBeLessThanOrEqual(80);
    expect(screen().length).toBeLessThanOrEqual(24);
    tty.resize(40, 10);
    await eventually(() => {
      expect(screen()).toHaveLength(10);
      expect(widest()).toBeLessThanOrEqual(40);
    });
    // A frame overwrites the one before: the screen is cleared once, when it is entered.
    expect(tty.raw().split('\u001B[2J')).toHaveLength(2);
    await leave();
  });

  it.each([60, 80, 120])('shows the whole address that it copied, in %i columns', async (columns) => {
    const url = await open();
    tty.resize(columns, 24);
    tty.type('c');
    await eventually(() => {
      const lines = screen();
      expect(Math.max(...lines.map(displayWidth))).toBeLessThanOrEqual(columns);
      expect(lines.join('').replaceAll(' ', '')).toContain(`Copied,ifyourterminalallowsit:${url}`);
    });
    await leave();
  });

  it('is left with Ctrl-C, with 130', async () => {
    const url = await open('--forward-to', handler.url);
    const { paymentId } = await sandbox.create({ webhookUrl: url });
    await shows(/Created +200/);
    tty.press('ctrl-c');
    expect(await tty.ended()).toBe(130);
    const [, after = '', ...more] = tty.raw().split(LEAVE);
    expect(more).toEqual([]);
    // The last rows once, and nothing that is not true: it forwarded a webhook.
    const lines = stripVTControlCharacters(after).trim().split(/\r*\n/);
    expect(lines).toEqual([
      expect.stringMatching(new RegExp(`${paymentId} .*Created +200`)),
      '1 received and saved. To see them: paydesk webhook events',
    ]);
  });

  it('is left with q, with 130 where what it waits for has not come', async () => {
    await open('--until', 'Captured');
    tty.type('q');
    expect(await tty.ended()).toBe(130);
  });

  it('is left when it has what it waited for, and says why it ended otherwise', async () => {
    const url = await open('--until', 'Created');
    await sandbox.create({ webhookUrl: url });
    expect(await tty.ended()).toBe(0);
    await open('--until', 'Captured', '--timeout', '4s');
    expect(await tty.ended()).toBe(8);
    const after = stripVTControlCharacters(tty.raw().split(LEAVE).at(-1) ?? '');
    expect(after.trim()).toBe('Error: No webhook arrived before the time limit.');
  });

  it('is not there with --inspect: each request is shown under its line', async () => {
    tty = await listen('--inspect', '--forward-to', handler.url);
    await tty.waitFor('Ready');
    const origin = /http:\/\/127\.0\.0\.1:\d+/.exec(await tty.waitFor('/wh/'))?.[0];
    const database = await openDeskDatabase({
      location: join(home.path, 'data', 'desk.db'),
      operator: 'test',
    });
    const app = { baseUrl: sandbox.url, appId: sandbox.app.appId };
    const { secret } = await openListener(database.store, app);
    await database.close();
    await postTo(`${origin}/wh/${secret}`, 'hello\nworld', { headers: { 'X-Odd': 'yes' } });
    await tty.waitFor(/no payment named.*200.*\n +POST \/wh\/\[redacted\]/);
    await tty.waitFor('X-Odd: yes');
    await tty.waitFor(/hello\n +world/);
    expect(tty.text()).not.toContain(secret);
    expect(tty.raw()).not.toContain('\u001B[?1049h');
    tty.press('ctrl-c');
    expect(await tty.ended()).toBe(130);
  });
});
