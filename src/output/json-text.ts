import { type JsonValue, parseJson } from '../contract/json.js';

/** A long JSON document on its way out: written as it comes, or whole where it is to be filtered. */
export async function printJsonText(
  text: AsyncIterable<string>,
  { filtered, write }: { filtered: boolean; write: (text: string) => void },
): Promise<JsonValue | undefined> {
  if (filtered) return parseJson((await Array.fromAsync(text)).join(''));
  for await (const part of text) write(part);
  return undefined;
}
