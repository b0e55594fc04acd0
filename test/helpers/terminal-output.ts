import { stripVTControlCharacters } from 'node:util';
import type { IPty } from '@lydell/node-pty';

/** What a terminal sends for these keys. */
export const keys = {
  enter: '\r',
  up: '\u001B[A',
  down: '\u001B[B',
  space: ' ',
  tab: '\t',
  escape: '\u001B',
  backspace: '\u007F',
  'ctrl-c': '\u0003',
  'ctrl-d': '\u0004',
} as const;

export const plainText = (raw: string): string => stripVTControlCharacters(raw).replaceAll('\r\n', '\n');

/** The text to the end of what is expected; undefined where that is not in it. */
export function takeText(text: string, expected: string | RegExp): string | undefined {
  const at = typeof expected === 'string' ? text.indexOf(expected) : text.search(expected);
  if (at < 0) return undefined;
  const [match = ''] = typeof expected === 'string' ? [expected] : (expected.exec(text) ?? []);
  return text.slice(0, at + match.length);
}

interface Exit {
  exitCode: number;
  signal?: number | undefined;
}

export interface TerminalOutput {
  /** What the terminal got, colours and cursor movements included. Empty it to begin again. */
  raw: string;
  /** Whether the program has ended. */
  readonly isOver: boolean;
  /** Resolves when the program has ended. */
  readonly ended: Promise<Exit>;
  /** Waits until it is so; false when the program ends or the time is up before. */
  until(condition: () => boolean, limitMs?: number): Promise<boolean>;
}

const LIMIT_MS = 120_000;
/** For conditions about something else than the output. */
const LOOK_MS = 200;

/** Collects what a program writes to its terminal, and passes each piece on to `onData`. */
export function readTerminal(pty: IPty, onData: (data: string) => void = () => {}): TerminalOutput {
  let wake: () => void = () => {};
  pty.onData((data) => {
    output.raw += data;
    onData(data);
    wake();
  });
  const output = {
    raw: '',
    isOver: false,
    ended: new Promise<Exit>((resolve) => {
      pty.onExit((exit) => {
        output.isOver = true;
        wake();
        resolve(exit);
      });
    }),
    async until(condition: () => boolean, limitMs = LIMIT_MS): Promise<boolean> {
      const deadline = Date.now() + limitMs;
      while (!condition()) {
        if (output.isOver || Date.now() > deadline) return false;
        await new Promise<void>((resolve) => {
          wake = resolve;
          setTimeout(resolve, LOOK_MS).unref();
        });
      }
      return true;
    },
  };
  return output;
}
