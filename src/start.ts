// Runs what was typed: oclif with its manifest, our errors and exit codes around it.

import { fileURLToPath } from 'node:url';
import { dirname } from 'node:path';
import { Config } from '@oclif/core/config';
import { normalizeArgv } from '@oclif/core/help';
import { run } from '@oclif/core/run';
import { UsageError } from './errors.js';
import { processSecrets } from './output/redact.js';
import { reportError } from './output/report.js';
import { createStreams } from './output/streams.js';
import { suggest } from './suggest.js';
import { wantsDebug, wantsJson } from './cli/surroundings.js';

const isFlag = (word: string): boolean => word.startsWith('-');

/** Where the topic is right only the last word was mistyped: the whole would make short verbs look alike. */
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

/** Why there is nothing to run, with what was probably meant. */
function unknownCommand(config: Config, argv: readonly string[]): UsageError {
  const { bin } = config;
  const ids = config.commandIDs.map((id) => id.replaceAll(':', ' '));
  const end = argv.findIndex(isFlag);
  const words = end < 0 ? [...argv] : argv.slice(0, end);
  if (words.length === 0) {
    return new UsageError(`The command comes first, then its flags: ${bin} COMMAND ${argv.join(' ')}`, {
      code: 'usage',
      next: [`${bin} --help`],
    });
  }
  const typed = words.join(' ');
  const parent = ids.filter((id) => typed.startsWith(`${id} `)).sort((a, b) => b.length - a.length)[0];
  if (parent !== undefined && !ids.some((id) => id.startsWith(`${parent} `))) {
    const extra = typed.slice(parent.length + 1);
    return new UsageError(`${parent} takes no argument: ${extra}`, {
      code: 'usage',
      next: [`${bin} ${parent} --help`],
    });
  }
  // What follows the name of a command may be its arguments: compare as many words as each name has.
  const close = [1, 2, 3]
    .filter((length) => length <= words.length)
    .map((length) =>
      closest(
        words.slice(0, length),
        ids.filter((id) => id.split(' ').length === length),
      ),
    )
    .findLast((name) => name !== undefined);
  const topics = config.topics.map(({ name }) => name.replaceAll(':', ' '));
  const topic = topics.includes(words[0]!) ? words[0] : suggest(words[0]!, topics);
  return new UsageError(
    `There is no command ${typed}.${close === undefined ? '' : ` Did you mean ${bin} ${close}?`}`,
    {
      code: 'unknown-command',
      next: [topic === undefined ? `${bin} --help` : `${bin} ${topic} --help`],
    },
  );
}

async function dispatch(root: string, argv: string[]): Promise<void> {
  const config = await Config.load({ root, ...manifestOnly });
  const [id = ''] = normalizeArgv(config, argv);
  const end = argv.indexOf('--');
  const asksHelp = argv.length === 0 || (end < 0 ? argv : argv.slice(0, end)).includes('--help');
  const known = config.findCommand(id) ?? config.findTopic(id);
  if (!asksHelp && argv[0] !== '--version' && !known) throw unknownCommand(config, argv);
  await run(argv, config);
}

// No plugins of people or of development: what ships is what runs.
const manifestOnly = { devPlugins: false, userPlugins: false, jitPlugins: false };

export async function start(importMetaUrl: string): Promise<void> {
  const typed = process.argv.slice(2);
  const argv = typed[0] === 'help' ? [...typed.slice(1), '--help'] : typed;
  const debug = wantsDebug(argv, process.env);
  if (debug) process.setSourceMapsEnabled(true);
  const { stdin, stdout, stderr, env } = process;
  const streams = () =>
    createStreams({ stdin, stdout, stderr, env, redact: (text) => processSecrets.redact(text) });
  const fail = (error: unknown) =>
    reportError(error, { streams: streams(), json: wantsJson(argv) && 'document', debug });

  // Whatever escapes every promise is a bug too, and is told like one.
  for (const event of ['uncaughtException', 'unhandledRejection'] as const) {
    process.on(event, (error: unknown) => void fail(error).then((code) => process.exit(code)));
  }
  try {
    await dispatch(dirname(dirname(fileURLToPath(importMetaUrl))), argv);
  } catch (error) {
    process.exitCode = await fail(error);
  }
  // Sockets kept alive must not keep the person waiting; what was written must still arrive.
  stdout.write('', () => stderr.write('', () => process.exit()));
}
