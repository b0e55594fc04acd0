import type { TimelineEntry } from '../../support/timeline.js';
import { joinPieces, type Line, type ViewContext, type Piece, TAB, toned, wrapLine } from '../lines.js';
import { localTime } from '../time.js';
import { statePiece } from '../values.js';
import { outcomePiece } from './operation.js';

interface EntryText {
  what: Piece;
  detail: string;
}

const host = (url: string): string => (URL.canParse(url) ? new URL(url).host : url);

function entryText(entry: TimelineEntry): EntryText {
  switch (entry.event) {
    case 'created':
      return { what: statePiece('Created'), detail: '' };
    case 'sent': {
      const by = [entry.operator, entry.ticket, entry.reason, entry.batch && `batch ${entry.batch}`];
      return { what: entry.operation, detail: `by this desk (${by.filter(Boolean).join(', ')})` };
    }
    case 'outcome':
      return {
        what: entry.state === null ? outcomePiece(entry.outcome) : statePiece(entry.state),
        detail: [`${entry.operation} ${entry.outcome}`, entry.why].filter(Boolean).join(': '),
      };
    case 'webhook':
      return { what: 'webhook', detail: webhookText(entry) };
    case 'seen':
      return { what: statePiece(entry.state), detail: 'first seen by this desk' };
    default:
      return { what: statePiece(entry.state ?? '?'), detail: '' };
  }
}

function webhookText({ said, read, forwards }: Extract<TimelineEntry, { event: 'webhook' }>): string {
  const differs = said !== null && read !== null && said !== read ? `, the service showed ${read}` : '';
  const text =
    said === null
      ? read === null
        ? 'reported a change'
        : `the service showed ${read}`
      : `said ${said}${differs}`;
  const passed = forwards.map(({ to, status }) => `${host(to)} (${status ?? 'no answer'})`);
  return passed.length === 0 ? text : `${text}, forwarded to ${passed.join(', ')}`;
}

export function timelineLines(timeline: readonly TimelineEntry[], context: ViewContext): Line[] {
  if (!context.terminal) {
    return timeline.map((entry) => {
      const { what, detail } = entryText(entry);
      return joinPieces('timeline', TAB, entry.time, TAB, entry.event, TAB, what, TAB, detail);
    });
  }
  const times = timeline.map((entry) => timeText(entry, context));
  const clock = Math.max(...times.map((text) => text.length));
  const texts = timeline.map(entryText);
  const widest = Math.max(15, ...texts.map(({ what }) => textOf(what).length));
  return texts.flatMap(({ what, detail }, index) => {
    const room = Math.max(20, context.width - clock - widest - 6);
    const [first = '', ...rest] = wrapLine(detail, room);
    const gap = detail === '' ? '' : ' '.repeat(Math.max(0, widest - textOf(what).length) + 2);
    const indent = ' '.repeat(clock + widest + 6);
    return [
      joinPieces('  ', toned('dim', (times[index] ?? '').padEnd(clock)), '  ', what, gap, first),
      ...rest.map((line) => joinPieces(indent, line)),
    ];
  });
}

const textOf = (piece: Piece): string =>
  typeof piece === 'string' ? piece : 'text' in piece ? piece.text : '';

/** The time alone where it is today's, else the day too. */
function timeText({ event, time }: TimelineEntry, { now }: ViewContext): string {
  if (event === 'now') return 'now';
  const text = localTime(new Date(time));
  return text.slice(0, 10) === localTime(now).slice(0, 10) ? text.slice(11) : text.slice(5, 16);
}
