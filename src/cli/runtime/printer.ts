import { fitLines } from '../../output/fit.js';
import {
  type Line,
  linesWithProfile,
  type ViewContext,
  renderLine,
  renderLines,
  toned,
  type View,
} from '../../output/lines.js';
import type { JqFilter } from '../../output/jq.js';
import type { ListOptions, ListView } from '../../output/rows.js';
import type { Streams } from '../../output/streams.js';
import { displayWidth, safeJson, safeText, truncate } from '../../output/text.js';
import { loadTheme, plainTheme, type Theme } from '../../output/theme.js';

/** What the command line says of the output, once it is read. */
interface PrinterSettings {
  /** Of `--jq`. */
  filter?: JqFilter | undefined;
  list?: ListOptions;
  /** Added to the commands that are shown. */
  profile?: string | undefined;
}

/** `^C`, which a terminal writes behind a status line at Ctrl-C, and the cursor: a line that wraps cannot be cleared. */
const ECHO_WIDTH = 3;

/** Prints what a command shows: lines and tables for people, rows for scripts, JSON for programs. */
export class Printer {
  readonly #streams: Streams;
  readonly #json: boolean;
  readonly #now: () => Date;
  #themes: { stdout: Theme; stderr: Theme } = { stdout: plainTheme, stderr: plainTheme };
  #settings: PrinterSettings = {};
  #printed: 'nothing' | 'lines' | 'document' = 'nothing';

  constructor({ streams, json, now }: { streams: Streams; json: boolean; now: () => Date }) {
    this.#streams = streams;
    this.#json = json;
    this.#now = now;
  }

  async loadThemes(): Promise<void> {
    const { stdout, stderr } = this.#streams;
    this.#themes = { stdout: await loadTheme(stdout.colour), stderr: await loadTheme(stderr.colour) };
  }

  set(settings: PrinterSettings): void {
    this.#settings = { ...this.#settings, ...settings };
  }

  get filter(): JqFilter | undefined {
    return this.#settings.filter;
  }

  /** What JSON is on stdout already. */
  get printed(): 'nothing' | 'lines' | 'document' {
    return this.#printed;
  }

  show<T>(value: T, view: View<T>): T {
    if (!this.#json) this.print(view(value, this.#viewContext()));
    return value;
  }

  async showOne<T>(item: T, view: View<T>, list: ListView<T>): Promise<T> {
    const { columns, csv } = this.#settings.list ?? {};
    if (columns === undefined && !csv) return this.show(item, view);
    await this.showList([item], list);
    return item;
  }

  async showList<T>(items: readonly T[], view: ListView<T>): Promise<readonly T[]> {
    if (this.#json) return items;
    const { renderStream } = await import('../../output/rows.js');
    await renderStream(items, view, this.#listTarget());
    return items;
  }

  async showStream<T>(
    items: AsyncIterable<T>,
    view: ListView<T>,
    toJson: (item: T) => unknown,
  ): Promise<void> {
    const { renderStream, renderJsonStream } = await import('../../output/rows.js');
    if (!this.#json) return renderStream(items, view, this.#listTarget());
    if (this.filter !== undefined) {
      return this.printDocument(await Array.fromAsync(items, toJson));
    }
    const { createSpool } = await import('../../output/spool.js');
    const spool = createSpool();
    try {
      await renderJsonStream(items, { toJson, write: spool.write });
      this.#printed = 'document';
      spool.print((text) => this.#streams.write(text));
    } finally {
      spool.close();
    }
  }

  /** The one document of `--json`. */
  async printDocument(value: unknown): Promise<void> {
    await this.#printJson(value);
    this.#printed = 'document';
  }

  print(lines: readonly Line[]): void {
    if (!this.#json) this.#streams.write(renderLines(this.#fitted(lines, 'stdout'), this.#themes.stdout));
  }

  printExact(text: string): void {
    if (!this.#json) this.#streams.write(text);
  }

  async emit(value: unknown): Promise<void> {
    if (!this.#json) return;
    this.#printed = 'lines';
    await this.#printJson(value, { pretty: false });
  }

  note(lines: readonly Line[]): void {
    this.#streams.writeError(renderLines(this.#fitted(lines, 'stderr'), this.#themes.stderr));
  }

  /** Where there is no room for the hint, it is left out. */
  status(text: string | undefined, hint = ''): void {
    if (text === undefined) return this.#streams.status(undefined);
    const room = this.#streams.stderr.width - ECHO_WIDTH;
    const whole = safeText(`${text} ${hint}`.trimEnd());
    const line = displayWidth(whole) <= room ? whole : truncate(safeText(text), room);
    this.#streams.status(renderLine(toned('dim', line), this.#themes.stderr));
  }

  /** However wide it is. */
  trace(text: string): void {
    this.#streams.writeError(renderLines([toned('dim', `debug: ${text}`)], this.#themes.stderr));
  }

  async #printJson(value: unknown, options = { pretty: true }): Promise<void> {
    if (this.filter === undefined) return this.#streams.write(`${safeJson(value, options)}\n`);
    const { filterJson } = await import('../../output/jq.js');
    this.#streams.write(await filterJson(value, this.filter));
  }

  #fitted(lines: readonly Line[], name: 'stdout' | 'stderr'): readonly Line[] {
    const { terminal, width } = this.#streams[name];
    const complete = linesWithProfile(lines, this.#settings.profile);
    return terminal ? fitLines(complete, width) : complete;
  }

  #viewContext(): ViewContext {
    const { terminal, width } = this.#streams.stdout;
    return { terminal, width, now: this.#now() };
  }

  #listTarget() {
    return {
      context: this.#viewContext(),
      theme: this.#themes.stdout,
      options: this.#settings.list ?? {},
      write: (text: string) => this.#streams.write(text),
      note: (line: Line) => this.note([line]),
    };
  }
}
