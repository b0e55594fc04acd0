import { readFileSync } from 'node:fs';
import type { TlsMaterial } from '../client/dispatchers.js';
import { ProfileError, UsageError } from '../errors.js';
import { fileProblem } from '../file-problem.js';

/** Certificates of a profile, by their paths. */
export interface TlsFiles {
  /** Trusted instead of the authorities that Node knows. */
  caFile?: string;
  /** What the service knows this desk by; always with its key. */
  clientCert?: string;
  clientKey?: string;
}

/** Reads the files and checks that they can be used. Nothing of a key is ever part of an error. */
export async function readTlsFiles({ caFile, clientCert, clientKey }: TlsFiles): Promise<TlsMaterial> {
  if (caFile === undefined && clientCert === undefined && clientKey === undefined) return {};
  const { X509Certificate, createPrivateKey } = await import('node:crypto');
  const certificateIn = (path: string, what: string) => {
    const text = readText(path, what);
    try {
      return { text, certificate: new X509Certificate(text) };
    } catch (cause) {
      throw unusable(path, what, 'it has no certificate in PEM format', cause);
    }
  };
  const ca = caFile === undefined ? {} : { ca: certificateIn(caFile, 'CA file').text };
  if (clientCert === undefined && clientKey === undefined) return ca;
  if (clientCert === undefined || clientKey === undefined) {
    throw new UsageError('A client certificate and its key belong together. Nothing was changed.', {
      code: 'client-cert-incomplete',
      saysNothingSent: true,
      details: 'Use --client-cert and --client-key together. To remove them, leave both values empty.',
    });
  }
  const { text: cert, certificate } = certificateIn(clientCert, 'client certificate');
  const key = readText(clientKey, 'client key');
  let privateKey: ReturnType<typeof createPrivateKey>;
  try {
    privateKey = createPrivateKey(key);
  } catch (cause) {
    const encrypted = /ENCRYPTED/.test(key);
    const why = encrypted ? 'it has a passphrase; store it without one' : 'it has no key in PEM format';
    throw unusable(clientKey, 'client key', why, cause);
  }
  if (!certificate.checkPrivateKey(privateKey))
    throw unusable(clientKey, 'client key', `it does not belong to ${clientCert}`);
  return { ...ca, cert, key };
}

function readText(path: string, what: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    throw unusable(path, what, fileProblem(cause), cause);
  }
}

function unusable(path: string, what: string, why: string, cause?: unknown): ProfileError {
  return new ProfileError(`The ${what} ${path} cannot be used: ${why}. Nothing was sent.`, {
    code: 'tls-file',
    saysNothingSent: true,
    cause,
  });
}
