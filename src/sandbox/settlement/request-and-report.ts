// What a settlement file is asked for with, and what is reported about one.

import * as z from 'zod/mini';
import { described } from '../../contract/described.js';
import { instant } from '../../contract/fields.js';
import { defectNames } from './defects.js';
import { settlementFormats } from './file-format.js';

export const settlementQuery = z.object({
  appId: z.optional(z.string()),
  provider: z.optional(z.string()),
  defects: z.optional(z.string()),
  seed: z.optional(z.string().check(z.regex(/^\d{1,15}$/, 'must be a whole number'))),
  since: z.optional(instant),
  until: z.optional(instant),
  format: z.optional(z.enum(settlementFormats, `must be one of ${settlementFormats.join(', ')}`)),
});
export type SettlementRequest = z.infer<typeof settlementQuery>;

const plantedDefect = described(
  z.object({
    kind: z.enum(defectNames),
    line: described(z.nullable(z.int()), {
      description: 'The line of the CSV or the number of the entry in XML; null for a line that is left out.',
    }),
    paymentId: described(z.nullable(z.int()), { description: 'Null when the service has no such payment.' }),
    referenceId: z.string(),
    detail: z.string(),
  }),
  { id: 'PlantedDefect' },
);
export type PlantedDefect = z.infer<typeof plantedDefect>;

export const settlementReport = described(
  z.object({
    seed: z.int(),
    until: described(z.string(), {
      format: 'date-time',
      description: 'Asked for with this `until`, the file has these defects.',
    }),
    lines: described(z.int(), { description: 'Without the header.' }),
    planted: z.array(plantedDefect),
  }),
  { id: 'SettlementReport', description: 'What was planted in a settlement file.' },
);
export type SettlementReport = z.infer<typeof settlementReport>;
