import { commandText, paydesk } from '../../next-command.js';
import { UsageError } from '../../errors.js';
import { suggest } from '../../suggest.js';

const wordsOf = (name: string): string[] => name.split(' ');
const isFlag = (word: string): boolean => word.startsWith('-');

/** If the topic is right, only the last word is compared: in whole commands, short verbs look alike. */
function closest(words: readonly string[], ids: readonly string[]): string | undefined {
  const topic = words
    .slice(0, -1)
    .map((word) => `${word} `)
    .join('');
  const within = ids.filter((id) => id.startsWith(topic));
  if (topic === '' || within.length === 0) return suggest(words.join(' '), ids);
  const verb = suggest(
    words.at(-1)!,
    within.map((id) => id.slice(topic.length)),
  );
  return verb === undefined ? undefined : topic + verb;
}

/** Verbs that people expect, and ours. */
const expectedVerbs: Readonly<Record<string, string>> = {
  approve: 'unhold',
  lookup: 'find',
  ls: 'list',
  retrieve: 'get',
  search: 'find',
  show: 'get',
  status: 'explain',
  view: 'get',
  void: 'cancel',
};

/** Whole commands that people expect, and ours. */
const expectedCommands: Readonly<Record<string, string>> = {
  'auth login': 'profiles add',
  'charges create': 'payments charge',
  config: 'profiles list',
  'customers delete': 'customers forget',
  'events list': 'webhook events',
  login: 'profiles add',
  logs: 'webhook events --follow',
  'logs tail': 'webhook events --follow',
  refunds: 'payments refund',
  'refunds create': 'payments refund',
  version: '--version',
  'webhook list': 'webhook events',
  'webhook resend': 'sandbox resend',
  'webhooks list': 'webhook events',
};

interface Expected {
  meant: string[];
  /** What to type after it. */
  args: readonly string[];
}

function expectedCommand(words: readonly string[]): Expected | undefined {
  for (const length of [2, 1]) {
    const ours = expectedCommands[words.slice(0, length).join(' ')];
    if (ours !== undefined) return { meant: wordsOf(ours), args: words.slice(length) };
  }
  return undefined;
}

/** A verb that people expect under a topic of ours. */
function expectedVerb(words: readonly string[], commands: readonly string[]): Expected | undefined {
  const [topic = '', verb = '', ...args] = words;
  const ours = `${topic} ${expectedVerbs[verb] ?? ''}`;
  if (commands.includes(ours)) return { meant: wordsOf(ours), args };
  if (verb !== 'history') return undefined;
  const [payment] = topic === 'payments' ? args : [];
  return { meant: ['history'], args: payment === undefined ? [] : ['--payment', payment] };
}

/** Says that there is no such command, and suggests one. `commands` and `topics` are as people type them. */
export function unknownCommand(
  argv: readonly string[],
  { commands, topics }: { commands: readonly string[]; topics: readonly string[] },
): UsageError {
  const end = argv.findIndex(isFlag);
  const words = end < 0 ? [...argv] : argv.slice(0, end);
  if (words.length === 0) {
    const example = commandText(paydesk('COMMAND', ...argv));
    return new UsageError(`Put the command first, then its options: ${example}`, {
      code: 'usage',
      next: [paydesk('--help')],
    });
  }
  const expect = ({ meant, args }: Expected) =>
    didYouMeanCommand(words, meant, [...meant, ...args, ...argv.slice(words.length)]);
  const known = expectedCommand(words);
  if (known) return expect(known);
  // Arguments may follow the name, so each name is compared with as many words as it has.
  const close = [1, 2, 3]
    .filter((length) => length <= words.length)
    .map((length) =>
      closest(
        words.slice(0, length),
        commands.filter((id) => wordsOf(id).length === length),
      ),
    )
    .findLast((name) => name !== undefined);
  const verbs = commands.filter((id) => wordsOf(id).length > 1 && id.endsWith(` ${words[0]}`));
  if (verbs.length > 0 && !topics.includes(words[0]!)) return verbAlone(verbs, argv);
  const topic = topics.includes(words[0]!) ? words[0] : suggest(words[0]!, topics);
  const other = expectedVerb(topics.includes(words[0]!) ? words : ['payments', ...words], commands);
  if (other) return expect(other);
  if (close !== undefined) {
    const meant = wordsOf(close);
    return didYouMeanCommand(words, meant, [...meant, ...argv.slice(meant.length)]);
  }
  return new UsageError(`Unknown command: ${words.join(' ')}.`, {
    code: 'unknown-command',
    next: [paydesk(...(topic === undefined ? [] : wordsOf(topic)), '--help')],
  });
}

/** A misspelt command under a topic that is a command itself, and takes no arguments: `sandbox clock advnce`. */
export function mistypedSubcommand(
  topic: readonly string[],
  [typed = '', ...rest]: readonly string[],
  commands: readonly string[],
): UsageError | undefined {
  const words = [...topic, typed];
  const below = commands.filter((id) => id.startsWith(`${topic.join(' ')} `));
  const close = below.length === 0 || isFlag(typed) ? undefined : closest(words, below);
  if (close === undefined) return undefined;
  return didYouMeanCommand(words, wordsOf(close), [...wordsOf(close), ...rest]);
}

function didYouMeanCommand(
  words: readonly string[],
  meant: readonly string[],
  whole: readonly string[],
): UsageError {
  const command = commandText(paydesk(...meant));
  return new UsageError(`Unknown command: ${words.join(' ')}. Did you mean ${command}?`, {
    code: 'unknown-command',
    next: [paydesk(...whole)],
  });
}

/** A verb was typed without its noun: payments come first, since most verbs are about them. */
function verbAlone(commands: readonly string[], argv: readonly string[]): UsageError {
  const isPayments = (id: string) => id.startsWith('payments ');
  const [first = '', ...others] = commands.toSorted((a, b) => Number(isPayments(b)) - Number(isPayments(a)));
  const whole = (id: string) => paydesk(...wordsOf(id), ...argv.slice(1));
  const meant = commandText(paydesk(...wordsOf(first)));
  return new UsageError(`Unknown command: ${argv[0]}. Did you mean ${meant}?`, {
    code: 'unknown-command',
    next: [first, ...others].map(whole),
  });
}
