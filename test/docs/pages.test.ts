import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { describeWithPostgres } from '../helpers/postgres.js';
import { type CommandStep, stepsOf } from './page.js';
import { createReader } from './reader.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const recipes = readdirSync(`${root}docs/recipes`).map((name) => `docs/recipes/${name}`);

/** With UPDATE_DOCS set, a page gets what is printed now. */
const isUpdating = Boolean(process.env['UPDATE_DOCS']);

/** What a page's addresses of databases stand for. */
type Databases = Record<string, string>;

function follow(name: string, databases: () => Promise<Databases>): void {
  const path = `${root}${name}`;
  const page = readFileSync(path, 'utf8');

  it(`${name} prints what it says`, { timeout: 120_000 }, async () => {
    const reader = await createReader(await databases());
    const stale: Array<{ step: CommandStep; printed: string[] }> = [];
    try {
      for (const step of stepsOf(page)) {
        const { problem, printed } = await reader.take(step);
        if (problem === undefined || step.kind === 'file') continue;
        if (isUpdating) stale.push({ step, printed });
        else {
          const command = `${name}:${step.line}: $ ${step.command ?? ''}`;
          expect.unreachable(`${command}\n${problem}\n\n${printed.join('\n')}`);
        }
      }
    } finally {
      await reader.close();
    }
    if (isUpdating) writeFileSync(path, rewritten(page, stale));
  });
}

const needsPostgres = (name: string) => readFileSync(`${root}${name}`, 'utf8').includes('@db.example/');

describe('pages', () => {
  const names = ['README.md', ...recipes];
  for (const name of names.filter((name) => !needsPostgres(name))) follow(name, async () => ({}));
});

describeWithPostgres('pages with a shared database', (postgres) => {
  for (const name of recipes.filter(needsPostgres)) {
    follow(name, async () => {
      const shown = readFileSync(`${root}${name}`, 'utf8').match(/postgres:\/\/\w+@db\.example\/\w+/g) ?? [];
      const made = [...new Set(shown)].map(async (url) => [url, await postgres().createDatabase()]);
      return Object.fromEntries(await Promise.all(made)) as Databases;
    });
  }
});

function rewritten(page: string, stale: Array<{ step: CommandStep; printed: string[] }>): string {
  const lines = page.split('\n');
  for (const { step, printed } of stale.toReversed()) {
    const from = step.line - 1 + (step.command === undefined ? 0 : step.command.split('\n').length);
    lines.splice(from, step.shown.length, ...printed.join('\n').trimEnd().split('\n'));
  }
  return lines.join('\n');
}
