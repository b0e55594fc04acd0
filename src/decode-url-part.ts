/** The text without percent-encoding, or as it is where the encoding is not valid. */
export function decodeUrlPart(text: string): string {
  if (!text.includes('%')) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
