import type { BookEntry, BooksScope } from './entries.js';

export const settlementFormats = ['csv', 'camt'] as const;

/** Text that is written while it is read, however long it becomes. */
export interface StreamedFile {
  mediaType: string;
  pieces: AsyncIterable<string>;
}

/** How a settlement file is written: its beginning, page by page, its end. */
export interface FileFormat {
  mediaType: string;
  /** Where the first entry stands: its line in a CSV, the number of the entry in XML. */
  firstLine: number;
  begin(about: BooksScope & { provider: string }): string;
  write(entries: readonly BookEntry[]): string;
  end(): string;
}
