// A file that is named on the command line, or piped in: it may be read more than once.

import { createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { encodingLines } from '../../output/views/sheet.js';
import { openTextFile, type TextFile } from '../../spreadsheet/text.js';
import type { CommandContext } from '../runtime/context.js';

/** `-` is standard input, which is kept in a file until the command ends. */
export async function inputPath(context: CommandContext, file: string): Promise<string> {
  if (file !== '-') return file;
  const folder = await mkdtemp(join(tmpdir(), 'paydesk-input-'));
  context.atEnd(() => rm(folder, { recursive: true, force: true }));
  const path = join(folder, 'piped');
  await pipeline(context.streams.stdinBytes(), createWriteStream(path, { mode: 0o600 }));
  return path;
}

/** A CSV; a note says so if it is not UTF-8. */
export async function openCsv(context: CommandContext, file: string): Promise<TextFile> {
  const text = await openTextFile(await inputPath(context, file));
  context.note(...encodingLines(text));
  return text;
}
