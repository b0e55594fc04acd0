// The whole database as one document, and back. A document that was exported, imported and exported again is the same.

import { sql } from 'kysely';
import * as z from 'zod/mini';
import { duplicateKey, type JsonValue } from '../contract/json.js';
import type { SandboxClock } from './clock.js';
import { createFirstApps } from './domain/defaults.js';
import { Refusal } from './domain/refusal.js';
import type { Work } from './domain/work.js';
import type { SandboxEngine } from './engine.js';
import {
  deriveFrom,
  isGenerationKey,
  requireGeneration,
  startNextGeneration,
  type Generation,
} from './generation.js';
import { idProblem, rowProblem } from './import-rules.js';
import { firstIds, restartIds } from './migrations.js';
import { tableNames, type SandboxTables } from './schema.js';
import { startIdsAt } from '../store/columns.js';
import { StoreError } from '../store/store.js';

const FORMAT = 'paydesk-sandbox-1';

const row = z.record(z.string(), z.union([z.string(), z.number(), z.null()]));
const documentSchema = z.strictObject({
  format: z.literal(FORMAT, `is not ${FORMAT}`),
  tables: z
    .strictObject(
      Object.fromEntries(tableNames.map((name) => [name, z.array(row)])) as Record<
        (typeof tableNames)[number],
        z.ZodMiniArray<typeof row>
      >,
    )
    // Without these two the sandbox could not continue.
    .check(
      z.refine(({ settings }) => settings.some(({ key }) => key === 'secret'), 'settings has no secret'),
      z.refine(({ clock }) => clock.length === 1 && clock[0]?.id === 1, 'clock must have one row'),
    ),
});

/** What identifies a row, so that the order is the same every time. */
const orders: Partial<Record<keyof SandboxTables, string>> = {
  settings: 'key',
  apps: 'app_id',
  ...Object.fromEntries(Object.entries(firstIds).map(([table, [column]]) => [table, column])),
};

export async function exportAll(engine: SandboxEngine): Promise<string> {
  const tables = await engine.store.transaction(async (tx) => {
    // One snapshot of all tables; SQLite gives that by itself.
    if (engine.store.engine === 'postgres') {
      await sql`set transaction isolation level repeatable read`.execute(tx);
      // First, as in every write: see `lockOthersOut`.
      await engine.clock.read(tx);
    }
    const all: Record<string, unknown[]> = {};
    for (const name of tableNames) {
      const order = orders[name] ?? 'id';
      const rows = await tx
        .selectFrom(name as 'jobs')
        .selectAll()
        .orderBy(order as 'id')
        .execute();
      all[name] = rows.filter(isContent).map((entry) => ({
        ...entry,
        ...(name === 'events' && { lease_until: null, lease_owner: null }),
      }));
    }
    return all;
  });
  return `${JSON.stringify({ format: FORMAT, tables })}\n`;
}

const isContent = (entry: object): boolean => !('key' in entry && isGenerationKey(String(entry.key)));

/** All or nothing: a document that cannot be used leaves everything as it was. */
export async function importAll(engine: SandboxEngine, text: string): Promise<void> {
  const { tables } = readDocument(text);
  await engine.write((work) =>
    replaceAll(work, tableNames, async () => {
      for (const name of tableNames) await fillTable(work.tx, name, tables[name].filter(isContent));
      for (const [table, [column, first]] of Object.entries(firstIds)) {
        const ids = tables[table as keyof typeof tables].map((entry) => Number(entry[column]));
        const next = ids.reduce((highest, value) => Math.max(highest, value + 1), first);
        await startIdsAt(work.tx, table, column, next);
      }
    }),
  );
}

async function fillTable(tx: Work['tx'], name: (typeof tableNames)[number], rows: unknown[]): Promise<void> {
  for (const part of chunks(rows, 50)) {
    try {
      await tx
        .insertInto(name as 'settings')
        .values(part as never)
        .execute();
    } catch (error) {
      if (error instanceof StoreError) throw error;
      throw unusable(`tables.${name} has a row that is there twice, or that this version does not know`);
    }
  }
}

function readDocument(text: string): z.infer<typeof documentSchema> {
  let value: JsonValue;
  try {
    value = JSON.parse(text) as JsonValue;
  } catch {
    throw new Refusal('invalid-json', 'The document is not valid JSON.');
  }
  const twice = duplicateKey(text, value);
  if (twice !== undefined)
    throw new Refusal(
      'invalid-json',
      `The document has the key ${JSON.stringify(twice)} twice in one object.`,
    );
  const parsed = documentSchema.safeParse(value);
  if (parsed.success) {
    for (const name of tableNames) {
      const problem = rowProblem(name, parsed.data.tables[name]);
      if (problem !== undefined) throw unusable(problem);
    }
    const problem = idProblem(parsed.data.tables);
    if (problem !== undefined) throw unusable(problem);
    return parsed.data;
  }
  const [issue] = parsed.error.issues;
  throw unusable(`${issue?.path.join('.') || 'the document'} ${issue?.message}`);
}

function unusable(why: string): Refusal {
  return new Refusal('invalid-request', `This is not an export of a sandbox: ${why}.`);
}

function* chunks<T>(rows: T[], size: number): Generator<T[]> {
  for (let start = 0; start < rows.length; start += size) yield rows.slice(start, start + size);
}

/**
 * Back to the beginning, with the same secret: apps and keys stay as they are, and a seed gives the same outcomes again.
 * Links and other ids are new.
 */
export async function resetAll(work: Work, clock: SandboxClock): Promise<void> {
  const emptied = tableNames.filter((name) => name !== 'settings');
  const generation = await replaceAll(work, emptied, async () => restartIds(work.tx));
  const now = await clock.restart(work.tx);
  const derive: Work['derive'] = (purpose, key) => deriveFrom(generation, purpose, key);
  await createFirstApps({ ...work, now, derive });
}

/** Nothing that `fill` or anybody later writes gets a link or a webhook id from before. */
async function replaceAll(
  work: Work,
  emptied: ReadonlyArray<(typeof tableNames)[number]>,
  fill: () => Promise<void>,
): Promise<Generation> {
  const { tx, store } = work;
  await lockOthersOut(work);
  const { number } = await requireGeneration(tx, store.engine);
  for (const name of emptied.toReversed()) await tx.deleteFrom(name as 'settings').execute();
  await fill();
  const generation = await startNextGeneration(tx, store.engine, number + 1);
  work.startsGeneration(generation);
  return generation;
}

/**
 * On PostgreSQL, waits for what is being written, so that nothing of it is left over, and lets nobody in until the
 * commit. The clock comes first, as in every write and every export: in another order the two could wait for each other.
 */
async function lockOthersOut({ tx, store }: Work): Promise<void> {
  if (store.engine !== 'postgres') return;
  const tables = ['clock', ...tableNames.filter((name) => name !== 'clock')].map((name) => sql.table(name));
  await sql`lock table ${sql.join(tables)} in access exclusive mode`.execute(tx);
}
