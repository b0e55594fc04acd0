import { Command } from '@oclif/core/command';
import type { Config } from '@oclif/core/config';
import type { Input, ParserOutput } from '@oclif/core/interfaces';
import { isCi } from '../../ci.js';
import { definitionOf, readCommandLine, usageError } from './command-line.js';
import {
  exitCodeOf,
  FilterError,
  InterruptedError,
  OutputError,
  PaydeskError,
  PendingError,
  UsageError,
  UnknownOutcomeError,
} from '../../errors.js';
import { globalFlags } from '../flags/flags.js';
import { type Command as NextCommand, paydesk } from '../../next-command.js';
import type { FilterFailure, JqFilter } from '../../output/jq.js';
import type { Line, View } from '../../output/lines.js';
import type { Redactor } from '../../redact.js';
import {
  describeError,
  type Missing,
  outputError,
  reportError,
  reportUnwritten,
  shortLine,
  type UsageProblem,
} from '../../output/report.js';
import type { ListOptions, ListView } from '../../output/rows.js';
import { createStreams, type Streams } from '../../output/streams.js';
import { safeJson } from '../../output/text.js';
import { Printer } from './printer.js';
import type { Program } from './program.js';
import type { PromptContext } from '../../prompts.js';
import type { CommandContext } from './context.js';
import { createSentChanges } from './sent-changes.js';
import { processRuntime, type Runtime, wantsDebug, wantsJson } from './runtime.js';

type Values = Record<string, unknown>;

/**
 * Every command: `run()` parses, makes one domain call, shows one view, and returns what `--json` prints.
 * Errors, exit codes, JSON, interruption and time limits are dealt with here and nowhere else.
 */
export abstract class BaseCommand extends Command implements CommandContext {
  static override baseFlags = globalFlags;

  readonly streams: Streams;
  readonly secrets: Redactor;
  readonly json: boolean;
  readonly sent = createSentChanges();
  readonly trace: ((text: string) => void) | undefined;
  interactive = false;
  profileName: string | undefined;

  readonly #runtime: Runtime;
  readonly #printer: Printer;
  readonly #debug: boolean;
  readonly #abort = new AbortController();
  #observesSignal = false;
  #interrupted: (error: PaydeskError) => void = () => {};
  #timer: NodeJS.Timeout | undefined;
  #ending: PaydeskError | undefined;
  #exitCode = 0;
  #filterFailed = false;
  #isPrinting = false;
  #onlyReads = false;
  #hasStartedChanging = false;
  readonly #closers: Array<() => unknown> = [];
  readonly #refinements: Array<(error: unknown) => Promise<unknown>> = [];

  constructor(argv: string[], config: Config, runtime: Runtime = processRuntime) {
    super(argv, config);
    this.#runtime = runtime;
    this.secrets = runtime.secrets;
    this.streams = createStreams(runtime);
    this.json = wantsJson(argv);
    this.#debug = wantsDebug(argv, runtime.env);
    this.#printer = new Printer({ streams: this.streams, json: this.json, now: () => this.now() });
    this.trace = this.#debug ? (text) => this.#printer.trace(text) : undefined;
  }

  /** For the functions that this command calls. */
  protected get context(): CommandContext {
    return this;
  }

  override jsonEnabled(): boolean {
    return this.json;
  }

  get signal(): AbortSignal {
    this.#observesSignal = true;
    return this.#abort.signal;
  }

  get typed(): NextCommand {
    return paydesk(...(this.id ?? '').split(':'), ...this.argv);
  }

  get program(): Program {
    return (this.config as Config & { program: Program }).program;
  }

  now(): Date {
    return this.#runtime.now();
  }

  keepHeapSmall(): void {
    this.#runtime.keepHeapSmall();
  }

  get changesService(): boolean {
    if (this.#onlyReads) return false;
    const { flags } = definitionOf(this.ctor);
    return this.#hasStartedChanging || 'confirm' in flags || 'dry-run' in flags;
  }

  startChanging(): void {
    this.#hasStartedChanging = true;
  }

  /** For a command that may change something, and does not this time. */
  protected onlyReads(): void {
    this.#onlyReads = true;
  }

  /** Questions go to stderr, and Ctrl-C or the time limit ends them. */
  prompts(): PromptContext {
    this.status(undefined);
    return {
      input: this.#runtime.stdin,
      output: this.#runtime.stderr as NodeJS.WriteStream,
      signal: this.signal,
    };
  }

  /**
   * Reads the command line. All problems are reported at once; on a terminal, missing values are asked for.
   */
  protected override async parse<F extends Values, B extends Values, A extends Values>(
    options: Input<F, B, A> = this.ctor as unknown as Input<F, B, A>,
    argv = this.argv,
  ): Promise<ParserOutput<F, B, A>> {
    const definition = definitionOf(options);
    const line = await readCommandLine(definition, argv, { context: this, env: this.streams.env });
    this.parsed = true;
    const { flags, args } = line.output;
    const silent = flags['no-input'] === true || isCi(this.streams.env);
    this.interactive = !silent && this.streams.stderr.redraws && this.streams.stdinIsTerminal;
    this.profileName = flags['profile'] as string | undefined;
    this.#printer.set({
      filter: this.#filterOf(flags['jq'] as string | undefined),
      profile: this.profileName,
    });

    const help = paydesk(...(this.id ?? '').split(':'), '--help');
    for (const [name, value] of Object.entries(this.json ? listOptionsIn(flags) : {})) {
      const problem = 'cannot be used together with --json or --jq';
      if (value !== undefined && value !== false) line.bad.push({ input: `--${name}`, problem });
    }
    line.unknown = line.unknown.map((one) => ({ ...one, problem: this.whyNoFlag(one.input) ?? one.problem }));
    const isBad = (input: string) => line.bad.some((problem) => problem.input === input);
    const together = await this.review(flags, isBad);
    line.bad.push(...together.bad);
    line.missing.push(...together.missing.filter(({ input }) => !isBad(input)));
    const onlyMissing = line.bad.length + line.unknown.length === 0;
    const refused = usageError(line, help);
    if (refused && !(onlyMissing && this.interactive)) throw refused;
    await this.#prepare(flags);
    if (line.missing.length > 0) {
      const answers = await this.ask(line.missing, flags);
      for (const [name, value] of Object.entries(answers)) {
        if (Object.hasOwn(definition.args, name)) args[name] = value;
        else flags[name] = value;
      }
      const open = line.missing.filter(({ name }) => (flags[name] ?? args[name]) === undefined);
      const stillOpen = usageError({ bad: [], unknown: [], missing: open }, help);
      if (stillOpen) throw stillOpen;
    }
    return line.output as unknown as ParserOutput<F, B, A>;
  }

  #filterOf(expression: string | undefined): JqFilter | undefined {
    if (expression === undefined) return undefined;
    const threadFile = this.program.threadFile('filter-thread');
    const { terminal: forTerminal } = this.streams.stdout;
    return { expression, threadFile, signal: this.#abort.signal, forTerminal };
  }

  /** Why there is no such option, if people expect one. */
  protected whyNoFlag(_flag: string): string | undefined {
    return undefined;
  }

  /**
   * Problems that only the values together show. `isBad` says whether a flag or argument is refused already: it is not
   * among these values.
   */
  protected async review(
    _flags: Values,
    _isBad: (input: string) => boolean,
  ): Promise<{ bad: UsageProblem[]; missing: Missing[] }> {
    return { bad: [], missing: [] };
  }

  /**
   * Asked on a terminal for required flags and arguments that are missing: override it to prompt.
   * Returns their values (and of any other flag) by name, as the flag's own parser would.
   */
  protected async ask(_missing: readonly Missing[], _flags: Values): Promise<Record<string, unknown>> {
    return {};
  }

  async #prepare(flags: Values): Promise<void> {
    this.#printer.set({ list: listOptionsIn(flags) });
    const { filter } = this.#printer;
    if (filter !== undefined) {
      const { checkFilter } = await import('../../output/jq.js');
      await checkFilter(filter);
    }
    const limit = flags['timeout'] as number | undefined;
    if (limit !== undefined) {
      this.#timer = setTimeout(() => {
        this.#stop(new PendingError('The command ran out of time (--timeout).', { code: 'time-up' }));
      }, limit);
    }
  }

  /** Shows a result to people; with `--json` the returned value of `run()` is printed instead. */
  show<T>(value: T, view: View<T>): T {
    return this.#printer.show(value, view);
  }

  /** The same JSON for people and programs. */
  protected showJson<T>(value: T): T {
    this.printExact(`${safeJson(value, { pretty: true })}\n`);
    return value;
  }

  /** Shows one thing to people, or as a row where `--columns` or `--csv` asks for one. */
  protected showOne<T>(item: T, view: View<T>, list: ListView<T>): Promise<T> {
    return this.#printer.showOne(item, view, list);
  }

  /** Shows rows as a table, as tab-separated lines in a pipe, or as CSV. */
  showList<T>(items: readonly T[], view: ListView<T>): Promise<readonly T[]> {
    return this.#printer.showList(items, view);
  }

  /** As showList, for more rows than should be held at once. With `--json` it prints one array, once it is whole. */
  protected showStream<T>(
    items: AsyncIterable<T>,
    view: ListView<T>,
    toJson: (item: T) => unknown = (item) => item,
  ): Promise<void> {
    return this.#printer.showStream(items, view, toJson);
  }

  /** Prints lines of data on stdout; nothing with `--json`. One line per element. */
  readonly print = (...lines: Line[]): void => this.#printer.print(lines);

  /** Prints text as it is, however wide: text for programs, or what another paydesk command printed. */
  protected printExact(text: string): void {
    this.#printer.printExact(text);
  }

  /** Whether `--json` prints a stream of JSON lines: an error is one as well, also where none came before it. */
  protected get printsJsonLines(): boolean {
    return false;
  }

  /** One line of a JSON stream, printed at once; nothing without `--json`. */
  emit(value: unknown): Promise<void> {
    return this.#printer.emit(value);
  }

  /** For people, on stderr: banners, progress, hints. One line per element. */
  readonly note = (...lines: Line[]): void => this.#printer.note(lines);

  /** Shows on a terminal what the command is waiting for, until it prints something else. */
  status(text: string | undefined, hint?: string): void {
    this.#printer.status(text, hint);
  }

  /** The result is shown all the same, but the exit code is this error's, and people see the error too. */
  endAs(error: PaydeskError): void {
    this.#ending = error;
  }

  /** For a command that runs another: the exit code is that one's, and there is nothing to report. */
  protected endWith(code: number): void {
    this.#exitCode = code;
  }

  atEnd(close: () => unknown): void {
    this.#closers.push(close);
  }

  refineErrors(refine: (error: unknown) => Promise<unknown>): void {
    this.#refinements.push(refine);
  }

  #stop(reason: PaydeskError): void {
    this.#abort.abort(reason);
    if (!this.#observesSignal) this.#interrupted(reason);
  }

  /** Does what Ctrl-C does. In raw mode the terminal passes Ctrl-C on as a key. */
  interrupt(): void {
    this.#interrupt();
  }

  #interrupt(): void {
    const again = this.#abort.signal.aborted;
    this.#stop(new InterruptedError('Interrupted.', { code: 'interrupted' }));
    // A result is not given up: the first time has stopped the filter that keeps it.
    if (!again || this.#isPrinting) return;
    if (!this.changesService || !this.sent.any()) this.#runtime.exit(130);
    else void this.#report({ error: stoppedAfterSending() }).then((code) => this.#runtime.exit(code));
  }

  async #refine(error: unknown): Promise<unknown> {
    let refined = error;
    for (const refine of this.#refinements) refined = await refine(refined);
    return refined;
  }

  /** The error behind a cancelled prompt or an aborted call. */
  #errorBehind(error: unknown): unknown {
    const name = error instanceof Error ? error.name : '';
    if (name === 'ExitPromptError')
      return new InterruptedError('Interrupted.', { code: 'interrupted', cause: error });
    if ((name === 'AbortError' || name === 'AbortPromptError') && this.#abort.signal.aborted) {
      return this.#abort.signal.reason;
    }
    if (name === 'FilterFailure') return this.#filterError(error as FilterFailure);
    // Code 5 says that nothing was changed, and code 1 that nothing more is to be found out.
    const isExpected = error instanceof PaydeskError;
    return !isExpected && this.changesService && this.sent.any() ? lostAfterSending(error) : error;
  }

  /** A failed filter does not change what the command did: its own exit code counts, and its result is shown. */
  #filterError({ message: why, value, wasStopped }: FilterFailure): PaydeskError {
    this.#filterFailed = true;
    const ending = this.#ending;
    const isHarmless = !this.sent.any() && !ending;
    const { reason } = this.#abort.signal;
    if (isHarmless && wasStopped && reason instanceof PaydeskError)
      return reason.with({ message: `${reason.message} The --jq filter was stopped before it ended.` });
    if (isHarmless) return new UsageError(`Invalid --jq filter: ${why}`, { code: 'bad-filter' });
    if (!ending) {
      return new FilterError(`The command was carried out, but the --jq filter failed: ${why}`, {
        code: 'filter-failed',
        details: { result: value },
      });
    }
    return ending.with({ details: { 'filter-failed': why, result: value } });
  }

  /** All of them, also after one that fails; throws what the first one failed with. */
  async #close(): Promise<void> {
    const failures: unknown[] = [];
    for (const close of this.#closers.toReversed()) {
      try {
        await close();
      } catch (error) {
        failures.push(error);
      }
    }
    if (failures.length > 0) throw failures[0];
  }

  override async _run<T>(): Promise<T> {
    const stopListening = this.#runtime.onInterrupt((signal) => {
      // The terminal has written ^C where the cursor was.
      if (signal === 'SIGINT' && this.streams.stderr.terminal) this.streams.writeError('\n');
      this.#interrupt();
    });
    let result: unknown;
    let failure: { error: unknown } | undefined;
    try {
      this.streams.onBroken((cause) => {
        // What moves money is brought to its end; everything else has nobody left to print for.
        if (!this.changesService || !this.sent.any()) this.#stop(outputError('The output', cause));
      });
      await this.#printer.loadThemes();
      const interrupted = new Promise<never>((_, reject) => {
        this.#interrupted = reject;
      });
      result = await Promise.race([this.run(), interrupted]);
      this.#isPrinting = true;
      const isToPrint = this.json && this.#printer.printed === 'nothing' && result !== undefined;
      if (isToPrint) await this.#printer.printDocument(result);
    } catch (error) {
      failure = { error: await this.#refine(this.#errorBehind(error)) };
    }
    try {
      await this.#close();
    } catch (error) {
      failure ??= { error: this.#errorBehind(error) };
    }
    clearTimeout(this.#timer);
    // What happened is certain by now, whatever interrupts the printing of it.
    const error = failure?.error ?? this.#ending;
    this.#runtime.setExitCode(error === undefined ? this.#exitCode : exitCodeOf(error));
    stopListening();
    const { reason } = this.#abort.signal;
    const isLost = reason instanceof OutputError && failure?.error instanceof OutputError;
    const exit = await this.#report(isLost ? undefined : failure);
    const lost = await this.streams.unwritten();
    const about = { changed: this.sent.any(), mayChange: this.changesService, exit, debug: this.#debug };
    const code = lost ? await reportUnwritten(lost, { streams: this.streams, ...about }) : exit;
    this.#runtime.setExitCode(code);
    return result as T;
  }

  /** Reports an error that nothing caught; returns the exit code. */
  reportUncaught(error: unknown): Promise<number> {
    const isLost = !(error instanceof UnknownOutcomeError) && this.changesService && this.sent.any();
    return this.#report({ error: isLost ? lostAfterSending(error) : error });
  }

  /** Reports how it ended; returns the exit code. */
  async #report(failure: { error: unknown } | undefined): Promise<number> {
    const nothingSent = this.changesService && !this.sent.any();
    const profile = this.profileName;
    const { filter, printed } = this.#printer;
    const to = { streams: this.streams, debug: this.#debug, profile, nothingSent, filter };
    if (failure) {
      // After a whole document there is no room for another: the error goes to stderr then.
      const isStream = printed === 'lines' || this.printsJsonLines;
      const json = this.json && printed !== 'document' && (isStream ? 'line' : 'document');
      return reportError(failure.error, { ...to, json, inFull: this.#filterFailed });
    }
    // The code that wrote to a broken output reports it, because it knows what was lost.
    if (this.#ending === undefined || this.#ending instanceof OutputError) return this.#exitCode;
    // With --json the result has been printed, and it says how it ended.
    if (this.json) this.note(...shortLine(this.#ending, this.#ending));
    return this.json
      ? exitCodeOf(this.#ending)
      : reportError(await this.#refine(this.#ending), { ...to, json: false });
  }
}

/** Nobody waits for the outcome any more. */
const stoppedAfterSending = () =>
  new UnknownOutcomeError('Stopped before the outcome was known: what was sent may have been carried out.', {
    code: 'outcome-unknown',
    next: [paydesk('history')],
  });

const lostAfterSending = (cause: unknown) =>
  new UnknownOutcomeError(`${describeError(cause).message}\nWhat was sent may have been carried out.`, {
    code: 'outcome-unknown',
    next: [paydesk('doctor'), paydesk('history')],
    cause,
  });

/** The flags of a list; where `--header` adds one to a request, it is not about the list. */
function listOptionsIn({ columns, csv, header, raw }: Values): ListOptions {
  return {
    columns: columns as ListOptions['columns'],
    csv: csv as ListOptions['csv'],
    header: typeof header === 'boolean' ? header : undefined,
    raw: raw as ListOptions['raw'],
  };
}
