import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type CommandStep, type Step, stepsOf } from '../docs/page.js';
import { brokenWords, screenProblems } from '../helpers/screen-problems.js';
import { type Receiver, startReceiver } from '../helpers/sandbox.js';
import { openSessions, type Session, type Shown } from './session.js';

// The commands of the README and the recipes at a narrow and a wide terminal. What they print at 80 columns is compared
// in test/docs.

const root = fileURLToPath(new URL('../..', import.meta.url));
const recipes = readdirSync(`${root}docs/recipes`).map((name) => `docs/recipes/${name}`);
const WIDE = 400;
const widths = [60, 120];

/** A command of paydesk alone, and its words for people: not what a shell does with it, nor JSON, nor what never ends. */
const isPlain = ({ command = '', stays }: CommandStep): boolean =>
  command.startsWith('paydesk ') &&
  !stays &&
  !/[|<>;&$`]|--j(?:son|q)\b/.test(command) &&
  !command.includes('postgres:');

function wordsOf(command: string): string[] {
  const words = command.replaceAll('\\\n', ' ').match(/(?:[^\s'"]|'[^']*'|"[^"]*")+/g) ?? [];
  const named = words.slice(1).map((word) =>
    word
      .replaceAll(/['"]/g, '')
      .replace(/^app_[0-9a-f]{12}$/, '{app}')
      .replace(/^20\d{6}-[a-z0-9]{6}$/, '{batch}'),
  );
  return command.includes('sandbox start') ? [...named, '--port', '0'] : named;
}

let receiver: Receiver;
let people: Awaited<ReturnType<typeof openSessions>>;
beforeAll(async () => {
  receiver = await startReceiver();
  people = await openSessions([WIDE, ...widths], receiver.url);
});
afterAll(async () => {
  await people.close();
  await receiver.close();
});

async function follow(steps: readonly Step[], session: Session): Promise<Shown[]> {
  const shown: Shown[] = [];
  for (const step of steps) {
    if (step.kind === 'file') writeFileSync(join(session.folder, basename(step.name)), step.text);
    else if (isPlain(step)) {
      const answers = step.answers.map(({ at, type }) => ({ at, type: `${type}\r` }));
      const silent = answers.length === 0 ? ['--no-input'] : [];
      shown.push(await session.run([...wordsOf(step.command as string), ...silent], { answers }));
    }
  }
  return shown;
}

const stepsIn = (name: string) => stepsOf(readFileSync(`${root}${name}`, 'utf8'));
const plainIn = (name: string) =>
  stepsIn(name)
    .filter((step) => step.kind === 'command')
    .filter(isPlain);
const pages = ['README.md', ...recipes];

it('nearly every page has commands that are tried here', () => {
  const without = pages.filter((name) => plainIn(name).length === 0);
  expect(without).toEqual(['docs/recipes/sandbox-in-your-tests.md']);
});

it.each(pages.filter((name) => plainIn(name).length > 0))('%s fits', async (name) => {
  const steps = stepsIn(name);
  const commands = plainIn(name);
  for (const session of people.sessions) session.startOver();
  const [wide, ...narrow] = await Promise.all(people.sessions.map((session) => follow(steps, session)));
  const problems = narrow.flatMap((all, at) =>
    all.flatMap(({ screen }, index) => {
      const columns = widths[at] as number;
      const found = [...screenProblems(screen, columns), ...brokenWords(screen, wide![index]!.screen)];
      return found.map((problem) => `${commands[index]?.command} (${columns} columns): ${problem}`);
    }),
  );
  expect(problems.join('\n')).toBe('');
  expect(wide!.length).toBeGreaterThan(0);
});
