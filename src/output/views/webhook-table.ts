// The live table of `webhook listen`: one frame for what there is to see. Pure: the caller draws it.

import { commandText, paydesk } from '../../next-command.js';
import type { Delivery } from '../../webhooks/inbox/delivery.js';
import { type Line, joinPieces, lineWidth, plainLine, sliceLine, toned, wrapLine } from '../lines.js';
import { pad, truncate } from '../text.js';
import { changeLine, clockTime, handlerLine, readyLines, type ReadyFacts } from './webhook.js';

export interface TableState {
  ready: ReadyFacts;
  /** The oldest first. */
  deliveries: readonly Delivery[];
  /** Index into the deliveries. */
  selected: number;
  /** The tunnel is down, and why. */
  down: string | undefined;
  /** Something to say until the next key. */
  message: Line | undefined;
  /** Instead of the table: the delivery in full, from a line on. */
  details: { lines: readonly Line[]; from: number } | undefined;
  size: { columns: number; rows: number };
}

const KEYS = '↑↓ select   enter details   r replay   c copy url   q quit';
const DETAIL_KEYS = '↑↓ scroll   r replay   esc back   q quit';
const MIN_REFERENCE_WIDTH = 9;
const MAX_REFERENCE_WIDTH = 20;
/** `500  31 ms  will retry`. */
const MAX_HANDLER_WIDTH = 24;

/** At most as many lines as there are rows, each no wider than the screen. */
export function tableFrame(state: TableState): Line[] {
  const { columns, rows } = state.size;
  const foot = footLines(state).slice(0, rows);
  const room = rows - foot.length;
  const lines = state.details === undefined ? listLines(state, room) : detailLines(state, room);
  return [...lines.slice(0, room), ...foot].map((line) => cut(line, columns));
}

/** The table; `rows` is what the foot leaves. */
function listLines(state: TableState, rows: number): Line[] {
  const { deliveries, selected, size } = state;
  const head: Line[] = [...readyLines(state.ready), ...hintLines(state), ''];
  const room = Math.max(1, rows - head.length - 1);
  const from = firstVisible(selected, deliveries.length, room);
  const visible = deliveries.slice(from, from + room);
  const widths = widthsOf(deliveries.slice(-200), size.columns);
  const body = visible.map((delivery, index) => rowLine(delivery, widths, from + index === selected));
  const filler = Array.from({ length: Math.max(0, room - body.length) }, () => '');
  return [...head, headLine(widths), ...body, ...filler];
}

function hintLines({ deliveries, ready: { connect } }: TableState): Line[] {
  if (deliveries.length > 0) return [];
  const create = commandText(paydesk('payments', 'create', '--listen', '…'));
  return [
    toned('dim', `Use it as webhookUrl (c copies it), or:  ${create}`),
    // Anyone with the whole address can send anything here, so the screen does not show it.
    ...(connect === undefined
      ? []
      : [
          toned('dim', 'For all payments of this app (s copies the command):'),
          toned('dim', `  ${connect('…')}`),
        ]),
  ];
}

/** The selected row is always among those that are seen. */
function firstVisible(selected: number, count: number, room: number): number {
  const last = Math.max(0, count - room);
  return Math.min(last, Math.max(0, selected - Math.floor(room / 2)));
}

interface Widths {
  payment: number;
  reference: number;
  state: number;
}

function widthsOf(deliveries: readonly Delivery[], columns: number): Widths {
  const widest = (least: number, of: (delivery: Delivery) => number) =>
    Math.max(least, ...deliveries.map(of));
  const payment = widest(7, ({ paymentId }) => (paymentId ?? '').length);
  const reference = Math.min(
    MAX_REFERENCE_WIDTH,
    widest(MIN_REFERENCE_WIDTH, ({ referenceId }) => lineWidth(referenceId ?? '')),
  );
  const state = widest(22, (delivery) => lineWidth(changeLine(delivery)));
  const handler = Math.min(
    MAX_HANDLER_WIDTH,
    widest(7, (delivery) => lineWidth(handlerLine(delivery))),
  );
  // Besides these there are the time, with what is before it, and two spaces between columns.
  const left = columns - 18 - payment - handler;
  // Where there is no room for both, the reference is cut: the state is what somebody looks for.
  const whole = Math.max(12, Math.min(state, left - MIN_REFERENCE_WIDTH));
  return {
    payment,
    reference: Math.max(MIN_REFERENCE_WIDTH, Math.min(reference, left - whole)),
    state: whole,
  };
}

function headLine({ payment, reference, state }: Widths): Line {
  return toned(
    'dim',
    `  ${pad('time', 8)}  ${pad('payment', payment)}  ${pad('reference', reference)}  ${pad('state', state)}  handler`,
  );
}

function rowLine(delivery: Delivery, { payment, reference, state }: Widths, selected: boolean): Line {
  return joinPieces(
    selected ? toned('strong', '› ') : '  ',
    clockTime(delivery.time),
    '  ',
    filled(delivery.paymentId ?? '-', payment),
    '  ',
    filled(delivery.referenceId ?? '', reference),
    '  ',
    filled(changeLine(delivery), state),
    '  ',
    handlerLine(delivery),
  );
}

const filled = (line: Line, width: number): Line => {
  const short = cut(line, width);
  return joinPieces(short, ' '.repeat(Math.max(0, width - lineWidth(short))));
};

/** Colours are lost where a line has to be cut. */
const cut = (line: Line, width: number): Line =>
  lineWidth(line) <= width ? line : truncate(plainLine(line), width);

function detailLines({ details, size }: TableState, rows: number): Line[] {
  const { from } = details ?? { from: 0 };
  const visible = wrappedLines(details?.lines ?? [], size.columns).slice(from, from + rows);
  const filler = Array.from({ length: rows - visible.length }, () => '');
  return [...visible, ...filler];
}

/** The lines as they are at that width. */
export const wrappedLines = (lines: readonly Line[], columns: number): Line[] =>
  lines.flatMap((line) => wrapLine(line, columns)).flatMap((line) => brokenLine(line, columns));

/** A body or an address without spaces is broken anywhere: on this screen what does not fit would be lost. */
function brokenLine(line: Line, columns: number): Line[] {
  if (lineWidth(line) <= columns) return [line];
  const { length } = plainLine(line);
  const count = Math.ceil(length / columns);
  return Array.from({ length: count }, (_, index) => sliceLine(line, index * columns, (index + 1) * columns));
}

function footLines({ message, down, details, size }: TableState): Line[] {
  // Wrapped, since it may be an address to read or a command to type.
  if (message !== undefined) return wrappedLines([message], size.columns);
  if (down !== undefined) return [joinPieces(toned('bad', 'Down'), `  ${down}`)];
  return [toned('dim', details === undefined ? KEYS : DETAIL_KEYS)];
}
