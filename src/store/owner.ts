import { createHash, randomBytes } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname, networkInterfaces } from 'node:os';

/** Who works on claimed rows: its name is written to the leases that it holds. */
export interface Owner {
  readonly name: string;
  /** Whether the owner of a lease is known to have ended. One on another machine may still be running. */
  isGone(name: string): boolean;
}

/** This process. On the same machine others can see that it has ended, and need not wait for its leases to run out. */
export function createOwner(): Owner {
  const place = `${machineId()}/${processNamespace()}`;
  return {
    name: `${place}/${process.pid}/${randomBytes(4).toString('hex')}`,
    isGone(name) {
      const [, theirs, pid] = /^(.+)\/(\d+)\/[0-9a-f]{8}$/.exec(name) ?? [];
      return theirs === place && !isRunning(Number(pid));
    },
  };
}

/**
 * Two machines may have the same host name, and copies of one image the same machine id. No two share a boot id;
 * where there is none, the network addresses tell machines apart.
 */
function machineId(): string {
  const boot = readText('/proc/sys/kernel/random/boot_id');
  const facts =
    boot === undefined ? [hostname(), ...macAddresses()] : [readText('/etc/machine-id') ?? '', boot];
  return createHash('sha256').update(facts.join('\n')).digest('hex').slice(0, 32);
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8').trim() || undefined;
  } catch {
    return undefined;
  }
}

function macAddresses(): string[] {
  const all = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
  return [...new Set(all.filter(({ internal }) => !internal).map(({ mac }) => mac))].toSorted();
}

/** Containers on one machine number their processes apart. */
function processNamespace(): string {
  try {
    return readlinkSync('/proc/self/ns/pid').replaceAll(/\D/g, '');
  } catch {
    return '0';
  }
}

/** Whether there is a process of this number. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // A process of another user is running all the same.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
