// The live table of `webhook listen` on a terminal: what is shown, and what each key does.

import { type Line, renderLine } from '../../output/lines.js';
import type { Theme } from '../../output/theme.js';
import type { ReadyFacts } from '../../output/views/webhook.js';
import { tableFrame, type TableState, wrappedLines } from '../../output/views/webhook-table.js';
import type { Delivery } from '../../webhooks/inbox/delivery.js';
import { type Key, openScreen, type ScreenInput, type ScreenOutput } from './live-screen.js';

export interface LiveTable {
  /** A delivery that is new, or of which more is known now. */
  show(delivery: Delivery): void;
  down(why: string | undefined): void;
  /** Something to say until the next key. */
  say(message: Line): void;
  moved(ready: ReadyFacts): void;
  readonly deliveries: readonly Delivery[];
  close(): void;
}

export interface LiveTableOptions {
  input: ScreenInput;
  output: ScreenOutput;
  theme: Theme;
  ready: ReadyFacts;
  /** The delivery in full. */
  details(id: number): Promise<Line[]>;
  /** Sends it once more; resolves to what came of it. */
  replay(id: number): Promise<Line>;
  quit(): void;
  interrupt(): void;
}

const MAX_DELIVERIES = 500;
const FRAME_MS = 40;
/** Nobody says whether the terminal did it. */
const COPIED = 'Copied, if your terminal allows it';

type ShownState = Omit<TableState, 'deliveries' | 'size'>;

/** The deliveries, which of them is selected, and what else is shown. */
function createContents(ready: ReadyFacts) {
  const shown: ShownState = {
    ready,
    selected: 0,
    down: undefined,
    message: undefined,
    details: undefined,
  };
  let deliveries: Delivery[] = [];
  // The newest is selected until somebody chooses another.
  let follows = true;

  return {
    shown,
    get deliveries() {
      return deliveries;
    },
    chosen: () => deliveries[shown.selected]?.id,

    /** Adds a delivery, or shows what more is known of one. */
    put(delivery: Delivery): void {
      const index = deliveries.findLastIndex(({ id }) => id === delivery.id);
      if (index >= 0) deliveries[index] = delivery;
      else deliveries.push(delivery);
      const over = deliveries.length - MAX_DELIVERIES;
      if (over > 0) {
        deliveries = deliveries.slice(over);
        shown.selected = Math.max(0, shown.selected - over);
      }
      if (follows) shown.selected = deliveries.length - 1;
    },

    /** Scrolls the details where they are open, else selects another delivery. */
    move(by: number, { columns, rows }: { columns: number; rows: number }): void {
      if (shown.details !== undefined) {
        const count = wrappedLines(shown.details.lines, columns).length;
        const last = Math.max(0, count - rows + 1);
        const from = Math.min(last, Math.max(0, shown.details.from + by));
        shown.details = { ...shown.details, from };
        return;
      }
      shown.selected = Math.min(deliveries.length - 1, Math.max(0, shown.selected + by));
      follows = shown.selected === deliveries.length - 1;
    },
  };
}

export function openLiveTable(options: LiveTableOptions): LiveTable {
  const { input, output, theme, details, replay } = options;
  const contents = createContents(options.ready);
  const { shown } = contents;
  let timer: NodeJS.Timeout | undefined;

  const screen = openScreen(input, output, { key: press, resize: draw });

  function draw(): void {
    clearTimeout(timer);
    timer = undefined;
    const { columns, rows } = screen;
    const frame = tableFrame({ ...shown, deliveries: contents.deliveries, size: { columns, rows } });
    screen.draw(frame.map((line) => renderLine(line, theme)));
  }

  const drawSoon = (): void => {
    timer ??= setTimeout(draw, FRAME_MS);
  };

  /** Changes what is shown. */
  function change(changes: Partial<ShownState>): void {
    Object.assign(shown, changes);
    drawSoon();
  }

  function copy(text: string | undefined, message: string): void {
    if (text === undefined) return;
    screen.copy(text);
    change({ message });
  }

  const move = (by: number) => contents.move(by, screen);
  const actions: Readonly<Record<string, () => void>> = {
    up: () => move(-1),
    k: () => move(-1),
    down: () => move(1),
    j: () => move(1),
    'page-up': () => move(-(screen.rows - 6)),
    'page-down': () => move(screen.rows - 6),
    enter: () => withChosen(async (id) => change({ details: { lines: await details(id), from: 0 } })),
    escape: () => change({ details: undefined }),
    r: () => withChosen(async (id) => change({ message: await replay(id) })),
    c: () => copy(shown.ready.url, `${COPIED}: ${shown.ready.url}`),
    s: () => copy(shown.ready.connect?.(shown.ready.url), `${COPIED}. Press c to see the address.`),
    q: options.quit,
    interrupt: options.interrupt,
  };

  function press(key: Key): void {
    change({ message: undefined });
    actions[key]?.();
  }

  function withChosen(act: (id: number) => Promise<void>): void {
    const id = contents.chosen();
    if (id === undefined) return;
    act(id).catch((error: unknown) =>
      change({ message: error instanceof Error ? error.message : String(error) }),
    );
  }

  draw();
  return {
    show(delivery) {
      contents.put(delivery);
      drawSoon();
    },
    down: (why) => change({ down: why }),
    say: (message) => change({ message }),
    moved: (ready) => change({ ready }),
    get deliveries() {
      return contents.deliveries;
    },
    close() {
      clearTimeout(timer);
      screen.close();
    },
  };
}
