// A provider's file, whatever its format: XML is recognised by its first character, anything else is a CSV.

import { UsageError } from '../errors.js';
import { paydesk } from '../next-command.js';
import { openTextFile, readFileBytes, type TextFile } from '../spreadsheet/text.js';
import { readCamt } from './camt/reader.js';
import { parseMapping, tellsRefunds } from './csv/mapping.js';
import { createCsvReader } from './csv/reader.js';
import type { SettlementReader } from './line.js';

interface SettlementFile {
  read: SettlementReader;
  file: TextFile;
  /** Otherwise only the signs of the amounts can say which lines are refunds. */
  tellsRefunds: boolean;
}

/** How to read the file. `name` is what the person typed. */
export async function chooseReader(
  path: string,
  { name, map }: { name: string; map: string | undefined },
): Promise<SettlementFile> {
  if (await isXml(path)) {
    if (map === undefined)
      return {
        read: readCamt,
        file: { encoding: 'UTF-8', bytes: () => readFileBytes(path) },
        tellsRefunds: true,
      };
    throw new UsageError(`${name} is XML and needs no mapping: leave out --map. Nothing was read.`, {
      code: 'mapping-not-needed',
    });
  }
  if (map === undefined) {
    if ((await readHead(path)).trim() === '')
      throw new UsageError(`${name} is empty. Nothing was read.`, { code: 'bad-file' });
    throw new UsageError(`paydesk does not know the columns of ${name} yet. Nothing was read.`, {
      code: 'no-mapping',
      next: [paydesk('reconcile', 'map', name)],
    });
  }
  const mapping = parseMapping(map, await readMapping(map));
  return {
    read: createCsvReader(mapping),
    file: await openTextFile(path),
    tellsRefunds: tellsRefunds(mapping),
  };
}

const HEAD_LENGTH = 1024;

export const isXml = async (path: string): Promise<boolean> =>
  /^(\u00EF\u00BB\u00BF|\u00FF\u00FE|\u00FE\u00FF)?[\s\0]*</.test(await readHead(path));

/** The first bytes of a file, up to some that are not white space. */
async function readHead(path: string): Promise<string> {
  let text = '';
  for await (const bytes of readFileBytes(path)) {
    text += Buffer.from(bytes).toString('latin1', 0, HEAD_LENGTH);
    if (text.trim() !== '' || text.length > HEAD_LENGTH) break;
  }
  return text;
}

async function readMapping(file: string): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of readFileBytes(file)) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}
