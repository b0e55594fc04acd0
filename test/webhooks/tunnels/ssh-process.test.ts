import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { stripVTControlCharacters } from 'node:util';
import { afterEach, describe, expect, it } from 'vitest';
import { descendants, type Sshd } from '../../helpers/sshd-server.js';
import { describeWithSshd } from '../../helpers/sshd.js';
import { eventually } from '../../helpers/sandbox.js';
import { isAlive } from './receiver.js';
import { standIn } from './stand-ins.js';

const script = fileURLToPath(new URL('tunnel-process.ts', import.meta.url));

/** Zombies of a container without an init are ended too. */
const isRunning = (pid: number) =>
  isAlive(pid) &&
  !/^State:\s+Z/m.test(existsSync(`/proc/${pid}/status`) ? readFileSync(`/proc/${pid}/status`, 'utf8') : '');

describeWithSshd('a process with an ssh tunnel', (sshd) => {
  const environment = (server: Sshd) => ({ ...process.env, PAYDESK_SSH_CONFIG: server.config });

  it.each(['SIGKILL', 'SIGTERM', 'SIGINT', 'SIGHUP'] as const)(
    'takes its ssh with it when it ends by %s',
    async (signal) => {
      const child = spawn(process.execPath, [script, 'ssh'], {
        env: environment(sshd()),
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
      expect(line).toMatch(/^Ready http:\/\/127\.0\.0\.1:\d+$/);
      const family = descendants(child.pid as number).slice(1);
      expect(family.length).toBeGreaterThanOrEqual(2);
      child.kill(signal);
      await eventually(() => expect(family.filter(isRunning)).toEqual([]));
    },
  );

  describe('on a terminal, at a host that was never met', () => {
    let known = '';
    afterEach(() => writeFileSync(sshd().knownHosts, known));

    async function meet(answer: string) {
      known = readFileSync(sshd().knownHosts, 'utf8');
      writeFileSync(sshd().knownHosts, '');
      const { spawn: spawnPty } = await import('@lydell/node-pty');
      const pty = spawnPty(process.execPath, [script, 'ssh'], {
        cols: 80,
        rows: 24,
        env: environment(sshd()),
      });
      let text = '';
      pty.onData((data) => (text += stripVTControlCharacters(data)));
      await eventually(() => expect(text).toContain('continue connecting'));
      const asked = text;
      pty.write(`${answer}\r`);
      await eventually(() => expect(text).toMatch(/(Ready|Failed) \S+\s/));
      pty.kill('SIGKILL');
      return { asked, text };
    }

    it('shows the fingerprint, asks, and goes on with a yes', async () => {
      const { asked, text } = await meet('yes');
      expect(asked).toMatch(/ED25519 key fingerprint is SHA256:[A-Za-z0-9+/]{43}/);
      expect(text).toMatch(/Ready http:\/\/127\.0\.0\.1:\d+/);
      expect(readFileSync(sshd().knownHosts, 'utf8').split(' ').slice(0, 3).join(' ').trim()).toBe(
        known.trim(),
      );
    });

    it('goes no further with a no', async () => {
      const { text } = await meet('no');
      expect(text).toContain('Failed host-key-unknown');
      expect(readFileSync(sshd().knownHosts, 'utf8')).toBe('');
    });
  });
});

describe('a process with another program for its tunnel', () => {
  it('takes that with it too when it is killed', async () => {
    const cloudflared = standIn('cloudflared', []);
    const child = spawn(process.execPath, [script, 'cloudflared'], {
      env: { ...process.env, ...cloudflared.env },
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    await eventually(() => expect(isAlive(cloudflared.pid())).toBe(true));
    child.kill('SIGKILL');
    await eventually(() => expect(isRunning(cloudflared.pid())).toBe(false));
    cloudflared.remove();
  });
});
