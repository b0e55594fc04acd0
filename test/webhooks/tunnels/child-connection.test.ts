import { expect, it } from 'vitest';
import { TemporaryError } from '../../../src/errors.js';
import { startChild } from '../../../src/webhooks/tunnels/child.js';
import { connectThrough } from '../../../src/webhooks/tunnels/child-connection.js';

it('says which other tunnel to use when the program gives no address in time', async () => {
  const child = startChild('/bin/sh', ['-c', 'sleep 60'], { PATH: process.env['PATH'] });
  const connection = connectThrough({
    child,
    readUrl: () => undefined,
    explain: () => new TemporaryError('It ended.', { code: 'tunnel-ended' }),
    signal: new AbortController().signal,
    limitMs: 100,
  });
  await expect(connection).rejects.toMatchObject({
    code: 'tunnel-silent',
    message: 'The tunnel gave no public address within 0.1 s.',
    next: [{ words: ['paydesk', 'webhook', 'listen', '--tunnel', 'ssh:USER@HOST'] }],
  });
});
