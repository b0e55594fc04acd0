import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createHome } from '../commands/sandbox/processes.js';
import { paydesk } from '../helpers/run.js';

// What is typed almost right.

describe('a verb without its noun', () => {
  it.each([
    [['refund', '1'], 'paydesk payments refund 1'],
    [['capture', 'inv-1', '--wait'], 'paydesk payments capture inv-1 --wait'],
    [['get', 'inv 1'], "paydesk payments get 'inv 1'"],
    [['explain', '1'], 'paydesk payments explain 1'],
    [['panel-link', 'c_1'], 'paydesk customers panel-link c_1'],
  ])('%j suggests %s', async (words, command) => {
    const { stderr, code } = await paydesk(words);
    expect(code).toBe(2);
    expect(stderr).toContain(`Next:  ${command}\n`);
  });

  it('of several nouns suggests each, payments first', async () => {
    const { stderr } = await paydesk(['list']);
    expect(stderr).toContain('Did you mean paydesk payments list?');
    expect(stderr).toContain('  paydesk customers list\n');
  });
});

it('-h is --help everywhere', async () => {
  for (const words of [[], ['payments'], ['payments', 'refund'], ['sandbox', 'clock']]) {
    const [short, long] = await Promise.all([paydesk([...words, '-h']), paydesk([...words, '--help'])]);
    expect(short).toEqual(long);
    expect(short.code).toBe(0);
  }
});

it('payments refund --amount says that payments are refunded whole', async () => {
  const { stderr, code } = await paydesk(['payments', 'refund', 'inv-1', '--amount', '5']);
  expect(code).toBe(2);
  expect(stderr).toContain('the service refunds whole payments');
});

it('a stopped sandbox of this machine is offered to be started', async () => {
  const home = await createHome();
  try {
    const sandbox = await home.start('--memory');
    sandbox.kill('SIGTERM');
    await sandbox.ended;
    const { port } = new URL(sandbox.ready.url);
    const { stderr, code } = await home.run(['payments', 'get', 'inv-1']);
    expect(code).toBe(5);
    expect(stderr.replaceAll('\n', ' ')).toContain('No sandbox is running on port');
    expect(stderr).toContain(`Next:  paydesk sandbox start --port ${port}\n`);
    const refund = await home.run(['payments', 'refund', 'inv-1']);
    expect(refund.stderr).toContain('Nothing was sent.');
    expect(refund.stderr).toContain('paydesk sandbox start');
    const orders = join(mkdtempSync(join(tmpdir(), 'paydesk-orders-')), 'orders.csv');
    writeFileSync(orders, 'reference\ninv-1\n');
    const imported = await home.run(['payments', 'import', orders]);
    expect(imported.stderr).toContain('0 of 1 rows are imported. The same command continues there.');
    expect(imported.stderr).toContain('paydesk sandbox start');
  } finally {
    await home.remove();
  }
});
