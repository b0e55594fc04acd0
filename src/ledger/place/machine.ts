import { randomUUID } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The machine's own id; where it has none, a random one that is kept in the folder. */
export function machineId(folder: string): string {
  return systemId() ?? keptId(join(folder, 'machine-id'));
}

/** Changes with every start of the machine; undefined where the system does not tell. */
export function bootId(): string | undefined {
  if (process.platform === 'darwin') return outputOf('sysctl', ['-n', 'kern.bootsessionuuid']);
  return textOf('/proc/sys/kernel/random/boot_id');
}

function systemId(): string | undefined {
  if (process.platform === 'darwin') {
    const tree = outputOf('ioreg', ['-rd1', '-c', 'IOPlatformExpertDevice']);
    return /"IOPlatformUUID" = "([^"]+)"/.exec(tree ?? '')?.[1];
  }
  if (process.platform === 'win32') {
    const key = String.raw`HKLM\SOFTWARE\Microsoft\Cryptography`;
    const value = outputOf('reg', ['query', key, '/v', 'MachineGuid']);
    return /REG_SZ\s+(\S+)/.exec(value ?? '')?.[1];
  }
  // An image that has not been started yet says `uninitialized`.
  const ids = ['/etc/machine-id', '/var/lib/dbus/machine-id'].map(textOf);
  return ids.find((id) => id !== undefined && /^[0-9a-f]{32}$/.test(id));
}

function keptId(file: string): string {
  const kept = textOf(file);
  if (kept !== undefined) return kept;
  const made = randomUUID();
  try {
    writeFileSync(file, `${made}\n`, { flag: 'wx', mode: 0o600 });
  } catch {
    // Another process was first, or nothing can be kept here: then every run is on a machine of its own.
  }
  return textOf(file) ?? made;
}

function textOf(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8').trim() || undefined;
  } catch {
    return undefined;
  }
}

function outputOf(program: string, args: string[]): string | undefined {
  // Not needed on Linux, and as an import it would cost every command 2 ms.
  const { execFileSync } = process.getBuiltinModule('node:child_process');
  try {
    return execFileSync(program, args, {
      encoding: 'utf8',
      timeout: 3_000,
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim();
  } catch {
    return undefined;
  }
}
