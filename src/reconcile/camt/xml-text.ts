import type { Fail } from './xml-problem.js';

// oxlint-disable-next-line no-control-regex -- these are what XML forbids
const ILLEGAL = /[\u0000-\u0008\u000B\u000C\u000E-\u001F\uFFFE\uFFFF]/;

/** Where the first character is that no XML may contain, or -1. */
export const illegalCharacter = (text: string): number => text.search(ILLEGAL);

const named: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

/** The text with its references replaced. None is longer than what stands for it, so nothing can grow. */
export function decodeReferences(text: string, fail: Fail): string {
  if (!text.includes('&')) return text;
  return text.replaceAll(/&([^;&<\s]{0,16});|&/g, (whole, name: string | undefined, offset: number) => {
    if (name === undefined) return fail('write & as &amp;', offset);
    return (
      (Object.hasOwn(named, name) ? named[name] : numbered(name)) ??
      fail(`the reference ${whole} is not allowed`, offset)
    );
  });
}

function numbered(name: string): string | undefined {
  const [, hex, decimal] = /^#(?:x([0-9a-f]{1,6})|(\d{1,7}))$/i.exec(name) ?? [];
  if (hex === undefined && decimal === undefined) return undefined;
  const code = Number.parseInt(hex ?? decimal ?? '', hex === undefined ? 10 : 16);
  if (code > 0x10_ff_ff || (code >= 0xd8_00 && code <= 0xdf_ff)) return undefined;
  const character = String.fromCodePoint(code);
  return illegalCharacter(character) < 0 ? character : undefined;
}
