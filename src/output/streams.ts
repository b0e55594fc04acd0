// Where output goes: which stream is a terminal, whether colour is wanted, how wide it is.

import type { Redactor } from '../redact.js';

export interface OutputStream {
  isTTY?: boolean;
  columns?: number;
  write(text: string): unknown;
}

export interface StreamSource {
  stdin: NodeJS.ReadableStream & { isTTY?: boolean };
  stdout: OutputStream;
  stderr: OutputStream;
  env: Readonly<Record<string, string | undefined>>;
  /** Taken out of everything that goes to stderr, and the key out of stdout too. */
  secrets: Pick<Redactor, 'redact' | 'redactData'>;
}

export interface Outlet {
  terminal: boolean;
  colour: boolean;
  width: number;
}

export interface Streams {
  stdin: StreamSource['stdin'];
  env: StreamSource['env'];
  stdinIsTerminal: boolean;
  stdout: Outlet;
  stderr: Outlet;
  /** Data. */
  write(text: string): void;
  /** Everything else, with secrets taken out. */
  writeError(text: string): void;
  /** A line on stderr that stands until anything else is written; only for a terminal. */
  status(text: string | undefined): void;
  redact(text: string): string;
}

const DEFAULT_WIDTH = 80;
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
    colour: wantsColour(terminal, env),
    width: stream.columns !== undefined && stream.columns > 0 ? stream.columns : DEFAULT_WIDTH,
  };
}

export function createStreams(source: StreamSource): Streams {
  const redact = (text: string) => source.secrets.redact(text);
  const stderr = outlet(source.stderr, source.env);
  let hasStatus = false;
  const clearStatus = () => {
    if (hasStatus) source.stderr.write(CLEAR_LINE);
    hasStatus = false;
  };
  return {
    // Made by Node when it is first asked for, which takes its time and few commands need.
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
      source.stdout.write(source.secrets.redactData(text));
    },
    writeError(text) {
      clearStatus();
      source.stderr.write(redact(text));
    },
    status(text) {
      clearStatus();
      if (text === undefined || !stderr.terminal) return;
      source.stderr.write(redact(text));
      hasStatus = true;
    },
    redact,
  };
}
