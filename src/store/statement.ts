import type { CompiledQuery } from 'kysely';
import type { Engine, SqlRunner } from './types.js';

type Value = string | number | Uint8Array | null;

interface Compiled {
  sql: string;
  /** Where each parameter comes from. */
  places: Array<{ name: string; row: number }>;
}

/**
 * A statement as SQL text, with `:name` where a value will be, and `:name.3` for that of the fourth row. A process that
 * makes one money move runs each of its statements once: building them with kysely took longer than running them.
 */
export function statement<Row, Name extends string>(
  text: string,
): (db: SqlRunner, engine: Engine, ...rows: Array<Readonly<Record<Name, Value>>>) => Promise<Row[]> {
  const made = new Map<Engine, Compiled>();
  return async (db, engine, ...values) => {
    let compiled = made.get(engine);
    if (!compiled) {
      compiled = compile(text, engine);
      made.set(engine, compiled);
    }
    // A name that is not given is undefined here, which the store refuses.
    const parameters = compiled.places.map(({ name, row }) => values[row]?.[name as Name]);
    // All that the connections of the stores need of a query.
    const query = { sql: compiled.sql, parameters } as Pick<
      CompiledQuery,
      'sql' | 'parameters'
    > as CompiledQuery;
    const { rows } = await db
      .getExecutor()
      .provideConnection((connection) => connection.executeQuery<Row>(query));
    return rows;
  };
}

function compile(text: string, engine: Engine): Compiled {
  const places: Compiled['places'] = [];
  const sql = text.replaceAll(/:([a-z_]+)(?:\.(\d+))?/g, (_, name: string, row = '0') => {
    places.push({ name, row: Number(row) });
    return engine === 'postgres' ? `$${places.length}` : '?';
  });
  return { sql, places };
}
