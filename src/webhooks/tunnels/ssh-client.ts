// How the system's OpenSSH client is called, and what its last words mean.

import { otherProgram, paydesk } from '../../next-command.js';
import { spawn } from 'node:child_process';
import { childEnvironment, type Environment } from '../../child-environment.js';
import { GuardError, type PaydeskError, ProfileError, TemporaryError, UsageError } from '../../errors.js';
import { type Ending, findProgram } from './child.js';
import type { SshDestination } from './ssh-destination.js';
import { presets } from './ssh-presets.js';

export function findSsh(env: Environment): string {
  const program = findProgram('ssh', env);
  if (program !== undefined) return program;
  throw new UsageError('The OpenSSH client (ssh) is not installed.', {
    code: 'tunnel-missing',
    next: [paydesk('webhook', 'listen', '--tunnel', 'https://hooks.example.org')],
  });
}

/** Where to, and with whose settings: the user's own ssh configuration counts, or the file in PAYDESK_SSH_CONFIG. */
function addressArgs(destination: SshDestination, env: Environment): { options: string[]; host: string } {
  const preset = destination.preset === undefined ? undefined : presets[destination.preset];
  const user = destination.user ?? preset?.user;
  const port = destination.port ?? preset?.port;
  const file = env['PAYDESK_SSH_CONFIG'];
  const named = preset?.hosts.includes(destination.host) === true ? preset.connectTo : undefined;
  return {
    options: [
      ...(file ? ['-F', file] : []),
      ...(user === undefined ? [] : ['-l', user]),
      ...(port === undefined ? [] : ['-p', String(port)]),
    ],
    host: (named ?? destination.host).replace(/^\[(.*)\]$/, '$1'),
  };
}

const option = (name: string, value: string | number): string[] => ['-o', `${name}=${value}`];

export function tunnelArgs(destination: SshDestination, env: Environment, forward: string): string[] {
  const { options, host } = addressArgs(destination, env);
  return [
    // A session without a terminal: with none (-N) small pieces wait for each other, which costs a request 40 ms.
    '-T',
    // Neither the agent nor the display is lent to the server.
    '-a',
    '-x',
    ...option('BatchMode', 'yes'),
    ...option('StrictHostKeyChecking', 'yes'),
    ...option('ExitOnForwardFailure', 'yes'),
    ...option('ServerAliveInterval', 5),
    ...option('ServerAliveCountMax', 3),
    ...option('ConnectTimeout', 10),
    // A shared connection would outlive this one, and its port with it.
    ...option('ControlMaster', 'no'),
    ...option('ControlPath', 'none'),
    // The port that the server chose is told at this level.
    ...option('LogLevel', 'INFO'),
    ...options,
    '-R',
    forward,
    '--',
    host,
  ];
}

/** How long ssh may take to read its configuration on a busy machine. */
const CONFIGURATION_MS = 20_000;

/** The host name that ssh would connect to, after the user's configuration. */
export async function configuredHost(destination: SshDestination, env: Environment): Promise<string> {
  const { options, host } = addressArgs(destination, env);
  const child = spawn(findSsh(env), [...options, '-G', '--', host], {
    stdio: ['ignore', 'pipe', 'ignore'],
    env: childEnvironment(env),
    timeout: CONFIGURATION_MS,
  });
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (part: string) => (text += part));
  await new Promise((resolve) => child.on('error', resolve).on('close', resolve));
  return /^hostname (\S+)$/m.exec(text)?.[1] ?? host;
}

/**
 * Lets OpenSSH ask on the terminal whether to trust the key of an unknown host, and remember the answer. It does not
 * log in.
 */
export async function askAboutHostKey(
  destination: SshDestination,
  env: Environment,
  signal: AbortSignal,
): Promise<void> {
  const { options, host } = addressArgs(destination, env);
  const args = [
    '-T',
    '-a',
    '-x',
    ...option('StrictHostKeyChecking', 'ask'),
    ...option('PreferredAuthentications', 'none'),
    ...option('NumberOfPasswordPrompts', 0),
    ...option('ConnectTimeout', 10),
    ...option('ControlMaster', 'no'),
    ...option('ControlPath', 'none'),
    ...option('LogLevel', 'VERBOSE'),
    ...options,
    '--',
    host,
    'exit',
  ];
  // Not in a group of its own: it reads the answer from the terminal.
  const child = spawn(findSsh(env), args, {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: childEnvironment(env),
  });
  const leave = () => void child.kill();
  signal.addEventListener('abort', leave, { once: true });
  // A server that lets everybody in would keep the session open.
  child.stderr.setEncoding('utf8').on('data', (text: string) => /^Authenticated to /m.test(text) && leave());
  await new Promise((resolve) => child.on('error', resolve).on('close', resolve));
  signal.removeEventListener('abort', leave);
  signal.throwIfAborted();
}

/** What ssh's last words mean, and whether another attempt can help. */
export function explainSsh(destination: SshDestination, { words }: Ending): PaydeskError {
  const hidden = destination.preset !== undefined && presets[destination.preset].secretUser;
  const show = (line: string) =>
    hidden && destination.user !== undefined ? line.replaceAll(destination.user, '…') : line;
  const find = (pattern: RegExp) => words.findLast((line) => pattern.test(line));
  const { host } = destination;
  const port = destination.port === undefined ? [] : ['-p', destination.port];
  const address = `${destination.user === undefined || hidden ? '' : `${destination.user}@`}${host}`;
  const byHand = otherProgram('ssh', ...port, address);

  if (find(/REMOTE HOST IDENTIFICATION HAS CHANGED/) !== undefined) {
    return new GuardError(
      `The key of ${host} has changed. Someone may be intercepting the connection, or the server was ` +
        `replaced.`,
      {
        code: 'host-key-changed',
        details:
          words
            .filter((line) => /SHA256:|Offending/.test(line))
            .map(show)
            .join('\n') || undefined,
        next: [byHand],
      },
    );
  }
  if (find(/host key is known for|Host key verification failed/) !== undefined) {
    return new GuardError(`The key of ${host} is unknown and was not accepted.`, {
      code: 'host-key-unknown',
      details: 'Connect once on a terminal and compare the fingerprint that is shown.',
      next: [byHand],
    });
  }
  const denied = find(/Permission denied|Too many authentication failures/);
  if (denied !== undefined) {
    return new ProfileError(`${host} refused the login.`, {
      code: 'tunnel-denied',
      details: `${show(denied)}\nA key with a passphrase must be in the agent: ssh-add.`,
      next: [byHand],
    });
  }
  const unreached = find(/^ssh: /);
  if (unreached !== undefined) {
    const why = show(unreached).replace(/^ssh: (connect to host \S+ port \d+: )?/, '');
    return new TemporaryError(`${host} cannot be reached with ssh: ${why}.`, {
      code: 'tunnel-unreached',
      next: [byHand],
    });
  }
  const config = find(
    /Bad configuration option|terminating, \d+ bad configuration|no argument after keyword/,
  );
  if (config !== undefined) {
    return new UsageError('ssh cannot read its configuration.', {
      code: 'ssh-config',
      details: show(config),
    });
  }
  const forward = find(/remote port forwarding failed|remote forward failure/);
  if (forward !== undefined) {
    return new TemporaryError(
      `${host} did not open the port: it is in use there, or the server does not allow it ` +
        `(AllowTcpForwarding, PermitListen).`,
      { code: 'tunnel-port', details: show(forward), next: [byHand] },
    );
  }
  const last = words.at(-1)?.replace(/^Connection to \S+ closed by remote host\.?$/, 'closed by the server');
  return new TemporaryError(`ssh to ${host} ended${last === undefined ? '' : `: ${show(last)}`}.`, {
    code: 'tunnel-ended',
    next: [byHand],
  });
}
