import { execFileSync, spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, existsSync, globSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { describeWithServer } from './describe-with-server.ts';
import { freePort } from './free-port.ts';

export interface Postgres {
  /** Address of the maintenance database; tests work in databases of their own. */
  url: string;
  /** Makes an empty database, or a copy of one, and returns its address. */
  createDatabase(copyOf?: string): Promise<string>;
  /** Stops the server as a crash would, without a word to its clients. Only where the server is the test's own. */
  crash(): Promise<void>;
  /** Starts it again, on the same port and data. */
  start(): Promise<void>;
  stop(): Promise<void>;
  /** False for a server that others use too: it is not ours to stop. */
  ours: boolean;
}

const startMs = 60_000;

let binariesFound: { folder: string | undefined } | undefined;

const findBinaries = (): string | undefined => (binariesFound ??= { folder: lookForBinaries() }).folder;

function lookForBinaries(): string | undefined {
  const candidates = globSync('/usr/lib/postgresql/*/bin').toSorted().toReversed();
  try {
    candidates.unshift(
      execFileSync('pg_config', ['--bindir'], {
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'ignore'],
      }).trim(),
    );
  } catch {
    // Not on the PATH; the usual folders are tried.
  }
  return candidates.find(
    (folder) => existsSync(join(folder, 'initdb')) && existsSync(join(folder, 'postgres')),
  );
}

/** PostgreSQL refuses to run as root. */
function unprivileged(): { uid?: number; gid?: number } {
  if (process.getuid?.() !== 0) return {};
  const id = (flag: string) => Number(execFileSync('id', [flag, 'nobody'], { encoding: 'utf8' }));
  return { uid: id('-u'), gid: id('-g') };
}

/** Connects for this work alone. */
export async function withClient<T>(url: string, work: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

async function createDatabase(url: string, copyOf?: string): Promise<string> {
  const name = `test_${crypto.randomUUID().replaceAll('-', '')}`;
  const template = copyOf === undefined ? '' : ` template ${new URL(copyOf).pathname.slice(1)}`;
  // Half the work of copying page by page through the log of the server, which is the default since PostgreSQL 15.
  await withClient(url, async (client) => {
    const { rows } = await client.query<{ version: number }>(
      `select current_setting('server_version_num')::int as version`,
    );
    const strategy = rows[0]!.version >= 150_000 ? ' strategy file_copy' : '';
    await client.query(`create database ${name}${template}${strategy}`);
  });
  const address = new URL(url);
  address.pathname = `/${name}`;
  return address.href;
}

async function succeeded(name: string, child: ChildProcess): Promise<void> {
  const [code] = (await once(child, 'exit')) as [number | null];
  if (code !== 0) throw new Error(`${name} ended with ${code}`);
}

/** The files of a server without databases. Making them takes a second, so a run of the tests makes them once. */
async function emptyCluster(binaries: string, user: { uid?: number; gid?: number }): Promise<string> {
  const made = join(tmpdir(), `paydesk-empty-postgres-${user.uid ?? process.getuid?.()}`);
  if (existsSync(made)) return made;
  const folder = mkdtempSync(join(tmpdir(), 'paydesk-initdb-'));
  if (user.uid !== undefined && user.gid !== undefined) chownSync(folder, user.uid, user.gid);
  const data = join(folder, 'data');
  const options = ['-D', data, '-U', 'paydesk', '-A', 'trust', '-E', 'UTF8', '--no-sync'];
  const initdb = spawn(join(binaries, 'initdb'), options, {
    ...user,
    cwd: folder,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  await succeeded('initdb', initdb);
  try {
    renameSync(data, made);
  } catch (error) {
    // Another process of the tests was first.
    if (!existsSync(made)) throw error;
  }
  rmSync(folder, { recursive: true, force: true });
  return made;
}

/** A server that others use too: what is made there is removed, and nothing else is touched. */
function givenPostgres(given: string): Postgres {
  const created: string[] = [];
  const notOurs = () => Promise.reject(new Error('Others use this server too.'));
  return {
    url: given,
    async createDatabase(copyOf) {
      const address = await createDatabase(given, copyOf);
      created.push(new URL(address).pathname.slice(1));
      return address;
    },
    crash: notOurs,
    start: notOurs,
    stop: () =>
      withClient(given, async (client) => {
        for (const name of created) await client.query(`drop database if exists ${name} with (force)`);
      }),
    ours: false,
  };
}

/** A PostgreSQL for tests: the one in PAYDESK_TEST_POSTGRES, or one of our own; undefined where there is none. */
export async function startPostgres(): Promise<Postgres | undefined> {
  const given = process.env['PAYDESK_TEST_POSTGRES'];
  if (given) return givenPostgres(given);
  const binaries = findBinaries();
  if (binaries === undefined) return undefined;

  const user = unprivileged();
  const folder = mkdtempSync(join(tmpdir(), 'paydesk-postgres-'));
  if (user.uid !== undefined && user.gid !== undefined) chownSync(folder, user.uid, user.gid);
  const data = join(folder, 'data');
  const copied = spawn('cp', ['-a', await emptyCluster(binaries, user), data], { stdio: 'ignore' });
  await succeeded('cp', copied);

  const port = await freePort();
  const url = `postgres://paydesk@127.0.0.1:${port}/postgres`;
  let server: ChildProcess | undefined;

  async function start(): Promise<void> {
    const options = ['-D', data, '-h', '127.0.0.1', '-p', String(port), '-k', folder, '-F'];
    const started = spawn(join(binaries ?? '', 'postgres'), options, {
      ...user,
      cwd: folder,
      stdio: 'ignore',
    });
    server = started;
    const deadline = Date.now() + startMs;
    for (;;) {
      try {
        await withClient(url, (client) => client.query('select 1'));
        return;
      } catch (error) {
        if (started.exitCode !== null) throw new Error('postgres did not start', { cause: error });
        if (Date.now() > deadline) throw error;
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    }
  }

  async function end(signal: NodeJS.Signals): Promise<void> {
    const ending = server;
    server = undefined;
    if (!ending || ending.exitCode !== null) return;
    const ended = once(ending, 'exit');
    ending.kill(signal);
    await ended;
  }

  // Should the test process end early, the server must not stay behind.
  const onExit = () => void server?.kill('SIGQUIT');
  process.once('exit', onExit);
  await start();
  return {
    url,
    createDatabase: (copyOf) => createDatabase(url, copyOf),
    // SIGQUIT is PostgreSQL's immediate shutdown.
    crash: () => end('SIGQUIT'),
    start,
    async stop() {
      // Nothing of it is kept, so it need not save anything.
      await end('SIGQUIT');
      process.off('exit', onExit);
      rmSync(folder, { recursive: true, force: true });
    },
    ours: true,
  };
}

let shared: Promise<Postgres | undefined> | undefined;

/** Starting a server takes longer than most tests, so all files of a worker share one. It ends with the worker. */
async function usePostgres(): Promise<Postgres | undefined> {
  const server = await (shared ??= startPostgres());
  return server && givenPostgres(server.url);
}

/** A group of tests with databases of its own; skipped with a reason where there is no PostgreSQL, but never in CI. */
export function describeWithPostgres(name: string, define: (postgres: () => Postgres) => void): void {
  describeOn(usePostgres, name, define);
}

/** The same with a server of its own, which may be stopped. */
export function describeWithOwnPostgres(name: string, define: (postgres: () => Postgres) => void): void {
  describeOn(startPostgres, name, define);
}

function describeOn(
  start: () => Promise<Postgres | undefined>,
  name: string,
  define: (postgres: () => Postgres) => void,
): void {
  const isThere = Boolean(process.env['PAYDESK_TEST_POSTGRES']) || findBinaries() !== undefined;
  const missing = isThere ? undefined : 'PostgreSQL is not installed and PAYDESK_TEST_POSTGRES is not set';
  describeWithServer(name, { missing, start }, define);
}
