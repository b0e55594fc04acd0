import type { IPty } from '@lydell/node-pty';

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
