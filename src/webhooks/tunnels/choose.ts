// From what `--tunnel` says, and where the service is, to a tunnel.

import type { Environment } from '../../child-environment.js';
import { paydesk } from '../../next-command.js';
import { UsageError } from '../../errors.js';
import { isLoopbackUrl } from '../../loopback.js';
import { suggest } from '../../suggest.js';
import { createCloudflaredTunnel, hasCloudflared } from './cloudflared.js';
import { createNgrokTunnel, hasNgrok } from './ngrok.js';
import { createGivenTunnel, createNoTunnel } from './without-program.js';
import { parseOrigin } from './origin.js';
import { configuredHost } from './ssh-client.js';
import { CONFIGURED_HOST, parseSshDestination } from './ssh-destination.js';
import { presets } from './ssh-presets.js';
import { createSshTunnel } from './ssh.js';
import type { Tunnel } from './tunnel.js';

interface Choice {
  tunnel: Tunnel;
  /** Why it was this one, when nobody named it. */
  because?: string;
}

const names = ['auto', 'none', 'ssh', 'cloudflared', 'ngrok'] as const;

export async function chooseTunnel(options: {
  /** `--tunnel` as given; `auto` when it was not. */
  text: string;
  /** The service that sends the webhooks. */
  baseUrl: string;
  env: Environment;
}): Promise<Choice> {
  const { env } = options;
  const text = options.text.trim();
  if (text === 'auto') return automatic(options.baseUrl, env);
  if (text === 'none') return { tunnel: createNoTunnel() };
  if (/^ssh($|[:?])/.test(text)) {
    const destination = parseSshDestination(text);
    if (destination.host === CONFIGURED_HOST && !(await hasConfiguredHost(env))) throw unconfigured();
    return { tunnel: createSshTunnel(destination, env) };
  }
  if (text === 'cloudflared') return { tunnel: createCloudflaredTunnel(env) };
  if (text === 'ngrok') return { tunnel: createNgrokTunnel({ env }) };
  if (text.startsWith('ngrok:')) {
    const domain = text.slice('ngrok:'.length);
    if (!/^[a-z0-9][a-z0-9.-]*\.[a-z]+$/i.test(domain)) throw notUsable(text, `${domain} is not a domain.`);
    return { tunnel: createNgrokTunnel({ domain, env }) };
  }
  if (/^https?:\/\//i.test(text)) return { tunnel: createGivenTunnel(parseOrigin(text)) };
  const meant = meantBy(text);
  throw notUsable(text, meant === undefined ? 'it is not a tunnel.' : `did you mean ${meant}?`, meant);
}

async function automatic(baseUrl: string, env: Environment): Promise<Choice> {
  if (isLoopbackUrl(baseUrl)) {
    return { tunnel: createNoTunnel(), because: 'The service is on this machine, so no tunnel is needed.' };
  }
  if (await hasConfiguredHost(env)) {
    return {
      tunnel: createSshTunnel(parseSshDestination('ssh'), env),
      because: `The tunnel uses the host ${CONFIGURED_HOST} of your ssh configuration.`,
    };
  }
  const other = 'To use your own server: --tunnel ssh:USER@HOST';
  if (hasCloudflared(env)) {
    return {
      tunnel: createCloudflaredTunnel(env),
      because: `The tunnel is cloudflared, which is installed on this machine. Cloudflare can read the webhooks. ${other}`,
    };
  }
  if (hasNgrok(env)) {
    return {
      tunnel: createNgrokTunnel({ env }),
      because: `The tunnel is ngrok, which is installed on this machine. ngrok can read the webhooks. ${other}`,
    };
  }
  throw new UsageError(
    `The service at ${new URL(baseUrl).host} cannot reach this machine directly. Choose a tunnel.`,
    {
      code: 'tunnel-needed',
      details: [
        { input: 'ssh:USER@HOST', problem: 'your own server' },
        {
          input: 'ssh:localhost.run',
          problem: 'a public service, which can read the webhooks; needs only ssh',
        },
        { input: 'cloudflared, ngrok', problem: 'the same, once you have installed it' },
        { input: 'https://…', problem: 'an address that already leads to this machine' },
      ],
      next: [paydesk('webhook', 'listen', '--tunnel', 'ssh:USER@HOST')],
    },
  );
}

/** Whether the user's ssh configuration says where the tunnel's server is. */
async function hasConfiguredHost(env: Environment): Promise<boolean> {
  try {
    return (await configuredHost(parseSshDestination('ssh'), env)) !== CONFIGURED_HOST;
  } catch {
    return false;
  }
}

const unconfigured = () =>
  new UsageError(`Which ssh server? Name it, or add "Host ${CONFIGURED_HOST}" to your ssh configuration.`, {
    code: 'usage',
    next: [
      paydesk('webhook', 'listen', '--tunnel', 'ssh:USER@HOST'),
      paydesk('webhook', 'listen', '--tunnel', 'ssh:localhost.run'),
    ],
  });

/** `meant` is what may have been meant. */
function notUsable(text: string, problem: string, meant?: string): UsageError {
  return new UsageError(`Invalid --tunnel ${text}: ${problem}`, {
    code: 'usage',
    details: meant === undefined ? `Use ${names.join(', ')}, ssh:USER@HOST or an address.` : undefined,
    next: [paydesk('webhook', 'listen', '--tunnel', meant ?? 'ssh:USER@HOST')],
  });
}

function meantBy(text: string): string | undefined {
  const preset = Object.values(presets).some(({ hosts }) => hosts.includes(text));
  if (preset || /^[\w.+-]+@[\w.-]+$/.test(text)) return `ssh:${text}`;
  const isHost = /^[a-z0-9-]+(\.[a-z0-9-]+)+(:\d+)?$/i.test(text);
  return suggest(text.replace(/:.*/s, ''), names) ?? (isHost ? `https://${text}` : undefined);
}
