// What a desk notes beside its profiles of each ledger that it uses: which one it is, where it is, and the newest
// intent that was written to it. A ledger that was replaced or restored does not agree with its note.

import { closeSync, openSync, readdirSync, readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { writePrivately } from '../../atomic-file.js';
import { makeFolder } from '../../home-folder.js';
import { sha256 } from '../../sha256.js';

/** Where a file is: which file of which device, on which machine, since which start of it. */
export interface FilePlace {
  machine: string;
  boot: string | null;
  device: string;
  inode: string;
}

export interface PlaceNote {
  /** The path of the file, or the address of the database without user and password. */
  ledger: string;
  id: string;
  place: FilePlace | null;
  /** The person who adopted it knows that file locks have no effect there. */
  withoutLocks?: boolean;
}

/** Tells whether a ledger has an intent: another one of the same id has another time. */
export interface IntentMark {
  id: number;
  time: number;
}

export interface PlaceNotes {
  read(ledger: string): PlaceNote | undefined;
  /** The note of a ledger by its id, whatever its path was then. */
  findId(id: string): PlaceNote | undefined;
  write(note: PlaceNote): void;
  newest(ledger: string): IntentMark | undefined;
  /** Not flushed to the disk: after a power cut an older mark is there, which is true as well. */
  mark(ledger: string, intent: IntentMark | undefined): void;
  close(): void;
}

const WIDTH = 16;

/** Nothing here fails a command: what cannot be noted is not known the next time. */
export function openPlaceNotes(folder: string): PlaceNotes {
  const marks = new Map<string, number>();
  const fileOf = (ledger: string, end: string) => join(folder, `${sha256(ledger).slice(0, 16)}.${end}`);

  function markFile(ledger: string): number {
    const open = marks.get(ledger);
    if (open !== undefined) return open;
    makeFolder(folder);
    const file = fileOf(ledger, 'newest');
    // Written in place, from the start: `a` would append and `w` would empty it for a moment.
    closeSync(openSync(file, 'a', 0o600));
    const opened = openSync(file, 'r+');
    marks.set(ledger, opened);
    return opened;
  }

  return {
    read: (ledger) => noteIn(fileOf(ledger, 'json')),
    findId: (id) =>
      attempt(() => readdirSync(folder))
        ?.filter((name) => name.endsWith('.json'))
        .map((name) => noteIn(join(folder, name)))
        .find((note) => note?.id === id),
    write(note) {
      attempt(() => {
        makeFolder(folder);
        writePrivately(fileOf(note.ledger, 'json'), `${JSON.stringify(note, null, 2)}\n`);
      });
    },
    newest(ledger) {
      const [, id, time] = /^ *(\d+) +(\d+)\n$/.exec(textOf(fileOf(ledger, 'newest')) ?? '') ?? [];
      return Number(id) > 0 ? { id: Number(id), time: Number(time) } : undefined;
    },
    mark(ledger, intent) {
      const { id, time } = intent ?? { id: 0, time: 0 };
      const text = `${String(id).padStart(WIDTH)} ${String(time).padStart(WIDTH)}\n`;
      attempt(() => writeSync(markFile(ledger), text, 0));
    },
    close() {
      for (const open of marks.values()) closeSync(open);
      marks.clear();
    },
  };
}

function noteIn(file: string): PlaceNote | undefined {
  const text = textOf(file);
  const note = text === undefined ? undefined : attempt(() => JSON.parse(text) as Partial<PlaceNote>);
  return typeof note?.id === 'string' && typeof note.ledger === 'string' ? (note as PlaceNote) : undefined;
}

function textOf(file: string): string | undefined {
  return attempt(() => readFileSync(file, 'utf8'));
}

function attempt<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}
