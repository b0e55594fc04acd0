import { type PaydeskError, TemporaryError } from '../../errors.js';
import { paydesk } from '../../next-command.js';
import type { Child, Ending } from './child.js';
import type { TunnelConnection } from './tunnel.js';

interface ChildConnectionOptions {
  child: Child;
  /** Known beforehand; otherwise it is read from what the program writes. */
  url?: string | undefined;
  /** The public origin, when this line tells it. */
  readUrl: (line: string) => string | undefined;
  /** Why it ended, from its last words. */
  explain: (ending: Ending) => PaydeskError;
  signal: AbortSignal;
  /** How long it may take to tell its address. */
  limitMs: number;
}

/** A connection for as long as a program runs. */
export async function connectThrough(options: ChildConnectionOptions): Promise<TunnelConnection> {
  const { child, signal } = options;
  let url = options.url;
  const ended = child.ended.then(options.explain);
  const told = new Promise<string>((resolve) => {
    if (url !== undefined) resolve(url);
    child.onLine((line) => {
      const found = options.readUrl(line);
      if (found === undefined || !URL.canParse(found)) return;
      url = new URL(found).origin;
      resolve(url);
    });
  });
  const settled = new AbortController();
  const stopped = new Promise<never>((_, reject) => {
    const leave = () => reject(signal.reason as Error);
    signal.addEventListener('abort', leave, { once: true, signal: settled.signal });
    if (signal.aborted) leave();
    const timer = setTimeout(() => reject(silent(options.limitMs)), options.limitMs);
    settled.signal.addEventListener('abort', () => clearTimeout(timer));
  });
  try {
    await Promise.race([told, ended.then((error) => Promise.reject(error)), stopped]);
  } catch (error) {
    await child.stop();
    throw error;
  } finally {
    settled.abort();
  }
  return {
    get url() {
      return url as string;
    },
    ended,
    stop: () => child.stop(),
  };
}

const silent = (limitMs: number) =>
  new TemporaryError(`The tunnel gave no public address within ${limitMs / 1000} s.`, {
    code: 'tunnel-silent',
    details: 'Run the command again, or use your own server:',
    next: [paydesk('webhook', 'listen', '--tunnel', 'ssh:USER@HOST')],
  });
