import { randomBytes } from 'node:crypto';
import { readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

/** Who works on claimed rows: what its leases are marked with. */
export interface Owner {
  readonly name: string;
  /** Whether the owner of a lease is known to be gone. One on another machine may still be there. */
  isGone(name: string): boolean;
}

/** This process. After a crash its leases need not run out: that it is gone can be seen on the same machine. */
export function createOwner(): Owner {
  const place = `${hostname()}/${processSpace()}`;
  return {
    name: `${place}/${process.pid}/${randomBytes(4).toString('hex')}`,
    isGone(name) {
      const [, theirs, pid] = /^(.+)\/(\d+)\/[0-9a-f]{8}$/.exec(name) ?? [];
      return theirs === place && !isRunning(Number(pid));
    },
  };
}

/** Containers may share a host name and still number their processes apart. */
function processSpace(): string {
  try {
    return readlinkSync('/proc/self/ns/pid').replaceAll(/\D/g, '');
  } catch {
    return '0';
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // One that belongs to somebody else is there all the same.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
