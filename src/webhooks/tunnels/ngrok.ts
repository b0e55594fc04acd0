import type { Environment } from '../../child-environment.js';
import { otherProgram, paydesk } from '../../next-command.js';
import { type PaydeskError, ProfileError, TemporaryError, UsageError } from '../../errors.js';
import { connectThrough } from './child-connection.js';
import { type Ending, findProgram, startChild } from './child.js';
import type { Tunnel } from './tunnel.js';

const START_MS = 30_000;

export const hasNgrok = (env: Environment): boolean => findProgram('ngrok', env) !== undefined;

/** `domain` is one of the account's own; without it ngrok gives the account's default or a random one. */
export function createNgrokTunnel(options: { domain?: string | undefined; env: Environment }): Tunnel {
  const { domain, env } = options;
  return {
    name: domain === undefined ? 'ngrok' : `ngrok:${domain}`,
    thirdParty: true,
    readyMs: 20_000,
    // It reconnects by itself and keeps its address.
    reconnectMs: 60_000,
    async start({ localPort, signal }) {
      const program = findProgram('ngrok', env);
      if (program === undefined) {
        throw new UsageError('ngrok is not installed, and paydesk downloads nothing.', {
          code: 'tunnel-missing',
          details: 'Install it, or use your own server:',
          next: [
            paydesk('webhook', 'listen', '--tunnel', 'ngrok'),
            paydesk('webhook', 'listen', '--tunnel', 'ssh:USER@HOST'),
          ],
        });
      }
      const own = domain === undefined ? [] : ['--url', `https://${domain}`];
      const args = ['http', `127.0.0.1:${localPort}`, ...own, '--log', 'stdout', '--log-format', 'json'];
      return connectThrough({
        child: startChild(program, args, env),
        readUrl: (line) => {
          const { msg, url } = record(line);
          return msg === 'started tunnel' ? url : undefined;
        },
        explain,
        signal,
        limitMs: START_MS,
      });
    },
  };
}

/** A line of its log; empty for any other line. */
function record(line: string): { msg?: string; url?: string; err?: string } {
  try {
    const value: unknown = JSON.parse(line);
    if (typeof value !== 'object' || value === null) return {};
    return Object.fromEntries(Object.entries(value).filter(([, field]) => typeof field === 'string'));
  } catch {
    return {};
  }
}

function explain({ code, words }: Ending): PaydeskError {
  const told = words
    .map((line) => record(line).err)
    .findLast((text) => text !== undefined && text !== '<nil>');
  const plain = words.findLast((line) => line.startsWith('ERROR:') && line.trim() !== 'ERROR:');
  const complaint = (told ?? plain ?? words.at(-1))?.replace(/^ERROR:\s*/, '');
  // ngrok's own numbers: 4018 no authtoken, 105 and 107 a wrong one.
  if (words.some((line) => /ERR_NGROK_(4018|105|107)\b/.test(line))) {
    return new ProfileError('ngrok does not know your account.', {
      code: 'tunnel-denied',
      details: complaint,
      next: [otherProgram('ngrok', 'config', 'add-authtoken', 'TOKEN')],
    });
  }
  return new TemporaryError(`ngrok ended${code === null ? '' : ` with ${code}`}.`, {
    code: 'tunnel-ended',
    details: complaint,
  });
}
