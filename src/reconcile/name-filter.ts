// Tells quickly that a text is no name of a payment. A million lines have many texts, and hardly any of them is one.

import { type UnpunctuatedId, isContained } from './id-without-punctuation.js';

const BITS = 1 << 26;

interface NameFilter {
  add(name: string): void;
  /** The texts of an ID that may be names: all of it, and what it contains. */
  possibleNames(id: UnpunctuatedId): string[];
}

export function createNameFilter(): NameFilter {
  const bits = new Uint8Array(BITS / 8);
  /** By the length of names: whether there are any. */
  const lengths: boolean[] = [];
  return {
    add(name) {
      let hash = START;
      for (let at = 0; at < name.length; at += 1) hash = nextHash(hash, name.charCodeAt(at));
      bits[byteOf(hash)]! |= bitOf(hash);
      for (let length = lengths.length; length < name.length; length += 1) lengths[length] = false;
      lengths[name.length] = true;
    },
    possibleNames(id) {
      const { text } = id;
      const found = new Set<string>();
      for (let start = 0; start < text.length; start += 1) {
        const last = Math.min(text.length, start + lengths.length - 1);
        let hash = START;
        for (let end = start + 1; end <= last; end += 1) {
          hash = nextHash(hash, text.charCodeAt(end - 1));
          if (!lengths[end - start] || !(bits[byteOf(hash)]! & bitOf(hash))) continue;
          // An ID of any length is compared as a whole.
          const isWhole = end - start === text.length;
          if (isWhole || isContained(id, start, end)) found.add(text.slice(start, end));
        }
      }
      return [...found];
    },
  };
}

// The FNV-1a hash. The hash of a text follows from that of the text without its last letter.
const START = 0x811c9dc5;
const nextHash = (hash: number, code: number): number => Math.imul(hash ^ code, 0x01000193);
const byteOf = (hash: number): number => ((hash ^ (hash >>> 26)) & (BITS - 1)) >>> 3;
const bitOf = (hash: number): number => 1 << ((hash ^ (hash >>> 26)) & 7);
