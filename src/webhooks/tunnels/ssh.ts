// A port on an SSH server that leads here, made by the system's own OpenSSH client.

import type { Environment } from '../../child-environment.js';
import { isLoopbackHost } from '../../loopback.js';
import { connectThrough } from './child-connection.js';
import { startChild } from './child.js';
import { configuredHost, explainSsh, findSsh, askAboutHostKey, tunnelArgs } from './ssh-client.js';
import type { SshDestination } from './ssh-destination.js';
import { presets } from './ssh-presets.js';
import type { Tunnel } from './tunnel.js';

const START_MS = 30_000;

export function createSshTunnel(destination: SshDestination, env: Environment): Tunnel {
  return {
    name: nameOf(destination),
    thirdParty: destination.preset !== undefined,
    readyMs: 10_000,
    reconnectMs: 0,
    async start({ localPort, signal, note, interactive, previousUrl, attempt }) {
      const program = findSsh(env);
      if (interactive && attempt === 1) await askAboutHostKey(destination, env, signal);
      const plan = await planForward({ destination, env, localPort, previousUrl });
      if (plan.url?.startsWith('http:') === true && !isLoopbackHost(new URL(plan.url).hostname)) {
        note(
          `${new URL(plan.url).hostname} is reached without encryption, so others on the network can read the webhooks.`,
        );
      }
      signal.throwIfAborted();
      return connectThrough({
        child: startChild(program, tunnelArgs(destination, env, plan.forward), env),
        url: plan.url,
        readUrl: plan.readUrl,
        explain: (ending) => explainSsh(destination, ending),
        signal,
        limitMs: START_MS,
      });
    },
  };
}

function nameOf({ preset, host, user, port }: SshDestination): string {
  if (preset !== undefined && presets[preset].hosts.includes(host)) return `ssh:${preset}`;
  const isHidden = user === undefined || (preset !== undefined && presets[preset].secretUser);
  return `ssh:${isHidden ? '' : `${user}@`}${host}${port === undefined ? '' : `:${port}`}`;
}

interface Plan {
  /** For `-R`. */
  forward: string;
  url?: string;
  readUrl: (line: string) => string | undefined;
}

async function planForward(options: {
  destination: SshDestination;
  env: Environment;
  localPort: number;
  previousUrl: string | undefined;
}): Promise<Plan> {
  const { destination, localPort, previousUrl } = options;
  if (destination.preset !== undefined) {
    const preset = presets[destination.preset];
    return {
      forward: preset.forward(localPort, destination.name),
      readUrl: (line) => preset.readUrl(withoutColour(line)),
    };
  }
  const local = `127.0.0.1:${localPort}`;
  const { publicUrl, remotePort } = destination;
  // Something on the server leads to the port, so the port itself need not be open to the world.
  if (publicUrl !== undefined) {
    return { forward: `${remotePort}:${local}`, url: publicUrl.origin, readUrl: () => undefined };
  }
  const host = await configuredHost(destination, options.env);
  const urlOf = (port: number | string) => `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
  const port = remotePort === 0 && previousUrl !== undefined ? new URL(previousUrl).port : String(remotePort);
  return {
    forward: `*:${port}:${local}`,
    // ssh tells only a port that the server chose.
    ...(port === '0' ? {} : { url: urlOf(port) }),
    readUrl: (line) => {
      const chosen = /^Allocated port (\d+) for remote forward/.exec(line)?.[1];
      return chosen === undefined ? undefined : urlOf(chosen);
    },
  };
}

// oxlint-disable-next-line no-control-regex -- what it takes out are control characters
const withoutColour = (line: string): string => line.replaceAll(/\u001B\[[0-9;]*[A-Za-z]/g, '');
