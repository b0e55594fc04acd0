import { Refusal } from '../domain/refusal.js';

type Header = (name: string) => string | undefined;

/** Refuses a body that says it is compressed or not in UTF-8: read as plain UTF-8, it could mean something else. */
export function requirePlainBody(header: Header): void {
  const encoding = header('content-encoding');
  if (encoding !== undefined && !isPlain(encoding)) {
    throw new Refusal(
      'unsupported-media-type',
      `Send the body as it is: the sandbox does not take Content-Encoding ${encoding}.`,
      { headers: { 'accept-encoding': 'identity' } },
    );
  }
  const type = header('content-type');
  // Most requests name no parameters.
  const charset = type?.includes(';') ? charsetOf(type) : undefined;
  if (charset === undefined || /^utf-?8$/i.test(charset)) return;
  throw new Refusal(
    'unsupported-media-type',
    `Send the body in UTF-8: the sandbox does not take charset=${charset}.`,
  );
}

const isPlain = (encoding: string): boolean =>
  encoding.split(',').every((coding) => ['', 'identity'].includes(coding.trim().toLowerCase()));

function charsetOf(type: string): string | undefined {
  const parameters = type.matchAll(/;\s*([^\s=;]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^;]*))/g);
  const [, , quoted, bare] = parameters.find(([, name]) => name?.toLowerCase() === 'charset') ?? [];
  return quoted ?? bare?.trim();
}
