import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { stepsOf } from './page.js';
import { createReader, type Reader } from './reader.js';
import { createScreen } from '../helpers/screen.js';

let reader: Reader;
beforeAll(async () => {
  reader = await createReader();
});
afterAll(() => reader.close());

const block = (text: string, info = 'console') => `\`\`\`${info}\n${text}\n\`\`\`\n`;

async function problems(page: string): Promise<Array<string | undefined>> {
  const found: Array<string | undefined> = [];
  for (const step of stepsOf(page)) found.push((await reader.take(step)).problem);
  return found;
}

describe('a page that is read', () => {
  it('is true when everything is printed as it shows', async () => {
    const page = [
      block('hello from a file', 'txt note.txt'),
      block('$ cat note.txt\nhello from a file\n$ paydesk payments\\\n  gte\nError: x'),
    ].join('\n');
    const [file, cat, wrong] = await problems(page);
    expect([file, cat]).toEqual([undefined, undefined]);
    expect(wrong).toContain('shown:   Error: x');
  });

  it('is stale when a line, an exit code or the end differs', async () => {
    const failing = '$ paydesk whoami --jq .appId 2> why.txt';
    expect(await problems(block(`${failing}\nnull\n$ echo $?\n4`))).toEqual([undefined, undefined]);
    expect(await problems(block(`${failing}\n…\n$ echo …\n…`))).toEqual(['it ended with 4', undefined]);
    expect(await problems(block('$ false\n$ echo $?\n0'))).toEqual([undefined, expect.stringContaining('1')]);
    expect(await problems(block('$ printf "a\\nb\\n"\na'))).toEqual([expect.stringContaining('printed: b')]);
    expect(await problems(block('$ true\nmore'))).toEqual([expect.stringContaining('nothing more')]);
  });

  it('goes on while a command runs in a terminal of its own', async () => {
    const page = [
      block('$ echo ready; cat\nready', 'console other'),
      block('$ echo meanwhile\nmeanwhile'),
      block('ready', 'console other'),
    ].join('\n');
    expect(await problems(page)).toEqual([undefined, undefined, undefined]);
  });

  it('answers what it is told to answer', async () => {
    const page = `<!-- at "name?" type "Ada" -->\n\n${block('$ read -p "name? " name; echo "hello $name"\nname? Ada\nhello Ada')}`;
    expect(await problems(page)).toEqual([undefined]);
  });
});

it('a screen shows what is left after everything that was written to it', () => {
  const screen = createScreen(10);
  screen.write('one\r\ntwo\r\n\u001B[1A\u001B[2Kzwei\r\n\u001B[32mgreen\u001B[39m a long line that wraps');
  expect(screen.lines()).toEqual(['one', 'zwei', 'green a long line that wraps']);
  expect(screen.cells()[2]?.[0]).toEqual({ text: 'g', style: '32' });
  screen.write('\u001B[?1049h\u001B[2Jother\u001B[?1049l');
  expect(screen.lines()).toContain('zwei');
});
