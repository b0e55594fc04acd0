// csv-parse reads a file and counts its records.
import { createReadStream } from 'node:fs';
import { parse } from 'csv-parse';

let records = 0;
createReadStream(process.argv[2])
  .pipe(parse())
  .on('data', () => (records += 1))
  .on('end', () => process.stdout.write(`${records}\n`));
