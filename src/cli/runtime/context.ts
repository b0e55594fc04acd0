import type { PaydeskError } from '../../errors.js';
import type { Command } from '../../next-command.js';
import type { Line, View } from '../../output/lines.js';
import type { ListView } from '../../output/rows.js';
import type { Streams } from '../../output/streams.js';
import type { PromptContext } from '../../prompts.js';
import type { Redactor } from '../../redact.js';
import type { Program } from './program.js';
import type { SentChanges } from './sent-changes.js';

/** What a command gets from outside, and passes to the functions that it calls. The base command implements it. */
export interface CommandContext {
  readonly streams: Streams;
  readonly secrets: Redactor;
  readonly program: Program;
  readonly json: boolean;
  /** Somebody can be asked: a terminal on stdin and stderr that is not dumb, and not `--no-input`. Known once parsed. */
  readonly interactive: boolean;
  /** `--profile` as given; the environment is looked at when it is resolved. */
  readonly profileName: string | undefined;
  /** The command as it was typed, to be typed again with something added. */
  readonly typed: Command;
  /** Whether the command changes something at the service when it works. */
  readonly changesService: boolean;
  /** For a command that begins with reading, and is about to send an instruction. */
  startChanging(): void;
  /** Counts what may have changed something at the service. */
  readonly sent: SentChanges;
  /** Fires on Ctrl-C, SIGTERM, SIGHUP and when `--timeout` is up; a function that takes it promises to end when it fires. */
  readonly signal: AbortSignal;
  /** Prints a line for `--debug`; undefined without it. */
  readonly trace: ((text: string) => void) | undefined;
  now(): Date;
  prompts(): PromptContext;
  /** For work on many rows, which come and go quickly. */
  keepHeapSmall(): void;
  /** Does what Ctrl-C does. */
  interrupt(): void;

  show<T>(value: T, view: View<T>): T;
  showList<T>(items: readonly T[], view: ListView<T>): Promise<readonly T[]>;
  readonly print: (...lines: Line[]) => void;
  emit(value: unknown): Promise<void>;
  readonly note: (...lines: Line[]) => void;
  status(text: string | undefined, hint?: string): void;

  /** The result is shown all the same, but the exit code is this error's. */
  endAs(error: PaydeskError): void;
  /** Runs when the command ends, however it ends; the last registered first. */
  atEnd(close: () => unknown): void;
  /** Lets the error that the command ends with say more. */
  refineErrors(refine: (error: unknown) => Promise<unknown>): void;
}

interface RowFlags {
  columns?: readonly string[] | undefined;
  csv?: boolean | undefined;
}

/** Whether a person reads stdout, and has not asked for rows. */
export const showsToPerson = (
  { json, streams }: Pick<CommandContext, 'json' | 'streams'>,
  { columns, csv }: RowFlags,
): boolean => !json && streams.stdout.terminal && columns === undefined && !csv;

/** Whether somebody is there to walk through a list with the arrow keys, and has not asked for rows. */
export const canWalk = (context: CommandContext, flags: RowFlags): boolean =>
  context.interactive && showsToPerson(context, flags);
