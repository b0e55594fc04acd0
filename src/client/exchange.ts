// What one attempt at a request came to. A transport never throws: how far a request got is its result.

import type { JsonValue } from '../contract/json.js';

export type FailureReason =
  | 'refused'
  | 'name-not-found'
  | 'name-lookup-failed'
  | 'unreachable'
  | 'connect-timeout'
  | 'tls'
  | 'proxy-unreachable'
  | 'proxy-credentials'
  | 'proxy-refused'
  | 'reset'
  | 'closed'
  | 'headers-timeout'
  | 'body-timeout'
  | 'cut'
  | 'malformed'
  | 'too-large'
  | 'time-up'
  | 'aborted'
  | 'late'
  | 'other';

export interface Failure {
  reason: FailureReason;
  /** For a person; never holds anything of the request. */
  message: string;
  /** Trying again cannot help. */
  permanent: boolean;
}

export interface SendRequest {
  method: string;
  /** Path and query below the origin of the base URL. */
  path: string;
  headers: Record<string, string>;
  body?: string;
  /** Over a connection of its own, closed afterwards. */
  fresh: boolean;
  /** The time for the whole attempt; for a `stream`, until the headers have arrived. */
  limitMs: number;
  /** The body of a success is read piece by piece and may be of any size. */
  stream?: boolean;
  signal?: AbortSignal;
  /** Asked right before the first byte is written; where it says no, nothing is. */
  beforeFirstByte?: () => boolean;
}

/** Keeps an instruction from leaving late: its process may have slept while somebody else took over. */
export interface Fence {
  /** Before each attempt. Throws when the instruction must not be sent any more. */
  beforeAttempt(attempt: number): Promise<void>;
  beforeFirstByte(): boolean;
}

/** It provably never left. */
export interface Unsent {
  kind: 'unsent';
  failure: Failure;
}

/** Bytes may have left, and there is no complete answer. `status` is known when only the body is missing. */
export interface Lost {
  kind: 'lost';
  failure: Failure;
  status?: number;
}

/** What an answer says. */
export interface Answer {
  httpStatus: number;
  headers: Record<string, string>;
  requestId?: string;
  text: string;
  /** The JSON of the body whatever its content type says; undefined when it is empty or not JSON. */
  raw: JsonValue | undefined;
  /** Empty or JSON. */
  readable: boolean;
}

export interface AnswerExchange {
  kind: 'answer';
  status: number;
  headers: Record<string, string>;
  body: string;
  /** What it says, once `readAnswer` was asked: that is asked more than once, and reading it takes time. */
  read?: Answer;
}

export type Exchange = AnswerExchange | Unsent | Lost;

/** An answer whose body is still to be read. Reading it may throw a `BodyLost`. */
export interface OpenAnswer {
  kind: 'open';
  status: number;
  headers: Record<string, string>;
  body: AsyncIterable<Uint8Array>;
  /** Takes the key out of text that is made of the body. */
  scrub?: (text: string) => string;
}

export interface Transport {
  send(request: SendRequest): Promise<Exchange | OpenAnswer>;
  close(): Promise<void>;
}

export class BodyLost extends Error {
  readonly failure: Failure;

  constructor(failure: Failure) {
    super(failure.message);
    this.failure = failure;
  }
}
