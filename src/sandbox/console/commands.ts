// The commands that stand beside the buttons of the console: what each would be at a shell.

import { paydesk } from '../../next-command.js';

/** A word, the value of a field of the form, or words that are there only with, or only without, such a value. */
type TemplateWord =
  | string
  | { field: string }
  | { with: string; words: CommandTemplate }
  | { without: string; words: CommandTemplate };
export type CommandTemplate = readonly TemplateWord[];

/** Puts values into a command. Needs nothing from outside: the pages run this very function when a choice is changed. */
export function fillCommand(
  template: CommandTemplate,
  values: Readonly<Record<string, string | undefined>>,
): string[] {
  return template.flatMap((word) => {
    if (typeof word === 'string') return [word];
    if ('field' in word) return [values[word.field] ?? ''];
    const isIn = 'with' in word ? Boolean(values[word.with]) : !values[word.without];
    return isIn ? fillCommand(word.words, values) : [];
  });
}

/** A flag with the value of the field of the same name; left out while that is empty. */
const flagOf = (field: string): TemplateWord => ({ with: field, words: [`--${field}`, { field }] });

/**
 * One of several sandboxes may be meant, and one of several apps: a command of the sandbox names its port, one of the
 * desk its profile. Copied, it acts on what the page shows.
 */
export function createCommands(url: string, profileOf: (appId: string) => string | undefined) {
  const { port } = new URL(url);
  const own = (...words: Array<TemplateWord | number>): CommandTemplate => [
    ...paydesk('sandbox').words,
    ...words.map((word) => (typeof word === 'number' ? String(word) : word)),
    '--port',
    port || '0',
  ];
  return {
    /** A command of the desk for one app; undefined when no profile points at it. */
    desk(
      appId: string,
      words: ReadonlyArray<string | number>,
      argument?: string,
    ): CommandTemplate | undefined {
      const profile = profileOf(appId);
      if (profile === undefined) return undefined;
      // After `--` nothing is taken for a flag, whatever it looks like.
      const last = argument === undefined ? [] : argument.startsWith('-') ? ['--', argument] : [argument];
      return [...paydesk(...words).words, '--profile', profile, ...last];
    },
    /** What makes a profile for an app. */
    addProfile(appId: string, isSandbox: boolean): CommandTemplate {
      const kind = isSandbox ? '--sandbox' : '--live';
      return paydesk('profiles', 'add', 'my-app', '--base-url', url, '--app-id', appId, kind).words;
    },
    pay: (id: number) => own('pay', id, '--card', { field: 'card' }),
    challenge: (id: number, result: 'passed' | 'failed') => own('pay', id, '--challenge', result),
    provider: (id: number, answer: 'confirm' | 'decline' | 'hold') => own('provider', id, answer),
    resend: (id: number, webhook: number) => own('resend', id, '--webhook', webhook),
    seed: own('seed'),
    status: own('status'),
    clock: {
      advance: own('clock', 'advance', { field: 'by' }),
      set: own('clock', 'set', { field: 'to' }),
      stop: own('clock', 'stop'),
      resume: own('clock', 'resume'),
    },
    fault: {
      add: own(
        'fault',
        'add',
        { field: 'kind' },
        ...['route', 'next', 'probability', 'status', 'delay'].map(flagOf),
      ),
      clear: (id: number | undefined) => own('fault', 'clear', ...(id === undefined ? [] : [id])),
    },
    app: {
      list: own('apps', 'list', '--json'),
      webhook: (app: string) =>
        own(
          'apps',
          'set',
          app,
          { with: 'url', words: ['--webhook-url', { field: 'url' }] },
          { without: 'url', words: ['--no-webhook'] },
        ),
      policy: (app: string) =>
        own(
          'apps',
          'set',
          app,
          { with: 'policy', words: ['--fraud-policy', { field: 'policy' }] },
          { without: 'policy', words: ['--no-fraud-policy'] },
        ),
      blocked: (app: string, blocked: boolean) =>
        own('apps', 'set', app, blocked ? '--blocked' : '--no-blocked'),
    },
  };
}

export type Commands = ReturnType<typeof createCommands>;
