import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import * as errors from '../src/errors.js';
import { answerVariants } from '../src/sandbox/answers.js';
import { isLegal, stateNames, states } from '../src/contract/states.js';

const read = (path: string) => readFileSync(fileURLToPath(new URL(`../${path}`, import.meta.url)), 'utf8');

interface Manifest {
  commands: Record<string, { flags: Record<string, { name: string; char?: string; allowNo?: boolean }> }>;
}

const { commands } = JSON.parse(read('oclif.manifest.json')) as Manifest;

/** Every `paydesk …` that a page shows, in blocks and inline. */
function commandsIn(page: string): string[] {
  const blocks = Array.from(
    page.matchAll(/```(?:sh|console|bash)?\n([\s\S]*?)```/g),
    ([, text]) => text as string,
  );
  const inline = Array.from(page.matchAll(/`(paydesk [^`\n]+)`/g), ([, text]) => text as string);
  return [...blocks.flatMap((text) => text.split('\n')), ...inline]
    .map((line) =>
      line
        .trim()
        .replace(/^\$ /, '')
        .replace(/^.*&& (npx )?(?=paydesk)/, ''),
    )
    .filter((line) => line.startsWith('paydesk '));
}

const recipes = readdirSync(fileURLToPath(new URL('../docs/recipes', import.meta.url)));

describe.each([
  'README.md',
  'CONTRIBUTING.md',
  'docs/commands.md',
  'docs/spec-gaps.md',
  'docs/exit-codes.md',
  'docs/performance.md',
  'docs/proof.md',
  'docs/scenarios.md',
  'docs/security.md',
  'docs/tunnels.md',
  ...recipes.map((name) => `docs/recipes/${name}`),
])('%s', (page) => {
  const shown = commandsIn(read(page));

  it.each(shown.length > 0 ? shown : ['paydesk demo'])(
    '%s is a command of the program, with flags that it has',
    (line) => {
      const words = line.split(' ').slice(1);
      const flagAt = words.findIndex((word) => word.startsWith('-'));
      const names = flagAt < 0 ? words : words.slice(0, flagAt);
      const id = names
        .map((_, index) => names.slice(0, index + 1).join(':'))
        .findLast((candidate) => candidate in commands);
      if (id === undefined) {
        expect(['--help', '--version', 'help', 'NAME']).toContain(words[0]);
        return;
      }
      const flags = Object.values(commands[id]?.flags ?? {});
      for (const word of line.match(/(?<=\s)--[a-z][a-z-]*/g) ?? []) {
        const name = word.slice(2);
        const known = flags.some(
          (flag) => flag.name === name || (flag.allowNo && `no-${flag.name}` === name),
        );
        expect(known || name === 'help', `${id} has no ${word}`).toBe(true);
      }
    },
  );
});

it.each([
  'README.md',
  'CONTRIBUTING.md',
  'docs/performance.md',
  'docs/proof.md',
  'docs/security.md',
  ...recipes.map((name) => `docs/recipes/${name}`),
])('%s links to files and headings that are there', (page) => {
  const links = Array.from(read(page).matchAll(/\]\((?!https?:)([^)#]*)(?:#([^)]+))?\)/g));
  for (const [whole, path, heading] of links) {
    const url = new URL(path === '' ? '' : (path as string), new URL(`../${page}`, import.meta.url));
    expect(existsSync(url), whole).toBe(true);
    if (heading === undefined) continue;
    const headings = Array.from(readFileSync(url, 'utf8').matchAll(/^#+ (.+)$/gm), ([, text]) =>
      (text as string)
        .toLowerCase()
        .replaceAll(/[^\w -]/g, '')
        .replaceAll(' ', '-'),
    );
    expect(headings, whole).toContain(heading);
  }
});

it('the exit codes of the docs are those of the program', () => {
  const documented = Array.from(read('docs/exit-codes.md').matchAll(/^\| (\d+) *\|/gm), ([, code]) =>
    Number(code),
  );
  const classes = Object.values(errors).filter(
    (value) => typeof value === 'function' && value.prototype instanceof Error,
  );
  const used = classes.map((type) =>
    errors.exitCodeOf(Object.create((type as { prototype: object }).prototype) as Error),
  );
  expect(documented.toSorted((a, b) => a - b)).toEqual([...new Set([0, ...used])].toSorted((a, b) => a - b));
});

it('the page on gaps has every variant and every state', () => {
  const page = read('docs/spec-gaps.md');
  for (const [name, variants] of Object.entries(answerVariants)) {
    const row = page.split('\n').find((line) => line.includes(`| \`${name}\``)) ?? '';
    for (const variant of variants) expect(row, name).toContain(`\`${variant}\``);
  }
  for (const name of stateNames) expect(page).toMatch(new RegExp(`\\| ${states[name].id} +\\| ${name} `));
});

it('the page on gaps names the states that a payment can be cancelled from', () => {
  const [, named = ''] = /^- Cancel is legal from (.+?)\./m.exec(read('docs/spec-gaps.md')) ?? [];
  expect(named.split(/, | and /)).toEqual(stateNames.filter((name) => isLegal('cancel', name)));
});

it.each([
  'README.md',
  'docs/commands.md',
  'oclif.manifest.json',
  ...recipes.map((name) => `docs/recipes/${name}`),
])('%s quotes an amount after a tilde, which zsh takes for a folder', (page) => {
  expect(read(page).match(/.{0,20}(?<!')~\d.{0,20}/g) ?? []).toEqual([]);
});
