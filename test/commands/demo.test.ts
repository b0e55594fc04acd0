import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { paydesk, paydeskTty } from '../helpers/run.js';

// A folder of its own: another test may run the demo at the same time.
const folder = mkdtempSync(join(tmpdir(), 'paydesk-demo-test-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const leftovers = () => readdirSync(folder).filter((name) => name.startsWith('paydesk-demo-'));

describe('demo', () => {
  it('goes from nothing to a refunded payment and leaves nothing behind', async () => {
    const before = leftovers();
    const { stdout, stderr, code } = await paydesk(['demo'], { env: { TMPDIR: folder } });
    expect(stderr).toContain('paydesk demo');
    expect(code).toBe(0);
    expect(stdout).toContain('$ paydesk payments create --reference demo-1');
    expect(stdout).toMatch(/demo-1 +EUR 49\.90 +Authorised → Captured +done/);
    expect(stdout).toMatch(/demo-1 +EUR 49\.90 +Captured → Refunded +done/);
    expect(stdout).toMatch(/refund +1 +1/);
    expect(stdout).toContain('paydesk sandbox start');
    expect(leftovers()).toEqual(before);
  });

  it('tells every step and every webhook with --json, on its own sandbox whatever profile is set', async () => {
    const env = {
      PAYDESK_BASE_URL: 'https://pay.example',
      PAYDESK_APP_ID: 'x',
      PAYDESK_API_KEY: 'y',
      PAYDESK_KIND: 'live',
    };
    const { stdout, code } = await paydesk(['demo', '--json'], { env });
    const { steps } = JSON.parse(stdout) as {
      steps: Array<{ command: string; exit: number; webhooks: string[] }>;
    };
    expect(code).toBe(0);
    expect(steps.map(({ exit }) => exit)).toEqual(steps.map(() => 0));
    expect(steps.flatMap(({ webhooks }) => webhooks)).toEqual([
      'Created',
      'Authorised',
      'Capturing',
      'Captured',
      'Refunding',
      'Refunded',
    ]);
  });

  it('ends at Ctrl-C on a terminal, and takes its sandbox away', async () => {
    const before = leftovers();
    const terminal = await paydeskTty(['demo'], { env: { TMPDIR: folder } });
    await terminal.waitFor('payments create');
    terminal.press('ctrl-c');
    expect(await terminal.ended()).toBe(130);
    expect(leftovers()).toEqual(before);
  });
});
