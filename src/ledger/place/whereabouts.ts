import { realpathSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { isEmbedded } from '../database.js';
import type { Whereabouts } from './ledger-place.js';
import { bootId, machineId } from './machine.js';
import { openPlaceNotes } from './place-note.js';

interface PlaceOptions {
  /** A file or postgres://… */
  location: string;
  /** Where the desk keeps its profiles, and the notes beside them. */
  configFolder: string;
}

export function whereaboutsOf({ location, configFolder }: PlaceOptions): Whereabouts {
  const notes = openPlaceNotes(join(configFolder, 'ledgers'));
  if (!isEmbedded(location)) return { ledger: addressOf(location), notes, here: () => null };
  const ledger = realpathSync(location);
  let machine: string | undefined;
  let boot: string | null | undefined;
  return {
    ledger,
    notes,
    here() {
      const file = statSync(ledger, { bigint: true, throwIfNoEntry: false });
      if (!file) return null;
      machine ??= machineId(configFolder);
      boot ??= bootId() ?? null;
      return { machine, boot, device: String(file.dev), inode: String(file.ino) };
    },
  };
}

/** One database has one name, whatever the user and the options. */
function addressOf(location: string): string {
  const url = new URL(location);
  const host = url.hostname || url.searchParams.get('host') || 'localhost';
  return `postgres://${host.toLowerCase()}:${url.port || '5432'}${url.pathname}`;
}
