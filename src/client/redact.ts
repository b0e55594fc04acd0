// What leaves the client in errors and events must not give away the key or an address that is a secret.

const HIDDEN_KEY = '(API key)';

/** Takes a key out of any text that the service sent; very short keys would be found everywhere. */
export function createScrubber(key: string): (text: string) => string {
  if (key.length < 6) return (text) => text;
  const forms = new Set([key, JSON.stringify(key).slice(1, -1), encodeURIComponent(key)]);
  return (text) => {
    let clean = text;
    for (const form of forms) if (clean.includes(form)) clean = clean.replaceAll(form, HIDDEN_KEY);
    return clean;
  };
}

/** Checkout and panel links let anyone in who has them: only their origin is shown. */
export function hideLinks(text: string): string {
  return text.replaceAll(
    /(https?:(?:\/|\\\/){2})(?:[^\s"'<>\\/?#@]*@)?([^\s"'<>\\/?#@]+)[^\s"'<>]*/gi,
    '$1$2/(hidden)',
  );
}
