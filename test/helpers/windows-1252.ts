// Text as Excel saves it on a German Windows.

/** The characters of the bytes 0x80 to 0x9F; a space where Windows-1252 has none. */
const special = '€ ‚ƒ„…†‡ˆ‰Š‹Œ Ž  ‘’“”•–—˜™š›œ žŸ';

/** Every character of Windows-1252 that is not ASCII. */
export const beyondAscii = [
  ...special.replaceAll(' ', '').split(''),
  ...Array.from({ length: 0x60 }, (_, index) => String.fromCodePoint(0xa0 + index)),
];

export function windows1252(text: string): Buffer {
  return Buffer.from(
    Array.from(text, (letter) => {
      const at = letter === ' ' ? -1 : special.indexOf(letter);
      const byte = at < 0 ? letter.codePointAt(0)! : 0x80 + at;
      if (byte > 0xff) throw new Error(`Windows-1252 has no ${letter}`);
      return byte;
    }),
  );
}
