import * as z from 'zod';
import { createFirstApps } from './domain/defaults.js';
import { Refusal } from './domain/refusal.js';
import type { Work } from './domain/work.js';
import type { Engine } from './engine.js';
import { firstIds, restartIds } from './migrations.js';
import { tableNames, type SandboxTables } from './schema.js';
import { startIdsAt } from '../store/store.js';

// The whole database as one document, and back. A document that was exported, imported and exported again is the same.

const FORMAT = 'paydesk-sandbox-1';

const row = z.record(z.string(), z.union([z.string(), z.number(), z.null()]));
const documentSchema = z.strictObject({
  format: z.literal(FORMAT, `is not ${FORMAT}`),
  tables: z.strictObject(
    Object.fromEntries(tableNames.map((name) => [name, z.array(row)])) as Record<
      (typeof tableNames)[number],
      z.ZodArray<typeof row>
    >,
  ),
});

/** What identifies a row, so that the order is the same every time. */
const orders: Partial<Record<keyof SandboxTables, string>> = {
  settings: 'key',
  apps: 'app_id',
  ...Object.fromEntries(Object.entries(firstIds).map(([table, [column]]) => [table, column])),
};

export async function exportAll(engine: Engine): Promise<string> {
  const tables = await engine.store.transaction(async (tx) => {
    const all: Record<string, unknown[]> = {};
    for (const name of tableNames) {
      const order = orders[name] ?? 'id';
      // One snapshot: on PostgreSQL a locked settings row keeps other exports and imports away, not payments.
      const rows = await tx
        .selectFrom(name as 'jobs')
        .selectAll()
        .orderBy(order as 'id')
        .execute();
      all[name] = rows.map((entry) => ({
        ...entry,
        ...(name === 'events' && { lease_until: null, lease_owner: null }),
      }));
    }
    return all;
  });
  return `${JSON.stringify({ format: FORMAT, tables })}\n`;
}

/** All or nothing: a document that cannot be used leaves everything as it was. */
export async function importAll(engine: Engine, text: string): Promise<void> {
  const { tables } = readDocument(text);
  await engine.write(async ({ tx }) => {
    await empty(tx);
    for (const name of tableNames) {
      for (const rows of chunks(tables[name], 50)) {
        await tx
          .insertInto(name as 'settings')
          .values(rows as never)
          .execute();
      }
    }
    for (const [table, [column, first]] of Object.entries(firstIds)) {
      const ids = tables[table as keyof typeof tables].map((entry) => Number(entry[column]));
      await startIdsAt(
        tx,
        table,
        column,
        ids.reduce((highest, value) => Math.max(highest, value + 1), first),
      );
    }
  });
  await engine.reload();
}

function readDocument(text: string): z.infer<typeof documentSchema> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new Refusal('invalid-json', `The document is not valid JSON: ${(error as Error).message}`);
  }
  const parsed = documentSchema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new Refusal(
    'invalid-request',
    `This is not an export of a sandbox: ${issue?.path.join('.') || 'the document'}: ${issue?.message}`,
  );
}

function* chunks<T>(rows: T[], size: number): Generator<T[]> {
  for (let start = 0; start < rows.length; start += size) yield rows.slice(start, start + size);
}

/** Back to the beginning, with the same secret: apps and keys stay as they are, and a seed gives the same again. */
export async function resetAll(work: Work): Promise<void> {
  const secret = await work.tx.selectFrom('settings').selectAll().execute();
  await empty(work.tx);
  await work.tx.insertInto('settings').values(secret).execute();
  const now = Date.now();
  await work.tx.insertInto('clock').values({ id: 1, stopped: 0, at: now, real: now }).execute();
  await restartIds(work.tx);
  await createFirstApps({ ...work, now });
}

async function empty(tx: Work['tx']): Promise<void> {
  for (const name of tableNames.toReversed()) await tx.deleteFrom(name as 'settings').execute();
}
