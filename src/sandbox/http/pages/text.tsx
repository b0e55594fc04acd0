// Text that a merchant, a customer or a caller wrote: shown as it is, but never in command of the page around it.

/**
 * Characters that turn text around or cannot be seen. The joiners U+200C and U+200D stay: Persian and emoji need them,
 * and they move nothing.
 */
const steering = /(?![\t\n\r])[\p{Cc}\u00AD\u061C\u200B\u200E\u200F\u2028-\u202E\u2060-\u206F\uFEFF]/gu;

/** Writes such characters out, as the desk does: `\u202E`. */
export function plain(text: string): string {
  return text.replaceAll(
    steering,
    (character) => `\\u${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}`,
  );
}

/** Keeps its own direction, so that right-to-left text does not reorder what stands beside it. */
export function Text({ of }: { of: string }) {
  return <bdi>{plain(of)}</bdi>;
}
