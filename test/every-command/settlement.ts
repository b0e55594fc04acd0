import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Words with which reconcile works: a file of a provider with one payout, and its mapping. */
export function settlementWords(folder: string): string[] {
  const [file, map] = [join(folder, 'provider.csv'), join(folder, 'provider.yaml')];
  writeFileSync(file, 'date,type,amount,currency,reference\n2019-01-01,payout,-5.00,EUR,\n');
  writeFileSync(
    map,
    'columns: { at: date, kind: type, amount: amount, currency: currency, reference: reference }\n',
  );
  return [file, '--map', map];
}
