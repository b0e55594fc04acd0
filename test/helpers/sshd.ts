import { describeWithServer } from './describe-with-server.js';
import { missingSshd, startSshd, type Sshd } from './sshd-server.js';

/** Tests with an SSH server of their own; skipped with a reason where there is none, but never in CI. */
export function describeWithSshd(name: string, define: (sshd: () => Sshd) => void): void {
  describeWithServer(name, { missing: missingSshd(), start: startSshd }, define);
}
