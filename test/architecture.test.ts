import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const src = fileURLToPath(new URL('../src', import.meta.url));

/** The contract and small files: most rooms may import all of them, whether or not they do. */
const leaves = [
  'answer-start',
  'atomic-file',
  'child-environment',
  'ci',
  'close-server',
  'concurrency',
  'contract',
  'dated-id',
  'day',
  'decode-url-part',
  'errors',
  'file-problem',
  'home-folder',
  'loopback',
  'next-command',
  'redact',
  'sha256',
  'shorten',
  'suggest',
  'typed-values',
];

/** Which rooms of the house a room may import from. What is not listed here does not exist. */
const mayImport: Readonly<Record<string, readonly string[]>> = {
  contract: [],
  store: [],
  errors: ['next-command', 'store', 'home-folder'],
  'next-command': [],
  'answer-start': [],
  'atomic-file': [],
  'child-environment': [],
  ci: ['child-environment'],
  'close-server': [],
  concurrency: [],
  'dated-id': [],
  day: [],
  'decode-url-part': [],
  'file-problem': [],
  'home-folder': ['store', 'file-problem'],
  loopback: [],
  prompts: ['output'],
  redact: [],
  sha256: [],
  shorten: [],
  suggest: [],
  'typed-values': ['contract', 'suggest'],
  yaml: ['suggest'],
  client: leaves,
  spreadsheet: ['errors', 'file-problem', 'shorten'],
  ledger: [...leaves, 'store'],
  profiles: [...leaves, 'client', 'prompts'],
  output: [...leaves, 'store'],
  sandbox: [...leaves, 'store'],
  payments: [...leaves, 'client', 'ledger', 'store', 'output'],
  customers: [...leaves, 'client', 'ledger', 'store'],
  pace: [...leaves, 'client'],
  batch: [...leaves, 'client', 'ledger', 'store', 'payments', 'pace', 'spreadsheet', 'output'],
  import: [...leaves, 'client', 'ledger', 'store', 'payments', 'pace', 'spreadsheet'],
  webhooks: [...leaves, 'client', 'ledger', 'store', 'payments', 'output'],
  support: [...leaves, 'client', 'ledger', 'store', 'payments', 'webhooks', 'output'],
  reconcile: [
    ...leaves,
    'client',
    'ledger',
    'store',
    'payments',
    'pace',
    'spreadsheet',
    'support',
    'output',
    'yaml',
  ],
  'sandbox-control': [...leaves, 'store', 'sandbox'],
  scenarios: [
    ...leaves,
    'client',
    'ledger',
    'store',
    'payments',
    'customers',
    'batch',
    'support',
    'webhooks',
    'sandbox',
    'sandbox-control',
    'yaml',
  ],
  library: [...leaves, 'sandbox'],
  doctor: [...leaves, 'client', 'ledger', 'profiles', 'store'],
  // What results look like: the one part of the output that knows the rooms they come from.
  views: [
    ...leaves,
    'output',
    'ledger',
    'profiles',
    'sandbox',
    'sandbox-control',
    'payments',
    'customers',
    'batch',
    'import',
    'spreadsheet',
    'webhooks',
    'support',
    'reconcile',
    'scenarios',
    'doctor',
  ],
  // What every command stands on.
  cli: ['*'],
  demo: ['*'],
  commands: ['*'],
  start: ['*'],
  standalone: ['*'],
};

/** The inner rooms of a room, from the lowest: each imports only from those before it, beside the files of the room. */
const innerRooms: Readonly<Record<string, readonly string[]>> = {
  batch: ['plan', 'rows', 'run'],
  cli: ['flags', 'runtime', 'help', 'files', 'desk', 'completion', 'guided', 'listening'],
  ledger: ['known', 'moves', 'place'],
  sandbox: [
    'domain',
    'settlement',
    'outbox',
    'control',
    'console',
    'http',
    'http/pages',
    'http/pages/paying',
    'http/pages/checkout',
    'http/pages/provider',
    'http/pages/panel',
    'http/pages/console',
  ],
  webhooks: ['tunnels', 'inbox', 'reading', 'forwarding'],
};

function files(folder: string, pattern = /\.tsx?$/): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => pattern.test(name) && !name.endsWith('.d.ts') && !name.includes('node_modules'))
    .map((name) => join(folder, name));
}

/** Worked out once for each file: every test asks for every file again. */
function keptByFile<Result>(work: (file: string) => Result): (file: string) => Result {
  const kept = new Map<string, Result>();
  return (file) => {
    if (!kept.has(file)) kept.set(file, work(file));
    return kept.get(file) as Result;
  };
}

const textOf = keptByFile((file) => readFileSync(file, 'utf8'));

/** Every import, type-only and dynamic ones too. */
const importsOf = keptByFile((file) => {
  const found = textOf(file).matchAll(/(?:from|import)\s*\(?\s*'(\.[^']+)'/g);
  return Array.from(found, ([, path]) => {
    const target = resolve(dirname(file), path as string);
    return sources.get(target) ?? target;
  });
});

const roomOf = keptByFile((file) => {
  const [first = '', second] = relative(src, file).split(sep);
  if (first === 'output' && second === 'views') return 'views';
  return first.replace(/\.tsx?$/, '');
});

const all = files(src);
/** The files by what an import calls them. */
const sources = new Map(all.map((file) => [file.replace(/\.tsx?$/, '.js'), file]));

const declaration = /^export (?:async )?(?:function\*?|const|class|interface|type) (\w+)/gm;

/** What each file exports, but for commands, which are found by their file, and the library, which others import. */
const exported = all
  .filter((file) => roomOf(file) !== 'commands' && roomOf(file) !== 'library')
  .flatMap((file) =>
    Array.from(textOf(file).matchAll(declaration), ([, name]) => ({
      file,
      name: name as string,
    })),
  );

const described = ({ file, name }: { file: string; name: string }) => `${relative(src, file)}: ${name}`;

/** Every file that may import something, with its words. The build names files by their paths in dist. */
const users = ['src', 'test', 'bench', 'bin'].flatMap((folder) =>
  files(join(src, '..', folder), /\.(tsx?|c?js)$/).map((file) => ({
    file,
    imports: new Set(importsOf(file)),
    words: new Set(textOf(file).match(/\w+/g)),
  })),
);

function isImported(file: string, name: string): boolean {
  return users.some(
    (user) =>
      user.file !== file &&
      user.words.has(name) &&
      (user.imports.has(file) || relative(src, user.file).startsWith(join('..', 'bin'))),
  );
}
const page = join(src, '..', 'docs', 'architecture.md');

/** The rooms but for the small files, each with an arrow to those that no other arrow already leads to. */
function diagram(): string {
  const rooms = Object.keys(mayImport).filter(
    (room) => !leaves.includes(room) || all.some((file) => roomOf(file) === room && isInside(file)),
  );
  const below = (room: string) =>
    (mayImport[room] ?? []).filter((target) => rooms.includes(target) && target !== room);
  const reaches = (from: string, target: string): boolean =>
    below(from).some((each) => each === target || reaches(each, target));
  const arrows = rooms.flatMap((room) =>
    below(room)
      .filter((target) => !below(room).some((each) => each !== target && reaches(each, target)))
      .map((target) => `  ${room} --> ${target}`),
  );
  return ['```mermaid', 'flowchart TD', ...arrows, '```'].join('\n');
}

const isInside = (file: string): boolean => relative(src, file).includes(sep);

describe('the house', () => {
  it('has no import that runs the wrong way', () => {
    const wrong = all.flatMap((file) => {
      const allowed = mayImport[roomOf(file)] ?? [];
      return importsOf(file)
        .filter((target) => roomOf(target) !== roomOf(file))
        .filter(
          (target) =>
            roomOf(target) === 'commands' || !(allowed.includes('*') || allowed.includes(roomOf(target))),
        )
        .map((target) => `${relative(src, file)} imports ${relative(src, target)}`);
    });
    expect(wrong).toEqual([]);
  });

  it('has no permission to import that nothing uses', () => {
    const unused = Object.entries(mayImport).flatMap(([room, allowed]) => {
      const used = new Set(
        all
          .filter((file) => roomOf(file) === room)
          .flatMap(importsOf)
          .map(roomOf),
      );
      const hasLeaves = leaves.every((leaf) => allowed.includes(leaf));
      return allowed
        .filter((target) => target !== '*' && !(hasLeaves && leaves.includes(target)))
        .filter((target) => !used.has(target))
        .map((target) => `${room} does not import ${target}`);
    });
    expect(unused).toEqual([]);
  });

  it.each(Object.entries(innerRooms))('has inner rooms in %s that stand on each other', (room, order) => {
    const innerOf = (file: string) => dirname(relative(join(src, room), file)).replaceAll(sep, '/');
    const inside = all.filter((file) => roomOf(file) === room);
    expect(new Set(inside.map(innerOf))).toEqual(new Set([...order, '.']));
    const wrong = inside.flatMap((file) =>
      importsOf(file)
        .filter((target) => roomOf(target) === room && innerOf(file) !== '.')
        .filter((target) => order.indexOf(innerOf(target)) > order.indexOf(innerOf(file)))
        .map((target) => `${relative(src, file)} imports ${relative(src, target)}`),
    );
    expect(wrong).toEqual([]);
  });

  it('enters the sandbox through its index alone', () => {
    const deep = all
      .filter((file) => roomOf(file) !== 'sandbox')
      .flatMap((file) =>
        importsOf(file)
          .filter((target) => roomOf(target) === 'sandbox' && target !== join(src, 'sandbox', 'index.ts'))
          .map((target) => `${relative(src, file)} imports ${relative(src, target)}`),
      );
    expect(deep).toEqual([]);
  });

  it('has no import cycle, not even of types', () => {
    const cycles: string[] = [];
    const done = new Set<string>();
    const visit = (file: string, path: string[]): void => {
      const at = path.indexOf(file);
      if (at >= 0) cycles.push([...path.slice(at), file].map((name) => relative(src, name)).join(' → '));
      if (at >= 0 || done.has(file)) return;
      for (const target of importsOf(file).filter((name) => all.includes(name)))
        visit(target, [...path, file]);
      done.add(file);
    };
    for (const file of all) visit(file, []);
    expect(cycles).toEqual([]);
  });

  it('is drawn in docs/architecture.md', () => {
    const drawn = readFileSync(page, 'utf8').replace(
      /<!-- rooms -->[\s\S]*<!-- \/rooms -->/,
      `<!-- rooms -->\n\n${diagram()}\n\n<!-- /rooms -->`,
    );
    if (process.env['UPDATE_DOCS']) writeFileSync(page, drawn);
    expect(readFileSync(page, 'utf8')).toBe(drawn);
  });

  it('has every file that docs/architecture.md names', () => {
    const named = Array.from(
      readFileSync(page, 'utf8').matchAll(/`((?:src|test|bin)\/[^`]*)`/g),
      ([, path]) => path,
    );
    expect(named.length).toBeGreaterThan(30);
    expect(named.filter((path) => !existsSync(join(src, '..', path as string)))).toEqual([]);
  });

  it('exports nothing that nobody imports', () => {
    expect(exported.filter(({ file, name }) => !isImported(file, name)).map(described)).toEqual([]);
  });

  it('exports no name from two files', () => {
    const files = Map.groupBy(exported, ({ name }) => name);
    expect(
      [...files.values()].filter((found) => found.length > 1).map((found) => found.map(described)),
    ).toEqual([]);
  });

  it('has no command of more than 120 lines', () => {
    const long = all.filter((file) => roomOf(file) === 'commands' && textOf(file).split('\n').length > 121);
    expect(long.map((file) => relative(src, file))).toEqual([]);
  });

  it('knows every room', () => {
    expect([...new Set(all.map(roomOf))].filter((room) => !(room in mayImport))).toEqual([]);
  });

  it('has no room called utils, helpers or common', () => {
    expect(
      all.filter((file) => /(^|[/\\])(utils?|helpers?|common)([/\\.])/.test(relative(src, file))),
    ).toEqual([]);
  });
});
