import { keepHeapSmall } from './small-heap.js';
import { processSecrets, type Redactor } from '../../redact.js';
import type { OutputStream, StreamSource } from '../../output/streams.js';

type OnInterrupt = (signal?: NodeJS.Signals) => void;

/** The process that a command runs in: streams, environment, clock, signals. Tests bring their own. */
export interface Runtime extends StreamSource {
  secrets: Redactor;
  now(): Date;
  /** Calls back on Ctrl-C, SIGTERM and SIGHUP; returns a function that stops it. */
  onInterrupt(callback: OnInterrupt): () => void;
  /** For work on many rows. What else runs in this process goes slower then. */
  keepHeapSmall(): void;
  setExitCode(code: number): void;
  /** Leaves at once. */
  exit(code: number): void;
}

/** The commands that run: one may run others. */
const interruptible = new Set<OnInterrupt>();
/** Those of them that know that the terminal was closed. */
const hungUp = new WeakSet<OnInterrupt>();
let isListening = false;
let isLate = false;

function onSignal(signal: NodeJS.Signals): void {
  if (interruptible.size === 0) {
    // What happened is being printed, and its code must not become that of a signal. The second one ends what hangs.
    // oxlint-disable-next-line unicorn/no-process-exit -- nothing else ends a process that cannot print
    if (isLate) process.exit();
    isLate = true;
    return;
  }
  for (const callback of interruptible) {
    // A terminal that closes may send it more than once, and nobody is in a hurry: only the first one counts.
    if (signal === 'SIGHUP' && hungUp.has(callback)) continue;
    if (signal === 'SIGHUP') hungUp.add(callback);
    callback(signal);
  }
}

export const processRuntime: Runtime = {
  // Node creates each stream when it is first used.
  get stdin() {
    return process.stdin;
  },
  get stdout() {
    return process.stdout;
  },
  get stderr() {
    return process.stderr;
  },
  env: process.env,
  secrets: processSecrets,
  now: () => new Date(),
  onInterrupt(callback) {
    if (!isListening) process.on('SIGINT', onSignal).on('SIGTERM', onSignal).on('SIGHUP', onSignal);
    isListening = true;
    interruptible.add(callback);
    return () => void interruptible.delete(callback);
  },
  keepHeapSmall,
  setExitCode: (code) => void (process.exitCode = code),
  // oxlint-disable-next-line unicorn/no-process-exit -- a second Ctrl-C must end whatever hangs
  exit: (code) => process.exit(code),
};

/** An output that never fails, such as a text that is kept. */
export function takesAll(keep: (text: string) => void): OutputStream['write'] {
  return (text, done) => {
    keep(text);
    done?.();
  };
}

/** The words that can be options: after `--` everything is an argument. */
export function wordsBeforeArguments(argv: readonly string[]): readonly string[] {
  const end = argv.indexOf('--');
  return end < 0 ? argv : argv.slice(0, end);
}

/** Whether JSON was asked for. Read from the words themselves: errors can occur before they are parsed. */
export function wantsJson(argv: readonly string[]): boolean {
  return wordsBeforeArguments(argv).some(
    (word) => word === '--json' || word === '--jq' || word.startsWith('--jq='),
  );
}

/** Whether the stack and the requests were asked for. */
export function wantsDebug(argv: readonly string[], env: StreamSource['env']): boolean {
  return (
    wordsBeforeArguments(argv).includes('--debug') || !['', '0', 'false'].includes(env['PAYDESK_DEBUG'] ?? '')
  );
}
