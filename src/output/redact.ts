// The one place that takes secrets out of what is printed for people: stderr, debug lines, errors, crashes.

const HIDDEN = '[redacted]';
// Shorter than this is no secret, and hiding it would only garble the text.
const SHORTEST = 4;

const patterns: ReadonlyArray<[RegExp, string]> = [
  [/\b(Bearer|Basic)\s+[^\s"',;]+/gi, `$1 ${HIDDEN}`],
  [/(\b[a-z][a-z0-9+.-]*:\/\/[^\s/:@]*):[^\s/@]+@/gi, `$1:${HIDDEN}@`],
];

export interface Redactor {
  /** Registers a secret; from now on it is hidden wherever it appears, also percent-encoded or inside JSON. */
  add: (secret: string | undefined) => void;
  redact: (text: string) => string;
}

export function createRedactor(): Redactor {
  let known: string[] = [];
  return {
    add(secret) {
      if (secret === undefined || secret.length < SHORTEST) return;
      const forms = [secret, encodeURIComponent(secret.toWellFormed()), JSON.stringify(secret).slice(1, -1)];
      known = [...new Set([...known, ...forms])].sort((a, b) => b.length - a.length);
    },
    redact(text) {
      let result = text;
      for (const secret of known) result = result.replaceAll(secret, HIDDEN);
      for (const [pattern, replacement] of patterns) result = result.replace(pattern, replacement);
      return result;
    },
  };
}

/** The secrets of this process; a crash outside any command is printed through it too. */
export const processSecrets = createRedactor();
