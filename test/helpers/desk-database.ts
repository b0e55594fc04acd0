import { openDeskDatabase } from '../../src/ledger/database.js';
import type { Postgres } from './postgres.js';

/** Databases of desks: copies of one whose tables are there. Making the tables takes longer than most tests. */
export function deskDatabases(postgres: () => Postgres): () => Promise<string> {
  let template: Promise<string> | undefined;
  const makeTemplate = async (): Promise<string> => {
    const location = await postgres().createDatabase();
    const { close } = await openDeskDatabase({ location, operator: 'nobody' });
    await close();
    return location;
  };
  return async () => postgres().createDatabase(await (template ??= makeTemplate()));
}
