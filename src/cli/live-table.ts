// The live table of `webhook listen` on a terminal: what is shown, and what each key does.

import { type Line, renderLine } from '../output/lines.js';
import type { Theme } from '../output/theme.js';
import type { ReadyFacts } from '../output/views/webhook.js';
import { tableFrame, type TableState, wrappedDetails } from '../output/views/webhook-table.js';
import type { Delivery } from '../webhooks/inbox/delivery.js';
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

const MOST = 500;
const FRAME_MS = 40;

export function openLiveTable(options: LiveTableOptions): LiveTable {
  const { input, output, theme, details, replay } = options;
  let deliveries: Delivery[] = [];
  const state: Omit<TableState, 'deliveries' | 'size'> = {
    ready: options.ready,
    selected: 0,
    down: undefined,
    message: undefined,
    details: undefined,
  };
  // The newest is selected until somebody chooses another.
  let follows = true;
  let timer: NodeJS.Timeout | undefined;

  const screen = openScreen(input, output, { key: press, resize: draw });

  function draw(): void {
    clearTimeout(timer);
    timer = undefined;
    const { columns, rows } = screen;
    const frame = tableFrame({ ...state, deliveries, size: { columns, rows } });
    screen.draw(frame.map((line) => renderLine(line, theme)));
  }

  const drawSoon = (): void => {
    timer ??= setTimeout(draw, FRAME_MS);
  };

  function say(message: Line): void {
    state.message = message;
    drawSoon();
  }

  function move(by: number): void {
    if (state.details !== undefined) {
      const count = wrappedDetails(state.details.lines, screen.columns).length;
      const last = Math.max(0, count - screen.rows + 1);
      const from = Math.min(last, Math.max(0, state.details.from + by));
      state.details = { ...state.details, from };
      return;
    }
    state.selected = Math.min(deliveries.length - 1, Math.max(0, state.selected + by));
    follows = state.selected === deliveries.length - 1;
  }

  const chosen = () => deliveries[state.selected]?.id;

  const actions: Readonly<Record<string, () => void>> = {
    up: () => move(-1),
    k: () => move(-1),
    down: () => move(1),
    j: () => move(1),
    'page-up': () => move(-(screen.rows - 6)),
    'page-down': () => move(screen.rows - 6),
    enter: () => withChosen(async (id) => void (state.details = { lines: await details(id), from: 0 })),
    escape: () => void (state.details = undefined),
    r: () => {
      withChosen(async (id) => say(await replay(id)));
    },
    c: () => {
      screen.copy(state.ready.url);
      state.message = `Copied: ${state.ready.url}`;
    },
    q: options.quit,
    interrupt: options.interrupt,
  };

  function press(key: Key): void {
    state.message = undefined;
    actions[key]?.();
    drawSoon();
  }

  function withChosen(act: (id: number) => Promise<void>): void {
    const id = chosen();
    if (id === undefined) return;
    act(id).then(drawSoon, (error: unknown) => say(error instanceof Error ? error.message : String(error)));
  }

  draw();
  return {
    show(delivery) {
      const index = deliveries.findLastIndex(({ id }) => id === delivery.id);
      if (index >= 0) deliveries[index] = delivery;
      else deliveries.push(delivery);
      const over = deliveries.length - MOST;
      if (over > 0) {
        deliveries = deliveries.slice(over);
        state.selected = Math.max(0, state.selected - over);
      }
      if (follows) state.selected = deliveries.length - 1;
      drawSoon();
    },
    down(why) {
      state.down = why;
      drawSoon();
    },
    say,
    moved(ready) {
      state.ready = ready;
      drawSoon();
    },
    get deliveries() {
      return deliveries;
    },
    close() {
      clearTimeout(timer);
      screen.close();
    },
  };
}
