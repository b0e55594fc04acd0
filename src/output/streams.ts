// Where output goes: which stream is a terminal, whether colour is wanted, how wide it is.

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
  /** Applied to everything that goes to stderr. */
  redact?: (text: string) => string;
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
  redact(text: string): string;
}

const DEFAULT_WIDTH = 80;

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
  const redact = source.redact ?? ((text: string) => text);
  return {
    stdin: source.stdin,
    env: source.env,
    stdinIsTerminal: source.stdin.isTTY === true,
    stdout: outlet(source.stdout, source.env),
    stderr: outlet(source.stderr, source.env),
    write: (text) => void source.stdout.write(text),
    writeError: (text) => void source.stderr.write(redact(text)),
    redact,
  };
}
