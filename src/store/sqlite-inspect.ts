import { StoreError } from './errors.js';
import { APPLIED_MIGRATIONS, pendingMigrations } from './pending-migrations.js';
import { prepareFile, realFile } from './private-file.js';
import { sqliteUnusable } from './sqlite-failures.js';
import type { Inspection, OpenOptions } from './types.js';

/** Reads a database file through and changes nothing in it; throws what opening it would throw. */
export async function inspectSqlite({ location, migrations }: OpenOptions): Promise<Inspection> {
  const { existsSync } = process.getBuiltinModule('node:fs');
  const { DatabaseSync } = process.getBuiltinModule('node:sqlite');
  if (!existsSync(location)) return { kind: 'absent' };
  const file = realFile(location);
  await prepareFile(file);
  try {
    const database = new DatabaseSync(file, { readOnly: true, timeout: 5_000 });
    try {
      const found = database.prepare('pragma quick_check(3)').all() as Array<{ quick_check: string }>;
      const problems = found.map((row) => row.quick_check).filter((text) => text !== 'ok');
      if (problems.length > 0) throw damaged(file, problems);
      const applied = database.prepare(APPLIED_MIGRATIONS).all();
      const names = applied.map((row) => String(row['name']));
      return { kind: 'read', pending: pendingMigrations(names, migrations, file).length };
    } finally {
      database.close();
    }
  } catch (error) {
    throw sqliteUnusable(error, file);
  }
}

function damaged(file: string, problems: string[]): StoreError {
  return new StoreError(
    'store-unusable',
    `The database ${file} is damaged: ${problems.join('; ')}. Restore it from a backup.`,
    { reason: 'damaged' },
  );
}
