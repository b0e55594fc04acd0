// What a tunnel is: a public address that leads to a port of this machine, made by something that runs elsewhere.

import type { PaydeskError } from '../../errors.js';
import type { Line } from '../../output/lines.js';

export interface TunnelStart {
  localPort: number;
  /** Ends the start, and whatever it has begun. */
  signal: AbortSignal;
  /** Things that a person should know meanwhile. */
  note: (...lines: Line[]) => void;
  /** Whether somebody sits at a terminal who can be asked. */
  interactive: boolean;
  /** The address of the connection before this one, to be kept where that is possible; not when it is lost. */
  previousUrl?: string | undefined;
  /** Counts from 1, and starts again after each drop. */
  attempt: number;
}

/** A way to be reached. It makes connections; that one is alive is for a probe to say, and supervision replaces it. */
export interface Tunnel {
  /** As it is typed after `--tunnel`, without a secret in it. */
  readonly name: string;
  /** Somebody else's machine can read what passes. */
  readonly thirdParty: boolean;
  /** How long a new connection may take until a probe comes back through it. */
  readonly readyMs: number;
  /** How long one that stopped answering is given to recover before it is replaced. */
  readonly reconnectMs: number;
  /** Rejects with a TemporaryError when another attempt may succeed, with any other error when none will. */
  start(options: TunnelStart): Promise<TunnelConnection>;
}

export interface TunnelConnection {
  /** Public origin, without a path and without a slash at its end. Some providers give another one while it runs. */
  readonly url: string;
  /** Resolves with the reason once it has ended by itself; a TemporaryError when another attempt may succeed. */
  readonly ended: Promise<PaydeskError>;
  /** Ends it and every process that it runs; resolves when they are gone. */
  stop(): Promise<void>;
}

export type TunnelEvent =
  | { type: 'down'; why: string }
  | { type: 'up'; downMs: number }
  /** Comes just before the `up` of a tunnel that got another address. */
  | { type: 'url-changed'; url: string; previous: string }
  /** The last event: it is given up. The error says why and has the exit code. */
  | { type: 'failed'; error: PaydeskError };

/** A tunnel that was seen to work, watched and reconnected until it is stopped. */
export interface TunnelRun {
  readonly name: string;
  /** Public origin as it is now, without a path and without a slash at its end. */
  readonly url: string;
  on(listener: (event: TunnelEvent) => void): void;
  stop(): Promise<void>;
}
