/** What can move a cursor, change colours, reorder or hide text; `except` may stand (line ends, tabs). */
export function unprintable(text: string, except = ''): string[] {
  const found = text.match(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\u{E0000}-\u{E0FFF}]/gu) ?? [];
  return found.filter((character) => !except.includes(character));
}
