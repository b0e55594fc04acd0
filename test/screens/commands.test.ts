import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { brokenWords, screenProblems } from '../helpers/screen-problems.js';
import { type Receiver, startReceiver } from '../helpers/sandbox.js';
import { commandNames } from '../every-command/cases.js';
import { openSessions, type Session, type Shown } from './session.js';
import { type Step, steps, writeFiles } from './steps.js';

// Every command at terminals of three widths: what it says when it works, when it fails, and when it is asked for help.

const WIDE = 400;
const widths = [60, 80, 120];

const help: Step[] = [[], ...commandNames.map((name) => name.split(':'))].map((words) => ({
  words: [...words, '--help'],
}));
const wrong: Step[] = commandNames.map((name) => ({ words: [...name.split(':'), '--nonsense'] }));

let people: Awaited<ReturnType<typeof openSessions>>;
let receiver: Receiver;
beforeAll(async () => {
  receiver = await startReceiver();
  people = await openSessions([WIDE, ...widths], receiver.url);
  for (const { folder } of people.sessions) writeFiles(folder);
});
afterAll(async () => {
  await people.close();
  await receiver.close();
});

async function typeAll(all: readonly Step[], session: Session): Promise<Shown[]> {
  const shown: Shown[] = [];
  for (const { words, ...options } of all) shown.push(await session.run(words, options));
  return shown;
}

/** Types the same at every width, and says what is wrong with each screen. */
async function problemsOf(all: readonly Step[]) {
  const [wide, ...narrow] = await Promise.all(people.sessions.map((session) => typeAll(all, session)));
  const problems = narrow.flatMap((shown, at) =>
    shown.flatMap(({ screen, exit }, index) => {
      const columns = widths[at] as number;
      const { screen: whole, exit: expected } = wide![index] as Shown;
      const { exact } = all[index] as Step;
      const found = exact ? [] : [...screenProblems(screen, columns), ...brokenWords(screen, whole)];
      if (exit !== expected) found.push(`ended with ${exit}, not ${expected}`);
      if (found.length === 0) return [];
      return [`paydesk ${all[index]!.words.join(' ')} (${columns} columns)\n  ${found.join('\n  ')}`];
    }),
  );
  return { problems, shown: wide as Shown[] };
}

/** Its screen is that of `batch apply`, and it needs a batch that was stopped half-way. */
const elsewhere = ['batch:resume'];

/** With words that it knows, these can only work; an option that does not exist is tried above. */
const neverFails = [
  'demo',
  'profiles:list',
  'sandbox:apps',
  'sandbox:apps:list',
  'sandbox:clock',
  'sandbox:clock:show',
  'sandbox:clock:stop',
  'sandbox:clock:resume',
  'sandbox:fault',
  'sandbox:fault:list',
  'sandbox:stop',
  'scenario:list',
];

/** Commands that only programs run. */
const isHidden = (name: string): boolean =>
  ['completion:words', 'ledger:lock-probe', 'sandbox:exec-guard'].includes(name);

const nameOf = ({ words }: Step): string | undefined =>
  words
    .map((_, index) => words.slice(0, index + 1).join(':'))
    .findLast((name) => commandNames.includes(name));

describe('on a terminal', () => {
  it('help fits', async () => {
    const { problems, shown } = await problemsOf(help);
    expect(problems.join('\n')).toBe('');
    expect(new Set(shown.map(({ exit }) => exit))).toEqual(new Set([0]));
  });

  it('an option that does not exist is told so that it fits', async () => {
    const { problems, shown } = await problemsOf(wrong);
    expect(problems.join('\n')).toBe('');
    expect(new Set(shown.map(({ exit }) => exit))).toEqual(new Set([2]));
  });

  it('what every command says fits', async () => {
    const { problems, shown } = await problemsOf(steps);
    expect(problems.join('\n')).toBe('');
    const named = (wanted: (exit: number) => boolean) =>
      new Set(steps.filter((_, index) => wanted(shown[index]!.exit)).map(nameOf));
    const without = (names: Set<string | undefined>) =>
      commandNames.filter((name) => !isHidden(name) && !names.has(name));
    const works = without(named((exit) => exit === 0)).filter((name) => !elsewhere.includes(name));
    const fails = without(new Set([...named((exit) => exit !== 0), ...neverFails]));
    expect({ works, fails }).toEqual({ works: [], fails: [] });
  });
});
