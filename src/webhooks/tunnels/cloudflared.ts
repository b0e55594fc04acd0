// Cloudflare's quick tunnel: an address of trycloudflare.com without an account, another one each time.

import type { Environment } from '../../child-environment.js';
import { paydesk } from '../../next-command.js';
import { TemporaryError, UsageError } from '../../errors.js';
import { connectThrough } from './child-connection.js';
import { type Ending, findProgram, startChild } from './child.js';
import type { Tunnel } from './tunnel.js';

const START_MS = 60_000;

export const hasCloudflared = (env: Environment): boolean => findProgram('cloudflared', env) !== undefined;

export function createCloudflaredTunnel(env: Environment): Tunnel {
  return {
    name: 'cloudflared',
    thirdParty: true,
    readyMs: 60_000,
    // It reconnects by itself and keeps its address; a new process would get another one.
    reconnectMs: 60_000,
    async start({ localPort, signal }) {
      const program = findProgram('cloudflared', env);
      if (program === undefined) {
        throw new UsageError('cloudflared is not installed, and paydesk downloads nothing.', {
          code: 'tunnel-missing',
          details: 'Install it, or use your own server:',
          next: [
            paydesk('webhook', 'listen', '--tunnel', 'cloudflared'),
            paydesk('webhook', 'listen', '--tunnel', 'ssh:USER@HOST'),
          ],
        });
      }
      const args = ['tunnel', '--no-autoupdate', '--url', `http://127.0.0.1:${localPort}`];
      return connectThrough({
        child: startChild(program, args, env),
        readUrl: (line) => {
          const found = /https:\/\/([a-z0-9-]+)\.trycloudflare\.com/.exec(line);
          // Its errors name the address that gives out addresses.
          return found === null || found[1] === 'api' ? undefined : found[0];
        },
        explain,
        signal,
        limitMs: START_MS,
      });
    },
  };
}

function explain({ code, words }: Ending): TemporaryError {
  const complaint = words.findLast((line) => / (ERR|FTL) /.test(line)) ?? words.at(-1);
  return new TemporaryError(`cloudflared ended${code === null ? '' : ` with ${code}`}.`, {
    code: 'tunnel-ended',
    details: complaint?.replace(/^\S+Z (ERR|FTL|INF|WRN) /, ''),
  });
}
