// A terminal that is redrawn and listens to single keys; left as it was found, however the program ends.

export interface ScreenInput extends NodeJS.ReadableStream {
  setRawMode?(raw: boolean): unknown;
  unref?(): unknown;
}

export interface ScreenOutput {
  columns?: number;
  rows?: number;
  write(text: string): unknown;
  on(event: 'resize', listener: () => void): unknown;
  off(event: 'resize', listener: () => void): unknown;
}

export type Key = 'up' | 'down' | 'page-up' | 'page-down' | 'enter' | 'escape' | 'interrupt' | (string & {});

interface Screen {
  readonly columns: number;
  readonly rows: number;
  /** Draws lines that fit. Overwrites the last frame without clearing it first, to avoid flicker. */
  draw(lines: readonly string[]): void;
  /** Copies a text to the clipboard, if the terminal allows it. */
  copy(text: string): void;
  close(): void;
}

const keys: Readonly<Record<string, Key>> = {
  '\u001B[A': 'up',
  '\u001B[B': 'down',
  '\u001BOA': 'up',
  '\u001BOB': 'down',
  '\u001B[5~': 'page-up',
  '\u001B[6~': 'page-down',
  '\r': 'enter',
  '\n': 'enter',
  '\u001B': 'escape',
  '\u0003': 'interrupt',
};

// The other screen, without a cursor; and back.
const ENTER = '\u001B[?1049h\u001B[?25l\u001B[2J';
const LEAVE = '\u001B[?25h\u001B[?1049l';
// Terminals that know it show a frame only once it is whole.
const FRAME_BEGIN = '\u001B[?2026h\u001B[H';
const FRAME_END = '\u001B[J\u001B[?2026l';

export function openScreen(
  input: ScreenInput,
  output: ScreenOutput,
  on: { key(key: Key): void; resize(): void },
): Screen {
  let open = true;
  const onData = (data: Buffer | string) => {
    for (const key of splitKeys(String(data))) on.key(keys[key] ?? key);
  };
  const close = () => {
    if (!open) return;
    open = false;
    input.off('data', onData);
    output.off('resize', on.resize);
    input.setRawMode?.(false);
    input.pause();
    output.write(LEAVE);
    process.off('exit', close);
  };
  output.write(ENTER);
  input.setRawMode?.(true);
  input.on('data', onData);
  input.resume();
  output.on('resize', on.resize);
  process.on('exit', close);
  return {
    get columns() {
      return output.columns ?? 80;
    },
    get rows() {
      return output.rows ?? 24;
    },
    draw(lines) {
      if (!open) return;
      output.write(FRAME_BEGIN + lines.map((line) => `${line}\u001B[K`).join('\r\n') + FRAME_END);
    },
    copy(text) {
      if (open) output.write(`\u001B]52;c;${Buffer.from(text).toString('base64')}\u0007`);
    },
    close,
  };
}

/** Several keys may come at once; an escape sequence is one of them. */
function splitKeys(data: string): string[] {
  // oxlint-disable-next-line no-control-regex -- keys are control characters
  return data.match(/\u001B(?:\[[0-9;]*[A-Za-z~]|O[A-Z])?|[\s\S]/gu) ?? [];
}
