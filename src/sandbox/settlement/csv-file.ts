import { stringify } from 'csv-stringify/sync';
import { signed } from './defects.js';
import type { BookEntry } from './entries.js';
import type { FileFormat } from './file-format.js';

const HEADER = 'booked_at,type,provider_reference,capture_id,merchant_reference,amount,fee,net,currency';

export const csvFile: FileFormat = {
  mediaType: 'text/csv',
  firstLine: 2,
  begin: () => `${HEADER}\n`,
  write: (entries) => stringify(entries.map(cellsOf)),
  end: () => '',
};

const cellsOf = (entry: BookEntry): string[] => [
  new Date(entry.bookedAt).toISOString(),
  entry.type,
  entry.providerReference,
  entry.captureId,
  entry.reference,
  signed(entry.amount),
  signed(entry.fee),
  signed(entry.amount - entry.fee),
  entry.currency,
];
