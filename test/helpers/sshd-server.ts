import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from './free-port.ts';

export interface Sshd {
  /** For `--tunnel`. */
  destination: string;
  port: number;
  /** A client configuration with our own keys and known hosts, for PAYDESK_SSH_CONFIG. */
  config: string;
  knownHosts: string;
  /** Ends the server and every session as a crash would. */
  kill(): Promise<void>;
  /** Stops the server and every session in their tracks, and lets them go on. */
  stall(): void;
  resume(): void;
  start(): Promise<void>;
  /** Another key for the host, as a new server or somebody in the middle would have. */
  changeHostKey(): void;
  /** Makes the host's key the one that is known. */
  trust(): void;
  stop(): Promise<void>;
}

const program = ['/usr/sbin/sshd', '/usr/local/sbin/sshd', '/usr/bin/sshd'].find((path) => existsSync(path));

/** Why none can be started here. */
export const missingSshd = (): string | undefined => {
  if (program === undefined) return 'sshd is not installed';
  return existsSync('/proc/self/stat') ? undefined : 'there is no /proc to find its sessions in';
};

/** A process and all that it started. */
export function descendants(root: number): number[] {
  const parents = new Map<number, number>();
  for (const name of readdirSync('/proc').filter((entry) => /^\d+$/.test(entry))) {
    try {
      const stat = readFileSync(`/proc/${name}/stat`, 'utf8');
      const [state, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      if (state !== 'Z') parents.set(Number(name), Number(parent));
    } catch {
      // It ended meanwhile.
    }
  }
  const family = [root];
  for (const member of family) {
    family.push(...[...parents].filter(([, parent]) => parent === member).map(([pid]) => pid));
  }
  return family;
}

function signalAll(pids: number[], signal: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      process.kill(pid, signal);
    } catch {
      // It ended meanwhile.
    }
  }
}

/** The settings of the server, and those of a client that may log in. */
function writeSettings(file: (name: string) => string, port: number): void {
  writeFileSync(
    file('sshd_config'),
    [
      `Port ${port}`,
      'ListenAddress 127.0.0.1',
      `HostKey ${file('host-key')}`,
      `AuthorizedKeysFile ${file('user-key.pub')}`,
      'PidFile none',
      'UsePAM no',
      'StrictModes no',
      'PasswordAuthentication no',
      'KbdInteractiveAuthentication no',
      'PermitRootLogin yes',
      'PrintMotd no',
      // Instead of a login shell, whose settings may take longer than the test: it reads until the connection ends. At this
      // level bash reads no settings for a command either.
      'ForceCommand exec cat',
      'SetEnv SHLVL=2',
      // A forwarded port is open to this machine alone, whatever the client asks for.
      'GatewayPorts no',
    ].join('\n'),
  );
  writeFileSync(
    file('ssh_config'),
    [
      'Host paydesk-tunnel',
      '  HostName 127.0.0.1',
      `  Port ${port}`,
      'Host *',
      `  IdentityFile ${file('user-key')}`,
      '  IdentitiesOnly yes',
      '  IdentityAgent none',
      `  UserKnownHostsFile ${file('known_hosts')}`,
      '  GlobalKnownHostsFile /dev/null',
    ].join('\n'),
  );
}

/** A real OpenSSH server on loopback, with keys of its own; whoever runs the tests may log in. */
export async function startSshd(): Promise<Sshd> {
  const folder = mkdtempSync(join(tmpdir(), 'paydesk-sshd-'));
  const file = (name: string) => join(folder, name);
  const makeKey = (name: string) =>
    execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', name, '-f', file(name)]);
  makeKey('host-key');
  makeKey('user-key');
  // Where it gives up its rights; only root's needs it.
  if (process.getuid?.() === 0) mkdirSync('/run/sshd', { recursive: true });

  const port = await freePort();
  writeSettings(file, port);
  const trust = () =>
    writeFileSync(
      file('known_hosts'),
      `[127.0.0.1]:${port} ${readFileSync(file('host-key.pub'), 'utf8').split(' ').slice(0, 2).join(' ')}\n`,
    );
  trust();

  let server: ChildProcess | undefined;
  // Sessions that a stall left behind are no children of the server any more once it is gone.
  let family: number[] = [];
  const members = () => (server?.pid === undefined ? [] : descendants(server.pid));

  async function start(): Promise<void> {
    const started = spawn(program as string, ['-D', '-e', '-f', file('sshd_config')], {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    server = started;
    started.stderr.setEncoding('utf8').on('data', (text: string) => appendFileSync(file('log'), text));
    const deadline = Date.now() + 60_000;
    while (!(await accepts(port))) {
      if (started.exitCode !== null || Date.now() > deadline) {
        throw new Error(`sshd did not start: ${readFileSync(file('log'), 'utf8')}`);
      }
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  async function kill(): Promise<void> {
    const ending = server;
    const pids = [...new Set([...family, ...members()])];
    server = undefined;
    family = [];
    signalAll(pids, 'SIGKILL');
    if (ending && ending.exitCode === null && ending.signalCode === null) await once(ending, 'exit');
  }

  const onExit = () => signalAll(members(), 'SIGKILL');
  process.once('exit', onExit);
  await start();
  return {
    destination: `ssh:127.0.0.1:${port}`,
    port,
    config: file('ssh_config'),
    knownHosts: file('known_hosts'),
    kill,
    stall() {
      family = members();
      signalAll(family, 'SIGSTOP');
    },
    resume: () => signalAll(family.length > 0 ? family : members(), 'SIGCONT'),
    start,
    changeHostKey() {
      rmSync(file('host-key'));
      rmSync(file('host-key.pub'));
      makeKey('host-key');
    },
    trust,
    async stop() {
      await kill();
      process.off('exit', onExit);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.on('error', () => resolve(false));
    socket.on('connect', () => {
      socket.destroy();
      resolve(true);
    });
  });
}
