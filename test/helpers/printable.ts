import fc from 'fast-check';

/** Any character of Unicode. The unit of fast-check with this meaning makes a list of all of them first. */
export const anyCharacter = fc
  .integer({ min: 0, max: 0x10_ff_ff - 0x8_00 })
  .map((at) => String.fromCodePoint(at < 0xd8_00 ? at : at + 0x8_00));

/** What can move a cursor, change colours, reorder or hide text; `except` may stand (line ends, tabs). */
export function unprintable(text: string, except = ''): string[] {
  // Between two emoji the joiner only makes one picture of them.
  const joined = text.replaceAll(
    /(?<=\p{Extended_Pictographic}(?:\u{FE0F}|[\u{1F3FB}-\u{1F3FF}])?)\u200D(?=\p{Extended_Pictographic})/gu,
    '',
  );
  const found = joined.match(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\u{E0000}-\u{E0FFF}]/gu) ?? [];
  return found.filter((character) => !except.includes(character));
}
