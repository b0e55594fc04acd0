// A file that is named on the command line, or piped in: it may be read more than once.

import { keepPiped } from '../import/order-file.js';
import { encodingLines } from '../output/views/batch-plan.js';
import { openTextFile, type TextFile } from '../spreadsheet/text.js';
import type { CommandContext } from './context.js';

/** `-` is standard input, which is kept in a file until the command ends. */
export async function inputPath(context: CommandContext, file: string): Promise<string> {
  if (file !== '-') return file;
  const { path, close } = await keepPiped(context.streams.stdinBytes());
  context.atEnd(close);
  return path;
}

/** A CSV; a note says so where it is not UTF-8. */
export async function openCsv(context: CommandContext, file: string): Promise<TextFile> {
  const text = await openTextFile(await inputPath(context, file));
  context.note(...encodingLines(text));
  return text;
}
