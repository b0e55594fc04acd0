/** The text without percent-encoding, or as it is where the encoding is not valid. */
export function decodeUrlPart(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
