import { readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { canary, modeOf, newProfile, temporaryFolder, temporaryStore } from './temporary-home.js';

const onLinux = describe.skipIf(process.platform !== 'linux');

/** Our entries in the kernel keyring, as far as this process may see them. */
function kernelKeys(): string[] {
  return readFileSync('/proc/keys', 'utf8')
    .split('\n')
    .filter((line) => line.includes('paydesk'));
}

onLinux('without a Secret Service', () => {
  it('takes the file when there is no session bus', async () => {
    const { store, paths } = temporaryStore({ XDG_RUNTIME_DIR: temporaryFolder() });
    const { profile } = await store.add(newProfile('shop'));
    expect(profile.key.in).toBe('file');
    const [file] = readdirSync(paths.keys);
    expect(modeOf(join(paths.keys, file!))).toBe('600');
    expect(modeOf(paths.keys)).toBe('700');
  });

  it('takes the file when there is a bus address and nobody behind it, and leaves nothing in the kernel', async () => {
    const before = kernelKeys();
    const { store } = temporaryStore({ DBUS_SESSION_BUS_ADDRESS: 'unix:path=/nonexistent/bus' });
    const { profile } = await store.add(newProfile('shop'));
    expect(profile.key.in).toBe('file');
    expect((await store.apiKey(profile)).reveal()).toBe(canary);
    expect(kernelKeys()).toEqual(before);
  });

  it('takes the file when the keyring does not answer within three seconds', async () => {
    const before = kernelKeys();
    const socket = join(temporaryFolder(), 'bus');
    let asked = 0;
    const silent = createServer((connection) => {
      asked += 1;
      connection.on('error', () => {});
    });
    await new Promise<void>((ready) => silent.listen(socket, ready));
    onTestFinished(() => void silent.close());
    const { store } = temporaryStore({ DBUS_SESSION_BUS_ADDRESS: `unix:path=${socket}` });
    const start = performance.now();
    const { profile } = await store.add(newProfile('shop'));
    const took = performance.now() - start;
    expect(asked).toBe(1);
    expect(took).toBeGreaterThan(2900);
    expect(took).toBeLessThan(60_000);
    expect(profile.key.in).toBe('file');
    expect(kernelKeys()).toEqual(before);
  });
});
