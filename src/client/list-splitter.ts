// Cuts the elements out of a list that is still arriving, so that a page of any size needs the memory of one.

import { parseJson, type JsonValue } from '../contract/json.js';
import { BodyLost } from './exchange.js';
import { failure } from './failures.js';

const QUOTE = 0x22;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

const LIST_KEY =
  /"(?:items|customers|data|results|records|content|value|entries|rows|elements|list|Resources)"\s*:\s*$/;
const MAX_PART = 4 * 1024 * 1024;

interface ListSplitter {
  /** The JSON texts of the elements that are complete with this piece. */
  push(text: string): string[];
  /** The answer with its list left empty, or undefined when it was cut short. */
  end(): JsonValue | undefined;
  hasList(): boolean;
}

export function createListSplitter(): ListSplitter {
  let depth = 0;
  let inString = false;
  let escaped = false;
  let listDepth: number | undefined;
  let listSeen = false;
  /** What is neither cut out nor dropped yet: the current element in the list, the envelope outside it. */
  let pending = '';
  let envelope = '';

  const keep = (text: string) => {
    pending += text;
    if (pending.length > MAX_PART)
      throw new BodyLost(failure('too-large', 'one part of the list is too large', true));
  };

  return {
    push(text) {
      const elements: string[] = [];
      let from = 0;
      const take = (to: number): string => {
        keep(text.slice(from, to));
        from = to + 1;
        const part = pending.trim();
        pending = '';
        return part;
      };
      for (let at = 0; at < text.length; at += 1) {
        const code = text.charCodeAt(at);
        if (inString) {
          if (escaped) escaped = false;
          else if (code === BACKSLASH) escaped = true;
          else if (code === QUOTE) inString = false;
        } else if (code === QUOTE) {
          inString = true;
        } else if (code === OPEN_OBJECT || code === OPEN_LIST) {
          depth += 1;
          if (code === OPEN_LIST && !listSeen && depth <= 3) {
            const before = (pending + text.slice(from, at)).slice(-64);
            if (depth === 1 || LIST_KEY.test(before)) {
              envelope += `${take(at)}[`;
              listDepth = depth;
              listSeen = true;
            }
          }
        } else if (code === COMMA && depth === listDepth) {
          elements.push(take(at));
        } else if (code === CLOSE_OBJECT || code === CLOSE_LIST) {
          if (depth === listDepth) {
            const last = take(at);
            if (last !== '') elements.push(last);
            envelope += ']';
            listDepth = undefined;
          }
          depth -= 1;
        }
      }
      keep(text.slice(from));
      return elements;
    },
    end() {
      if (depth !== 0 || inString) return undefined;
      try {
        return parseJson(envelope + pending);
      } catch {
        return undefined;
      }
    },
    hasList: () => listSeen,
  };
}
