import { sql, type Compilable, type CompiledQuery, type Kysely, type RawBuilder } from 'kysely';
import type { Engine } from './types.js';

type Value = string | number | Uint8Array | null;

/** Marks where a value will be; with `row`, that of one of several rows. It fits any column: the caller names the right one. */
// oxlint-disable-next-line typescript/no-explicit-any -- kysely compares the type with that of the column
type Place<Name extends string> = (name: Name, row?: number) => RawBuilder<any>;

class Mark {
  readonly name: string;
  readonly row: number;

  constructor(name: string, row: number) {
    this.name = name;
    this.row = row;
  }
}

/**
 * A query that is built and turned into SQL once for each engine instead of at each call: for the few that run at
 * every request. `build` puts `value(name)` where a value will be.
 */
export function prepared<DB, Row, Name extends string = string>(
  build: (db: Kysely<DB>, value: Place<Name>, engine: Engine) => Compilable<Row>,
): (db: Kysely<DB>, engine: Engine, ...rows: Array<Readonly<Record<Name, Value>>>) => Promise<Row[]> {
  const made: { [Each in Engine]?: CompiledQuery<Row> } = {};
  return async (db, engine, ...values) => {
    const query = (made[engine] ??= build(
      db,
      (name, row = 0) => sql`${new Mark(name, row)}`,
      engine,
    ).compile());
    const parameters = query.parameters.map((parameter) =>
      parameter instanceof Mark ? values[parameter.row]?.[parameter.name as Name] : parameter,
    );
    const bound = { query: query.query, queryId: query.queryId, sql: query.sql, parameters };
    // What db.executeQuery does for a database without plugins, through fewer promises.
    const { rows } = await db
      .getExecutor()
      .provideConnection((connection) => connection.executeQuery<Row>(bound));
    return rows;
  };
}
