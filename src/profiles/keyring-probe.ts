// Runs as a process of its own, because a keyring that does not answer blocks the thread that asks it.
// Exit 0: an entry could be written, read back and deleted.
import { Entry } from '@napi-rs/keyring';

const service = process.argv[2] ?? 'paydesk';
// A fixed account, so that a probe that was cut short is overwritten and deleted by the next one.
const entry = new Entry(service, 'probe', { linux: { store: 'secret-service' } });
const value = `probe ${process.pid}`;
let found: string | null;
try {
  entry.setPassword(value);
  found = entry.getPassword();
} finally {
  entry.deletePassword();
}
process.exitCode = found === value ? 0 : 1;
