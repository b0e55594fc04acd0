/** Text that is printed only once it is known to be whole; what is long is kept in a file meanwhile. */
interface Spool {
  write(text: string): void;
  /** Prints everything, piece by piece. */
  print(write: (text: string) => void): void;
  close(): void;
}

const IN_MEMORY = 4 * 1024 * 1024;
const PIECE_SIZE = 64 * 1024;

export function createSpool(): Spool {
  let text = '';
  let file: number | undefined;

  function moveToFile(): void {
    const { writeSync } = process.getBuiltinModule('node:fs');
    file ??= openUnnamed();
    const bytes = Buffer.from(text);
    for (let written = 0; written < bytes.length;) written += writeSync(file, bytes, written);
    text = '';
  }

  return {
    write(more) {
      text += more;
      if (text.length >= IN_MEMORY) moveToFile();
    },
    print(write) {
      if (file !== undefined) for (const piece of readAll(file)) write(piece);
      write(text);
    },
    close() {
      if (file !== undefined) process.getBuiltinModule('node:fs').closeSync(file);
      file = undefined;
      text = '';
    },
  };
}

/** A file of this user alone that has no name any more: it is gone with this process. */
function openUnnamed(): number {
  const { mkdtempSync, openSync, rmSync } = process.getBuiltinModule('node:fs');
  const { join } = process.getBuiltinModule('node:path');
  const folder = mkdtempSync(join(process.getBuiltinModule('node:os').tmpdir(), 'paydesk-'));
  const file = openSync(join(folder, 'list.json'), 'wx+', 0o600);
  try {
    rmSync(folder, { recursive: true });
  } catch {
    // Windows keeps the name while the file is open.
  }
  return file;
}

function* readAll(file: number): Generator<string> {
  const { readSync } = process.getBuiltinModule('node:fs');
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  const piece = Buffer.alloc(PIECE_SIZE);
  for (let at = 0; ;) {
    const length = readSync(file, piece, 0, PIECE_SIZE, at);
    if (length === 0) return;
    at += length;
    yield decoder.decode(piece.subarray(0, length), { stream: true });
  }
}
