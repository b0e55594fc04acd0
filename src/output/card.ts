// One thing at a glance: its name, its state, and what there is to know, label by label.

import { labelledLines } from './fit.js';
import {
  joinPieces,
  type Line,
  lineWidth,
  type ViewContext,
  type Piece,
  plainLine,
  TAB,
  toned,
} from './lines.js';
import { textOf } from './values.js';
import { truncate } from './text.js';

export interface Field {
  label: string;
  value: Line;
}

interface Card {
  /** `Payment`, `Customer`. */
  kind: string;
  id: string;
  /** The merchant's own name of it. */
  reference?: string;
  state?: Piece;
  /** Empty ones are left out. */
  fields: readonly Field[];
}

const MAX_WIDTH = 70;
const LABEL = 11;

function headLine({ kind, id, reference, state }: Card, context: ViewContext): Line[] {
  const head = joinPieces(toned('strong', `${kind} ${id}`), ...(reference ? ['   ', reference] : []));
  if (state === undefined) return [head];
  const room = Math.min(context.width, MAX_WIDTH) - lineWidth(head) - lineWidth(state);
  return room >= 2 ? [joinPieces(head, ' '.repeat(room), state)] : [head, joinPieces('  ', state)];
}

export function cardLines(card: Card, context: ViewContext): Line[] {
  const fields = card.fields.filter(({ value }) => plainLine(value) !== '');
  if (!context.terminal) {
    const rows: Field[] = [
      { label: card.kind, value: card.id },
      ...(card.reference ? [{ label: 'Reference', value: card.reference }] : []),
      ...(card.state === undefined ? [] : [{ label: 'State', value: card.state }]),
      ...fields,
    ];
    // Labels of ours begin with a capital; a field that we know nothing of keeps its own name.
    const name = (label: string) => (/^[A-Z]/.test(label) ? label.toLowerCase() : label);
    return rows.map(({ label, value }) => joinPieces(name(label), TAB, value));
  }
  const widest = Math.max(LABEL, ...fields.map((field) => lineWidth(field.label)));
  const label = Math.min(widest, Math.max(LABEL, Math.floor(context.width / 3)));
  const at = { indent: 2, labelWidth: label, width: context.width };
  return [
    ...headLine(card, context),
    ...fields.flatMap((field) => labelledLines(truncate(plainLine(field.label), label), field.value, at)),
  ];
}

/** Fields of an answer that we know nothing of: shown under their own names, last. */
export function extraFields(value: unknown, known: ReadonlySet<string>): Field[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [];
  return Object.entries(value)
    .filter(([key]) => !known.has(key))
    .map(([key, extra]) => ({ label: key, value: textOf(extra) }));
}
