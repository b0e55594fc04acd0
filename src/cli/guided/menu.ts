// A menu: arrow keys or the first letters of an entry move, Enter chooses, Esc goes back. The list of @inquirer/prompts
// moves to its first entry at Esc and to any entry at a digit, and an entry here may be a refund.

import { safeText } from '../../output/text.js';
import type { PromptContext } from '../../prompts.js';

interface MenuChoice<T> {
  name: string;
  /** Shown below the menu while it is selected. */
  description?: string | undefined;
  /** Shown in place of the name once it is chosen. */
  short?: string;
  value: T;
  /** Only the arrow keys go there, so that no stray key does. */
  arrowsOnly?: boolean;
}

interface Menu<T> {
  message: string;
  choices: ReadonlyArray<MenuChoice<T>>;
  /** Where the cursor starts; at the first entry when absent. */
  start?: T;
  /** What Esc chooses; without it, Esc ends the command as Ctrl-C does. */
  escape?: { name: 'back' | 'quit'; value: T };
  theme?: object;
}

const PAGE_SIZE = 12;
/** After this pause, letters start a new word. */
const WORD_MS = 700;

export async function askMenu<T>(menu: Menu<T>, context: PromptContext): Promise<T> {
  const { leftPrompt, question } = await import('../../prompts.js');
  const choices = menu.choices.map(safeChoice);
  const chosen = await question(await createMenu<T>())({ ...menu, choices }, context);
  if (chosen === undefined) throw leftPrompt();
  return chosen.value;
}

/** Entries may have text from files or from the service. A description may have several lines. */
const safeChoice = <T>({ name, description, short, ...choice }: MenuChoice<T>): MenuChoice<T> => ({
  ...choice,
  name: safeText(name),
  description: description?.split('\n').map(safeText).join('\n'),
  ...(short === undefined ? {} : { short: safeText(short) }),
});

async function createMenu<T>() {
  const core = await import('@inquirer/core');
  return core.createPrompt<{ value: T } | undefined, Menu<T>>((menu, done) => {
    const { choices, escape, message } = menu;
    const theme = core.makeTheme(menu.theme);
    const start = choices.findIndex(({ value }) => 'start' in menu && value === menu.start);
    const [active, setActive] = core.useState(Math.max(0, start));
    const [status, setStatus] = core.useState<'idle' | 'done' | 'left'>('idle');
    const word = core.useRef<NodeJS.Timeout | undefined>(undefined);
    const prefix = core.usePrefix({ status: status === 'idle' ? 'idle' : 'done', theme });
    const current = choices[active] as MenuChoice<T>;
    core.useEffect(() => () => clearTimeout(word.current), []);
    core.useKeypress((key, line) => {
      clearTimeout(word.current);
      if (isEscape(key)) {
        setStatus('left');
        done(escape && { value: escape.value });
      } else if (core.isEnterKey(key)) {
        setStatus('done');
        done({ value: current.value });
      } else if (core.isUpKey(key) || core.isDownKey(key)) {
        line.clearLine(0);
        const step = core.isUpKey(key) ? -1 : 1;
        setActive((active + step + choices.length) % choices.length);
      } else {
        const found = entryFor(choices, line.line);
        if (found >= 0) setActive(found);
        word.current = setTimeout(() => line.clearLine(0), WORD_MS);
      }
    });
    const page = core.usePagination({
      items: choices,
      active,
      renderItem: ({ item, isActive }) =>
        isActive ? theme.style.highlight(`❯ ${item.name}`) : `  ${item.name}`,
      pageSize: PAGE_SIZE,
      loop: true,
    });
    const head = [prefix, theme.style.message(message, status === 'idle' ? 'idle' : 'done')];
    if (status === 'left') return [...head, theme.style.answer(escape?.name ?? 'quit')].join(' ');
    if (status === 'done') return [...head, theme.style.answer(current.short ?? current.name)].join(' ');
    const keys = `↑↓ navigate • ⏎ select • esc ${escape?.name ?? 'quit'}`;
    const below = [current.description ?? '', theme.style.help(keys)].filter(Boolean);
    return `${[head.join(' '), page, ' ', ...below].join('\n')}${HIDE_CURSOR}`;
  });
}

const HIDE_CURSOR = '\u001B[?25l';

/** A key typed right after Esc arrives together with it, as one with Alt. */
const isEscape = (key: { name: string; meta?: boolean }): boolean =>
  key.name === 'escape' || key.meta === true;

/** The entry that begins with what was typed; -1 where there is none. */
function entryFor(choices: ReadonlyArray<MenuChoice<unknown>>, typed: string): number {
  const plain = typed.toLowerCase();
  if (plain === '') return -1;
  return choices.findIndex(
    ({ name, arrowsOnly }) => arrowsOnly !== true && name.toLowerCase().startsWith(plain),
  );
}
