// Where output goes: which stream is a terminal, whether colour is wanted, how wide it is.

import type { Environment } from '../child-environment.js';
import type { Redactor } from '../redact.js';

export interface OutputStream {
  isTTY?: boolean;
  columns?: number;
  /** Calls `done` once the text has left, or could not. */
  write(text: string, done?: (error?: Error | null) => void): unknown;
}

export interface StreamSource {
  stdin: NodeJS.ReadableStream & { isTTY?: boolean };
  stdout: OutputStream;
  stderr: OutputStream;
  env: Environment;
  /** Taken out of everything that goes to stderr, and the key out of stdout too. */
  secrets: Pick<Redactor, 'add' | 'redact' | 'redactData'>;
}

interface Outlet {
  terminal: boolean;
  /** Whether what stands on it can be drawn over: not where TERM is dumb. */
  redraws: boolean;
  colour: boolean;
  readonly width: number;
}

export interface Streams {
  stdin: StreamSource['stdin'];
  stdinBytes(): AsyncIterable<Uint8Array>;
  env: StreamSource['env'];
  stdinIsTerminal: boolean;
  stdout: Outlet;
  stderr: Outlet;
  /** Data. */
  write(text: string): void;
  /** Waits until stdout has taken everything; what it did not take, and why. */
  unwritten(): Promise<Unwritten | undefined>;
  /** Called when stdout first fails. */
  onBroken(callback: (cause: Error) => void): void;
  /** Everything else, with secrets taken out. */
  writeError(text: string): void;
  /** A line on stderr that stands until anything else is written; only where it can be drawn over. */
  status(text: string | undefined): void;
  redact(text: string): string;
}

/** Text that stdout did not take. */
export interface Unwritten {
  cause: NodeJS.ErrnoException;
  text: string;
}

const DEFAULT_WIDTH = 80;
/** How much of a lost output is kept: the outcome of a command fits, and a long list can be printed again. */
const MAX_KEPT = 64 * 1024;
const CLEAR_LINE = '\r\u001B[2K';

function wantsColour(terminal: boolean, env: StreamSource['env']): boolean {
  const forced = env['FORCE_COLOR'];
  if (forced !== undefined) return forced !== '0' && forced !== 'false';
  if (env['NO_COLOR'] || env['TERM'] === 'dumb') return false;
  return terminal;
}

function outlet(stream: OutputStream, env: StreamSource['env']): Outlet {
  const terminal = stream.isTTY === true;
  return {
    terminal,
    redraws: terminal && env['TERM'] !== 'dumb',
    colour: wantsColour(terminal, env),
    get width() {
      return stream.columns !== undefined && stream.columns > 0 ? stream.columns : DEFAULT_WIDTH;
    },
  };
}

/** Node throws where it writes at once, to a file or a device, and calls back where it does not. */
function writeSafely(stream: OutputStream, text: string, done: (error?: Error | null) => void): void {
  try {
    stream.write(text, done);
  } catch (error) {
    done(error as Error);
  }
}

/** Keeps what stdout does not take: the disk is full, or the reader is gone. */
function createDataWriter(stream: () => OutputStream): Pick<Streams, 'write' | 'unwritten' | 'onBroken'> {
  let lost: Unwritten | undefined;
  let written = Promise.resolve();
  let tellBroken: (cause: Error) => void = () => {};

  function lose(cause: Error, text: string): void {
    if (lost === undefined) tellBroken(cause);
    lost ??= { cause, text: '' };
    lost.text = (lost.text + text).slice(0, MAX_KEPT);
  }

  return {
    write(text) {
      // A stream takes one text after the other: with the last one all have left.
      const { promise, resolve } = Promise.withResolvers<void>();
      written = promise;
      writeSafely(stream(), text, (error) => {
        if (error) lose(error, text);
        resolve();
      });
    },
    async unwritten() {
      await written;
      return lost;
    },
    onBroken(callback) {
      tellBroken = callback;
    },
  };
}

export function createStreams(source: StreamSource): Streams {
  // It may be pasted where a payment belongs. Not in data: `sandbox env` prints the same key.
  source.secrets.add(source.env['PAYDESK_API_KEY']);
  const data = createDataWriter(() => source.stdout);
  const redact = (text: string) => source.secrets.redact(text);
  // There is nowhere left to tell that stderr failed.
  const writeNote = (text: string) => writeSafely(source.stderr, text, () => {});
  const stderr = outlet(source.stderr, source.env);
  let hasStatus = false;
  const clearStatus = () => {
    if (hasStatus) writeNote(CLEAR_LINE);
    hasStatus = false;
  };
  return {
    // Made by Node when it is first asked for, which takes its time and few commands need.
    stdinBytes: () => bytesOf(source.stdin),
    get stdin() {
      return source.stdin;
    },
    get stdinIsTerminal() {
      return source.stdin.isTTY === true;
    },
    env: source.env,
    stdout: outlet(source.stdout, source.env),
    stderr,
    write(text) {
      clearStatus();
      data.write(source.secrets.redactData(text));
    },
    unwritten: data.unwritten,
    onBroken: data.onBroken,
    writeError(text) {
      clearStatus();
      writeNote(redact(text));
    },
    status(text) {
      clearStatus();
      if (text === undefined || !stderr.redraws) return;
      writeNote(redact(text));
      hasStatus = true;
    },
    redact,
  };
}

async function* bytesOf(stream: NodeJS.ReadableStream): AsyncGenerator<Uint8Array> {
  for await (const chunk of stream) yield typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
}
