// Shows what a listener receives: as lines of JSON, as a log, or as a live table.

import { paydesk } from '../../next-command.js';
import { FilterFailure } from '../../output/jq.js';
import { commandPiece, joinPieces, type Line, type ViewContext } from '../../output/lines.js';
import { describeError } from '../../output/report.js';
import {
  deliveryLine,
  eventJson,
  eventLines,
  readyLines,
  type ReadyFacts,
  shortened,
} from '../../output/views/webhook.js';
import type { ListenEvent } from '../../webhooks/start-listener.js';
import { type LiveTable, type LiveTableOptions, openLiveTable } from './live-table.js';

export interface Presenter {
  ready(facts: ReadyFacts): Promise<void>;
  event(event: ListenEvent): void;
  /** Something went wrong, and it continues. */
  trouble(text: string): void;
  close(): void;
  /** Resolves when all that it was given is printed. */
  printed(): Promise<void>;
}

type Note = (...lines: Line[]) => void;

export function createJsonPresenter(emit: (value: unknown) => Promise<void>, note: Note): Presenter {
  let last = Promise.resolve();
  // A filter that fails for one webhook must not end the listener: the others would be lost.
  const say = (what: string, line: Record<string, unknown>) => {
    last = last.then(() => emit(line)).catch((error: unknown) => note(unprintedText(what, error)));
    return last;
  };
  return {
    ready: ({ url, localUrl, chaosSeed }) =>
      say('the event "ready"', {
        event: 'ready',
        url,
        localUrl,
        ...(chaosSeed === undefined ? {} : { chaosSeed }),
      }),
    event(event) {
      const line = eventJson(event);
      const what = 'delivery' in event ? `webhook ${event.delivery.id}` : `the event "${event.type}"`;
      if (line !== undefined) void say(what, line);
    },
    trouble: (text) => note(text),
    close: () => {},
    printed: () => last,
  };
}

function unprintedText(what: string, error: unknown): string {
  if (!(error instanceof FilterFailure)) return describeError(error).message;
  return `The --jq filter failed for ${what}: ${error.message}`;
}

export function createLogPresenter(options: {
  print: Note;
  note: Note;
  viewContext: () => ViewContext;
  /** The request in full, under its line. */
  inspect: ((id: number) => Promise<Line[]>) | undefined;
}): Presenter {
  const { print, note, viewContext, inspect } = options;
  let secret = '';
  // One after another, so that a request is printed under its own line.
  let last = Promise.resolve();
  const say = (lines: () => Line[] | Promise<Line[]>) => {
    last = last.then(async () => print(...(await lines()))).catch((error: unknown) => note(String(error)));
  };
  return {
    async ready(facts) {
      ({ secret } = facts);
      note(...readyLines(facts));
    },
    event(event) {
      if (event.type === 'settled' || event.type === 'left' || event.type === 'missed') {
        const { delivery } = event;
        say(async () => [deliveryLine(delivery, viewContext()), ...((await inspect?.(delivery.id)) ?? [])]);
      }
      const lines = eventLines(event, secret);
      if (lines.length > 0) note(...lines);
    },
    trouble: (text) => note(text),
    close: () => {},
    printed: () => last,
  };
}

export function createTablePresenter(
  open: Omit<LiveTableOptions, 'ready'>,
  after: { print: Note; note: Note; viewContext: () => ViewContext },
): Presenter {
  let table: LiveTable | undefined;
  let facts: ReadyFacts | undefined;
  let count = 0;
  const secretOf = () => facts?.secret ?? '';
  return {
    async ready(ready) {
      facts = ready;
      table = openLiveTable({ ...open, ready });
    },
    event(event) {
      switch (event.type) {
        case 'arrived':
          count += 1;
          return table?.show(event.delivery);
        case 'progress':
        case 'settled':
          return table?.show(event.delivery);
        case 'missed':
          table?.show(event.delivery);
          return table?.say('Missed: no webhook arrived for this change. Press r to forward it.');
        case 'down':
          return table?.down(shortened(event.why, secretOf()));
        case 'up':
          table?.down(undefined);
          return table?.say(joinPieces(...eventLines(event, secretOf())));
        case 'url-changed':
          if (facts) table?.moved((facts = { ...facts, url: event.url }));
          return table?.say(joinPieces(...eventLines(event, secretOf()).slice(-1)));
        default:
          return undefined;
      }
    },
    trouble: (text) => table?.say(text),
    close() {
      table?.close();
      // What was on the other screen is gone: the last of it stays to be read.
      after.print(
        ...(table?.deliveries ?? [])
          .slice(-20)
          .map((delivery) => deliveryLine(delivery, after.viewContext())),
      );
      if (count > 0)
        after.note(
          joinPieces(
            `${count} received and saved. To see them: `,
            commandPiece(paydesk('webhook', 'events')),
          ),
        );
    },
    printed: async () => {},
  };
}
