import { randomUUID } from 'node:crypto';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findPaths } from '../../src/profiles/paths.js';
import { Secret } from '../../src/profiles/secret.js';
import { createProfileStore } from '../../src/profiles/store.js';
import { closedPort, http, httpServer, json, rawServer } from '../helpers/servers.js';
import { openTestDesk, type TestDesk } from '../helpers/desk.js';
import { createHome, createPayment, type Home, type SandboxProcess } from '../commands/sandbox/processes.js';
import { commandClass, commandNames, serviceCases } from './cases.js';
import { settlementWords } from './settlement.js';
import { homeWithLedger, type InProcessOptions, runInProcess } from '../helpers/in-process.js';
import { paydesk } from '../helpers/run.js';
import { createRedactor, type Redactor } from '../../src/redact.js';

// One key that is known to the tests, and every command in every way it can go wrong: the key shows up nowhere but in
// the request to the service of the profile, and in the file where it is kept.

let desk: TestDesk;
let sandboxes: Home;
let sandbox: SandboxProcess;
let folder: string;
/** The key of the profile that every command is run with. */
let key: string;
/** The home that each run begins with, and the ledger in it. */
let template: string;
let emptyLedger: Buffer;
let exported: string;
/** A file for batch plan. */
let payments: string;

function prepare(): void {
  beforeAll(async () => {
    desk = await openTestDesk();
    key = desk.sandbox.app.apiKey;
    sandboxes = await createHome();
    sandbox = await sandboxes.start('--no-profiles');
    await createPayment(sandbox.ready, 'seen');
    folder = mkdtempSync(join(tmpdir(), 'paydesk-canary-'));
    payments = join(folder, 'payments.csv');
    writeFileSync(payments, `payment\n${(await desk.paid()).paymentId}\n`);
    exported = join(folder, 'export.json');
    expect(await sandboxes.run(['sandbox', 'export', exported])).toMatchObject({ code: 0 });
    template = await homeWithLedger();
    emptyLedger = readFileSync(join(template, 'data', 'desk.db'));
    const env = { PAYDESK_HOME: template };
    await createProfileStore({ paths: findPaths(env), env }).add({
      name: 'canary',
      baseUrl: desk.sandbox.url,
      appId: desk.sandbox.app.appId,
      kind: 'sandbox',
      apiKey: new Secret(key),
    });
    // So that the commands on a sandbox find one that runs; it has keys of its own.
    const notes = join('data', 'sandbox');
    await mkdir(join(env.PAYDESK_HOME, notes), { recursive: true });
    for (const name of readdirSync(join(sandboxes.path, notes)).filter((file) => file.endsWith('.json'))) {
      cpSync(join(sandboxes.path, notes, name), join(env.PAYDESK_HOME, notes, name));
    }
  });
  afterAll(async () => {
    await desk.sandbox.close();
    await sandboxes.remove();
    rmSync(folder, { recursive: true, force: true });
  });
}

type Words = Array<string | number>;

/** The commands that do not ask the service of the profile, or not only. */
const otherCases: Record<string, () => Words> = {
  whoami: () => [],
  history: () => [],
  'customers:forget': () => ['c1', '--yes'],
  'payments:find': () => ['seen'],
  'payments:import': () => [payments],
  reconcile: () => settlementWords(folder),
  'reconcile:map': () => [
    settlementWords(folder)[0]!,
    '--out',
    join(folder, `${randomUUID()}.yaml`),
    '--yes',
  ],
  'payments:list': () => ['--refresh'],
  'payments:resolve': () => ['seen'],
  demo: () => [],
  'profiles:add': () => [
    'second',
    '--base-url',
    desk.sandbox.url,
    '--app-id',
    'a',
    '--sandbox',
    '--api-key-stdin',
  ],
  'profiles:alias': () => ['canary', 'OnHold=Held'],
  'profiles:list': () => [],
  'profiles:remove': () => ['canary'],
  'profiles:set': () => ['canary', '--quiet-period', '5m'],
  'profiles:show': () => ['canary'],
  'profiles:use': () => ['canary'],
  'batch:apply': () => [join(folder, 'no-plan.json')],
  'batch:plan': () => [payments, '--action', 'refund'],
  'batch:report': () => ['no-batch'],
  'batch:resume': () => ['no-batch'],
  'batch:status': () => [],
  'ledger:adopt': () => ['--yes'],
  'ledger:lock-probe': () => [join(folder, 'probe.db')],
  completion: () => ['bash'],
  'completion:words': () => ['fish', '--', 'payments', 'get', ''],
  'webhook:events': () => [],
  'webhook:listen': () => ['--port', '0', '--timeout', '300ms'],
  'webhook:replay': () => ['1', '--to', 'http://127.0.0.1:9/hook'],
  'webhook:send': () => [1, '--to', 'http://127.0.0.1:9/hook'],
  'webhook:show': () => [1],
  'scenario:run': () => ['approved-card'],
  'scenario:list': () => [],
  'scenario:show': () => ['approved-card'],
  'scenario:new': () => [join(folder, `${randomUUID()}.yaml`), '--name', 'new'],
  'sandbox:apps': () => [],
  'sandbox:apps:create': () => ['Shop'],
  'sandbox:apps:list': () => [],
  'sandbox:apps:set': () => [sandbox.ready.apps[0]!.appId, '--webhook-url', 'http://127.0.0.1:9/hook'],
  'sandbox:books': () => ['seen'],
  'sandbox:clock': () => [],
  'sandbox:clock:advance': () => ['1s'],
  'sandbox:clock:resume': () => [],
  'sandbox:clock:set': () => ['2999-01-01T00:00:00Z'],
  'sandbox:clock:show': () => [],
  'sandbox:clock:stop': () => [],
  'sandbox:exec': () => ['--', 'true'],
  'sandbox:exec-guard': () => [],
  'sandbox:export': () => [],
  'sandbox:fault': () => [],
  'sandbox:fault:add': () => ['latency', '--delay', '1ms', '--next', '1'],
  'sandbox:fault:clear': () => [],
  'sandbox:fault:list': () => [],
  'sandbox:import': () => [exported],
  'sandbox:pay': () => ['seen'],
  'sandbox:provider': () => ['seen', 'hold'],
  'sandbox:resend': () => ['seen'],
  'sandbox:reset': () => [],
  'sandbox:seed': () => [],
  'sandbox:settlement': () => ['--defects', 'amount'],
  'sandbox:start': () => ['--memory', '--port', '0'],
  'sandbox:status': () => [],
  'sandbox:stop': () => ['--port', '1'],
};

/** These cannot all end well here: they are interrupted, done several times at once, or need what is not there. */
const mayFail =
  /^(sandbox:|payments:resolve$|batch:(apply|report|resume)$|profiles:add$|webhook:(listen|replay|send|show)$)/;

export const verbosities = {
  terminal: { words: ['--no-input'], options: { terminal: true } },
  pipe: { words: [], options: {} },
  json: { words: ['--json'], options: {} },
  debug: { words: ['--debug', '--no-input'], options: { terminal: true } },
  'debug by environment': { words: ['--json'], options: { env: { PAYDESK_DEBUG: '1' } } },
} satisfies Record<string, { words: string[]; options: InProcessOptions }>;

interface Failure {
  /** Where the profile points. */
  url?: string;
  /** Something done to the home before the command runs. */
  spoil?: (home: string) => void;
  /** The first thing that is printed makes the program itself fail, or cannot be written. */
  print?: 'has a bug' | 'is not taken';
}

interface Ran {
  name: string;
  verbosity: Verbosity;
  code: number;
  stdout: string;
  stderr: string;
  /** Everything that was left on disk, the place of the keys aside. */
  disk: string;
}

const isService = (name: string) => Object.hasOwn(serviceCases, name);

async function run(name: string, verbosity: Verbosity, failure: Failure, words: Words): Promise<Ran> {
  const home = mkdtempSync(join(folder, 'home-'));
  cpSync(template, home, { recursive: true });
  const config = join(home, 'config.json');
  const text = readFileSync(config, 'utf8');
  writeFileSync(config, text.replace(desk.sandbox.url, failure.url ?? desk.sandbox.url));
  failure.spoil?.(home);
  const how: { words: string[]; options: InProcessOptions } = verbosities[verbosity];
  const problem = new Error(`sent ${key} as Authorization: Bearer ${key}`);
  let stdout = '';
  let interrupt = () => {};
  const ran = await runInProcess(await commandClass(name), [...words.map(String), ...how.words], {
    ...how.options,
    input: `${key}\n`,
    env: { ...how.options.env, PAYDESK_HOME: home },
    ...(failure.print === 'has a bug' && { secrets: redactorWithBug(problem) }),
    onStart: (callback) => (interrupt = callback),
    onWrite: (chunk) => {
      const isFirst = stdout === '';
      stdout += chunk;
      // A sandbox that has said that it is ready has nothing more to say.
      if (name === 'sandbox:start') interrupt();
      if (failure.print === 'is not taken' && isFirst) throw problem;
    },
  });
  const { code, stderr } = ran;
  const disk = readdirSync(home, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.parentPath.endsWith('keys'))
    .map((entry) => `${entry.name}\n${newText(readFileSync(join(entry.parentPath, entry.name)))}`);
  rmSync(home, { recursive: true, force: true });
  return { name, verbosity, code, stdout, stderr, disk: disk.join('\n') };
}

const PAGE_BYTES = 4096;

/** The text of a file, without the pages of a ledger that are as they were before. */
function newText(bytes: Buffer): string {
  const starts = Array.from({ length: Math.ceil(bytes.length / PAGE_BYTES) }, (_, page) => page * PAGE_BYTES);
  const pages = starts.map((at) => [bytes, emptyLedger].map((file) => file.subarray(at, at + PAGE_BYTES)));
  const changed = pages.filter(([page, before]) => !page!.equals(before!));
  return changed.map(([page]) => page!.toString('latin1')).join('');
}

/** Throws the first time that something is to be printed. */
function redactorWithBug(problem: Error): Redactor {
  const redactor = createRedactor();
  let isFirst = true;
  return {
    ...redactor,
    redactData(text) {
      if (!isFirst) return redactor.redactData(text);
      isFirst = false;
      throw problem;
    },
  };
}

export type Verbosity = keyof typeof verbosities;

export interface Extent {
  verbosities: readonly Verbosity[];
  /** In how many of these each command is run where everything works, other ones for the next command. */
  perSuccess: number;
  /** In how many of these where it fails; in other ones in the next failure. */
  perFailure: number;
  /** Each command meets every form of a failure, and not only one of them. */
  everyForm: boolean;
}

let extent: Extent;
let failures = 0;

/** The commands that meet this one of several forms of a failure. */
const meeting = (names: string[], form: number, forms: number) =>
  extent.everyForm ? names : names.filter((name) => commandNames.indexOf(name) % forms === form);

function verbositiesOf(name: string, failure: Failure): Verbosity[] {
  const { verbosities: all, perSuccess, perFailure } = extent;
  const length = Object.keys(failure).length === 0 ? perSuccess : perFailure;
  const from = length * failures + commandNames.indexOf(name);
  return Array.from({ length }, (_, more) => all[(from + more) % all.length] as Verbosity);
}

const prepared = new Map<string, Words>();

async function wordsFor(name: string, isUntouched: boolean): Promise<Words> {
  const make = serviceCases[name];
  if (make === undefined) return otherCases[name]!();
  const words = (isUntouched && prepared.get(name)) || (await make(desk));
  if (isUntouched) prepared.set(name, words);
  return words;
}

/** Every command in every verbosity, many at once: most of their time is spent waiting. */
async function runAll(failure: Failure, names = commandNames): Promise<Ran[]> {
  failures += 1;
  const runs = names.flatMap((name) =>
    verbositiesOf(name, failure).map((verbosity) => ({ name, verbosity })),
  );
  // Where nothing can be done to a payment, one will do for all.
  const isUntouched = failure.url !== undefined || failure.spoil !== undefined;
  const results: Ran[] = [];
  const worker = async () => {
    for (let next = runs.shift(); next; next = runs.shift()) {
      const { name, verbosity } = next;
      results.push(await run(name, verbosity, failure, await wordsFor(name, isUntouched)));
    }
  };
  // Where it works, few: a command that waits behind many others may run out of time.
  const atOnce = Object.keys(failure).length === 0 ? 6 : 40;
  await Promise.all(Array.from({ length: atOnce }, worker));
  return results;
}

/** The text as it is, with its escapes read, and with what is base64 in it read. */
function readings(text: string): string[] {
  const letter = (_whole: string, hex: string) => String.fromCharCode(Number.parseInt(hex, 16));
  const unescaped = text.replaceAll(/\\+u([0-9a-f]{4})/gi, letter).replaceAll(/\\+\//g, '/');
  const decoded = unescaped.replaceAll(/%([0-9a-f]{2})/gi, letter);
  const encoded = decoded.match(/[\w+/-]{16,}/g) ?? [];
  return [
    text,
    unescaped,
    decoded,
    ...encoded.map((token) => Buffer.from(token, 'base64').toString('latin1')),
  ];
}

const around = (text: string, part: string): string =>
  text.slice(Math.max(0, text.indexOf(part) - 40), text.indexOf(part) + part.length + 10);

/** The leaks of many runs. It lets others in between, so that no connection runs out of time meanwhile. */
async function findLeaks(results: readonly Ran[]): Promise<string[]> {
  const found: string[] = [];
  for (const ran of results) {
    found.push(...leaks(ran));
    await setImmediate();
  }
  return found;
}

/** What must not be seen of a run, with where it was seen. */
function leaks({ name, verbosity, stdout, stderr, disk }: Ran): string[] {
  const places = Object.entries({ stdout, stderr, disk });
  const found = places.flatMap(([place, text]) => {
    return readings(text)
      .filter((reading) => reading.includes(key))
      .map((reading) => `${name} ${verbosity} ${place}: ${around(reading, key)}`);
  });
  const links = stderr.split('\n').filter((line) => /^debug: .*\/(checkout|provider|panel)\/\w/.test(line));
  return [...found, ...links.map((line) => `${name} ${verbosity} link: ${line}`)];
}

/** The commands that have nothing to tell without the service; doctor may only warn. */
const serviceOf = (results: readonly Ran[]) =>
  results.filter(({ name }) => isService(name) && name !== 'doctor');
/** What a sandbox command does has nothing to do with the service of the profile: they have a test of their own. */
const withProfile = commandNames.filter((name) => !/^(sandbox:|demo$)/.test(name));
/** Those that may ask that service. */
const withService = withProfile.filter(
  (name) => !/^(profiles:|scenario:(?!record$)|completion|ledger:|history$)/.test(name),
);
const withoutProfile = commandNames.filter((name) => name !== 'demo' && !withProfile.includes(name));

/** The key of the profile is seen nowhere, whatever command is run and however it ends. */
export function describeSecrets(chosen: Extent): void {
  extent = chosen;
  prepare();

  it('every command has a case', () => {
    expect(commandNames.filter((name) => !isService(name) && !otherCases[name])).toEqual([]);
  });

  describe('the key of the profile is seen nowhere', () => {
    it('when everything works', async () => {
      const results = await runAll({});
      expect(await findLeaks(results)).toEqual([]);
      const failed = results.filter(({ code, name }) => code !== 0 && !mayFail.test(name));
      expect(failed.map(({ name, verbosity, stdout, stderr }) => [name, verbosity, stdout + stderr])).toEqual(
        [],
      );
      const debugged = results.filter(({ verbosity }) => verbosity.startsWith('debug'));
      for (const { name, stderr } of serviceOf(debugged)) {
        expect([name, stderr]).toEqual([name, expect.stringContaining('debug: ')]);
      }
    });

    const echo = (authorization: string | undefined) => ({
      message: `not for ${authorization}`,
      error: { code: key, message: `key ${key}`, requestId: key },
      key: encodeURIComponent(key),
    });
    const html = () => `<html><head><title>Bearer ${key}</title></head><body>${key}</body></html>`;
    const statuses = [401, 403, 500];

    it.each(statuses.map((status, form) => [status, form]))(
      'when the service answers %i and repeats it',
      async (status, form) => {
        const server = await httpServer(({ headers }, response) =>
          json(response, status, echo(headers.authorization), { 'x-request-id': key }),
        );
        const results = await runAll({ url: server.url }, meeting(withService, form, statuses.length));
        expect(await findLeaks(results)).toEqual([]);
        expect(serviceOf(results).filter(({ code }) => code === 0)).toEqual([]);
        expect(server.requests.length).toBeGreaterThanOrEqual(serviceOf(results).length);
        expect(server.requests.filter(({ headers }) => headers.authorization !== `Bearer ${key}`)).toEqual(
          [],
        );
      },
    );

    it('when a good answer repeats it', async () => {
      const server = await httpServer((seen, response) =>
        json(response, 200, {
          paymentId: 7,
          referenceId: seen.headers.authorization,
          paymentState: key,
          customerId: key,
          url: `https://pay.example/${key}`,
          items: [{ customerId: key, paymentMethodId: 7 }],
        }),
      );
      const results = await runAll({ url: server.url }, withService);
      expect(await findLeaks(results)).toEqual([]);
      expect(server.requests.length).toBeGreaterThanOrEqual(serviceOf(results).length);
    });

    it('when an answer repeats it escaped, percent-encoded or in base64', async () => {
      const escaped = Array.from(
        key,
        (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`,
      ).join('');
      const percent = Buffer.from(key).toString('hex').replaceAll(/../g, '%$&');
      const base64 = (before: string) => Buffer.from(`${before}${key}`).toString('base64');
      const forms = [escaped, percent, ...['', 'Bearer ', ':', 'user:'].map(base64)];
      const fields = [...forms, ...forms].map((form, index) => `"note${index}":"for ${form}, or ${form}"`);
      const items = forms.map((form) => `{"customerId":"${form}","paymentMethodId":7}`);
      const answer =
        `{"paymentId":7,"referenceId":"${escaped}","paymentState":"${percent}","customerId":"${base64('')}",` +
        `"message":"${forms.join(' ')}","url":"https:\\/\\/pay.example\\/${escaped}","items":[${items.join()}],${fields.join()}}`;
      for (const [form, status] of [200, 400].entries()) {
        const server = await httpServer((_seen, response) => json(response, status, answer));
        const results = await runAll({ url: server.url }, meeting(withService, form, 2));
        expect(await findLeaks(results)).toEqual([]);
        expect(server.requests.length).toBeGreaterThanOrEqual(serviceOf(results).length);
      }
    });

    it('when the answer is HTML or cut short', async () => {
      const cut = (text: string) => text.replace(/content-length: \d+/, 'content-length: 9999');
      const answers = [
        http('502 Bad Gateway', html(), ['content-type: text/html']),
        cut(http('200 OK', `{"paymentId":7,"note":"${key}`, ['content-type: application/json'])),
      ];
      for (const [form, answer] of answers.entries()) {
        const server = await rawServer({ onRequest: (socket) => socket.end(answer) });
        const results = await runAll({ url: server.url }, meeting(withService, form, answers.length));
        expect(await findLeaks(results)).toEqual([]);
        expect(serviceOf(results).filter(({ code }) => code === 0)).toEqual([]);
      }
    });

    it('when the service is gone', async () => {
      const results = await runAll({ url: `http://127.0.0.1:${await closedPort()}` }, withService);
      expect(await findLeaks(results)).toEqual([]);
      expect(serviceOf(results).filter(({ code }) => code === 0)).toEqual([]);
    });

    it('when the service sends us elsewhere', async () => {
      const other = await httpServer((_seen, response) => json(response, 200, {}));
      const server = await httpServer(
        (_seen, response) => void response.writeHead(307, { location: `${other.url}/?key=${key}` }).end(),
      );
      const results = await runAll({ url: server.url }, withService);
      expect(await findLeaks(results)).toEqual([]);
      expect(serviceOf(results).filter(({ code }) => code === 0)).toEqual([]);
      expect(other).toMatchObject({ connections: 0, requests: [] });
    });

    it('when paydesk itself has a bug', async () => {
      const results = await runAll({ print: 'has a bug' }, Object.keys(serviceCases));
      expect(await findLeaks(results)).toEqual([]);
      const told = results.filter(({ stdout, stderr }) => (stdout + stderr).includes('This is a bug'));
      expect(told.length).toBe(results.length);
    });

    it('when the output cannot be written', async () => {
      const results = await runAll({ print: 'is not taken' }, Object.keys(serviceCases));
      expect(await findLeaks(results)).toEqual([]);
      expect(results.filter(({ code }) => code === 0)).toEqual([]);
    });

    it('when the settings cannot be read', async () => {
      const spoils: Array<(home: string) => void> = [
        (home) => writeFileSync(join(home, 'config.json'), `${key} {"profiles": "${key}"`),
        (home) => writeFileSync(join(home, 'config.json'), `{"profiles": {"canary": {"apiKey": "${key}"}}}`),
        (home) => {
          rmSync(join(home, 'keys'), { recursive: true });
          writeFileSync(join(home, 'keys'), key);
        },
      ];
      for (const [form, spoil] of spoils.entries()) {
        const names = meeting(withProfile, form, spoils.length);
        const results = await runAll({ spoil }, form === 0 ? [...names, ...withoutProfile] : names);
        const printed = results.map((ran) => ({ ...ran, disk: '' }));
        expect(await findLeaks(printed)).toEqual([]);
        expect(serviceOf(results).filter(({ code }) => code === 0)).toEqual([]);
      }
    });
  });

  it('the key is handed to no other program, and is in no log', async () => {
    const home = await createHome();
    const record = join(folder, 'started.txt');
    // Notes every program that is started, in each Node that is.
    const preload = `import fs from 'node:fs'; import { ChildProcess } from 'node:child_process';
    const spawn = ChildProcess.prototype.spawn;
    ChildProcess.prototype.spawn = function (options) {
      fs.appendFileSync(${JSON.stringify(record)}, JSON.stringify(options.args) + '\\n');
      return spawn.call(this, options);
    };`;
    const env = {
      NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(preload)}`,
      // A session bus that nobody answers on: the keyring is tried, in a process of its own.
      DBUS_SESSION_BUS_ADDRESS: `unix:path=${join(folder, 'no-bus')}`,
    };
    const paydeskHere = async (args: string[], input = '') => {
      const ran = await paydesk(args, { home: home.path, env, input });
      expect([args, ran.code, ran.stdout + ran.stderr]).toEqual([args, 0, expect.any(String)]);
      return ran;
    };
    try {
      const profile = ['--base-url', desk.sandbox.url, '--app-id', desk.sandbox.app.appId, '--sandbox'];
      const added = await paydeskHere(
        ['profiles', 'add', 'canary', ...profile, '--api-key-stdin'],
        `${key}\n`,
      );
      const started = await paydeskHere(['sandbox', 'start', '--detach', '--port', '0', '--debug']);
      const looked = await paydeskHere(['customers', 'list', '-p', 'canary', '--debug']);
      const programs = readFileSync(record, 'utf8');
      expect(programs).toContain('keyring-probe');
      expect(programs.split('\n').length).toBeGreaterThan(2);
      const log = readFileSync(join(home.path, 'data', 'sandbox', 'sandbox.log'), 'utf8');
      for (const text of [
        added.stdout,
        added.stderr,
        started.stderr,
        looked.stderr,
        looked.stdout,
        programs,
        log,
      ]) {
        expect(text).not.toContain(key);
        expect(text).not.toMatch(/sk_(sandbox|live)_[0-9a-f]{16}/);
      }
    } finally {
      await home.remove();
    }
  });
}
