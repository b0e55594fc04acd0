// Run as a process of its own: `node worker.ts '{"location": …}' VERB`, one line on stdout for each answer.
import { writeSync } from 'node:fs';
import { createInterface } from 'node:readline';
import type * as columnsType from '../../src/store/columns.js';
import type * as source from '../../src/store/store.js';
import type { Tables } from './fixtures.js';
import type * as tables from './tables.js';

const compiled = (name: string) => new URL(`../../dist/store/${name}`, import.meta.url).href;
const store = (await import(compiled('store.js'))) as typeof source;
const columns = (await import(compiled('columns.js'))) as typeof columnsType;
const { createMigrations } = (await import(new URL('tables.ts', import.meta.url).href)) as typeof tables;

// Synchronous, so that a line that was written is out even when the process is killed right after.
const say = (answer: unknown) => void writeSync(1, `${JSON.stringify(answer)}\n`);
const describeError = (error: unknown) => ({
  error: error instanceof store.StoreError ? error.code : String(error),
  message: error instanceof Error ? error.message : '',
});

async function run(verb: string, db: source.Store<Tables>): Promise<void> {
  const insert = (reference: string, size: number) =>
    db.transaction((tx) =>
      tx
        .insertInto('payment')
        .values({ reference, body: new Uint8Array(size) })
        .returning('id')
        .executeTakeFirstOrThrow(),
    );

  if (verb === 'insert-forever') {
    const loop = async (name: string) => {
      for (let n = 1; ; n++) say({ reference: `${name}-${n}`, ...(await insert(`${name}-${n}`, 10)) });
    };
    await Promise.all(['a', 'b', 'c', 'd'].map(loop));
  }
  if (verb === 'count-up') {
    for (let n = 0; n < 200; n++) {
      await db.transaction(async (tx) => {
        const rows = tx.selectFrom('counter').selectAll().where('name', '=', 'shared');
        const { value } = await db.forUpdate(rows).executeTakeFirstOrThrow();
        await tx
          .updateTable('counter')
          .set({ value: value + 1 })
          .where('name', '=', 'shared')
          .execute();
      });
    }
  }
  if (verb === 'serve') {
    for await (const line of createInterface({ input: process.stdin })) {
      const inserts = [1, 2, 3].map((n) => insert(`${line}-${n}`, 40_000).catch(describeError));
      say(await Promise.all(inserts));
    }
  }
}

const [options = '', verb = ''] = process.argv.slice(2);
try {
  const db = await store.openStore<Tables>({
    schema: 'paydesk_test',
    migrations: createMigrations(columns),
    ...(JSON.parse(options) as { location: string }),
  });
  say('open');
  await run(verb, db);
  await db.close();
  say('closed');
} catch (error) {
  say(describeError(error));
}
