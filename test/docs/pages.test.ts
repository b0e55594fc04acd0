import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { describeWithPostgres } from '../helpers/postgres.js';
import { type CommandStep, linesNotRun, stepsOf } from './page.js';
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

  // Each has a home and ports of its own, and waits for the programs that it starts.
  it.concurrent(`${name} prints what it says`, async () => {
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
  const names = ['README.md', 'docs/scenarios.md', ...recipes];
  for (const name of names.filter((name) => !needsPostgres(name))) follow(name, async () => ({}));

  it.concurrent('README.md names commands of the sandbox that work', async () => {
    const named = readFileSync(`${root}README.md`, 'utf8').matchAll(/`(paydesk sandbox \w+[^`]*)`/g);
    const commands = Array.from(named, ([, command]) => command as string);
    expect(commands.length).toBeGreaterThan(5);
    const reader = await createReader();
    try {
      await reader.type('paydesk sandbox start --detach --memory');
      const order = '--amount 10 --currency EUR --customer c_1 --return-url https://shop.example/';
      await reader.type(`paydesk payments create --reference inv-1 ${order}`);
      await reader.type(`echo '{ "scripts": { "test": "true" } }' > package.json`);
      for (const command of commands) {
        const others = command.includes('sandbox start')
          ? ' --detach --memory --port 4011 --no-profiles'
          : '';
        const { text } = await reader.type(`${command}${others}; echo "ended with $?"`);
        expect(text, command).toContain('ended with 0');
        if (others !== '') await reader.type('paydesk sandbox stop --port 4011');
      }
    } finally {
      await reader.close();
    }
  });
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

/** What is shown and cannot be run here: it installs, or is for another machine or a job. */
const NOT_RUN = [
  'npm ci && npx paydesk demo',
  'npm ci && npm pack',
  'npm install --global ./paydesk-0.1.0.tgz',
  'npm run build:standalone',
  'paydesk completion bash >> ~/.bashrc',
  'paydesk completion zsh >> ~/.zshrc',
  'paydesk completion fish > ~/.config/fish/completions/paydesk.fish',
  'paydesk profiles add shop --base-url https://pay.example --app-id 7f31c2 --live',
  'paydesk doctor',
  'paydesk reconcile settlement.csv --map northbank.yaml --format markdown >> "$GITHUB_STEP_SUMMARY"',
];

it('nothing else is left out', () => {
  const shown = ['README.md', ...recipes].flatMap((name) =>
    linesNotRun(readFileSync(`${root}${name}`, 'utf8')),
  );
  expect(shown).toEqual(NOT_RUN);
});
