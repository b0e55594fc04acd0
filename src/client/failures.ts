// Only the code and the name of an error are used: its own text and properties may hold headers of the request.

import type { Failure, FailureReason } from './exchange.js';

const known: Record<string, [FailureReason, string]> = {
  ECONNREFUSED: ['refused', 'the connection was refused'],
  ENOTFOUND: ['name-not-found', 'the host name was not found'],
  EAI_AGAIN: ['name-lookup-failed', 'the host name could not be looked up'],
  EHOSTUNREACH: ['unreachable', 'the host cannot be reached'],
  ENETUNREACH: ['unreachable', 'the network cannot be reached'],
  EADDRNOTAVAIL: ['unreachable', 'no local address was available'],
  ETIMEDOUT: ['connect-timeout', 'the connection timed out'],
  UND_ERR_CONNECT_TIMEOUT: ['connect-timeout', 'connecting took too long'],
  ECONNRESET: ['reset', 'the connection was reset'],
  EPIPE: ['reset', 'the connection was closed while sending'],
  UND_ERR_SOCKET: ['closed', 'the other side closed the connection'],
  UND_ERR_HEADERS_TIMEOUT: ['headers-timeout', 'no answer arrived in time (read timeout)'],
  UND_ERR_BODY_TIMEOUT: ['body-timeout', 'the answer stopped before its end (read timeout)'],
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: ['cut', 'the answer was cut short'],
  UND_ERR_HEADERS_OVERFLOW: ['malformed', 'the headers of the answer are too large'],
};

/** What a code of Node or undici means, for people. */
export const failureMessage = (code: string): string | undefined => known[code]?.[1];

/** A connection that was never established, and why: nothing of the request was written. */
export class ConnectFailure extends Error {
  readonly failure: Failure;

  constructor(why: Failure) {
    super(why.message);
    this.failure = why;
  }
}

/** `connecting` says that the failure came before the first byte of the request. */
export function failureOf(error: unknown, connecting: boolean): Failure {
  if (error instanceof ConnectFailure) return error.failure;
  const code = codeOf(error);
  if (connecting && isTls(code)) {
    return { reason: 'tls', message: `the TLS handshake failed (${code})`, permanent: true };
  }
  // With TLS 1.3 a service looks at the certificate of the client when the client is already sending.
  if (code !== undefined && /ALERT_(CERTIFICATE_REQUIRED|BAD_CERTIFICATE|UNKNOWN_CA)/.test(code)) {
    return failure('tls', `the service did not accept a client certificate (${code})`, true);
  }
  if (connecting && code === 'ECONNRESET') {
    return failure('reset', 'the connection was closed while it was set up', false);
  }
  const found = code === undefined ? undefined : known[code];
  if (found) return failure(found[0], found[1], found[0] === 'name-not-found');
  if (error instanceof Error && error.name === 'HTTPParserError') {
    return failure('malformed', 'the answer is not HTTP/1.1', false);
  }
  return failure('other', `the connection failed${code ? ` (${code})` : ''}`, false);
}

export function failure(reason: FailureReason, message: string, permanent: boolean): Failure {
  return { reason, message, permanent };
}

function codeOf(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null) return undefined;
  if ('code' in error && typeof error.code === 'string') return error.code.slice(0, 60);
  if (error instanceof AggregateError) return codeOf(error.errors[0]);
  return undefined;
}

function isTls(code: string | undefined): boolean {
  return (
    code !== undefined &&
    (/^(ERR_SSL_|ERR_TLS_|CERT_|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|EPROTO$)/.test(code) ||
      ['HOSTNAME_MISMATCH', 'INVALID_CA', 'INVALID_PURPOSE', 'PATH_LENGTH_EXCEEDED'].includes(code))
  );
}
