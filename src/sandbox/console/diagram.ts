// The states as a picture: where each stands, and the ways between them. Tall rather than wide, so that it can be
// read on a phone.

import { states, type StateName } from '../../contract/states.js';

export const BOX = { width: 98, height: 30 };
const COLUMNS = [50, 170, 290];
/** How far a line is drawn aside to pass between two columns. */
const ASIDE = 90;
const ROW = 62;
const TOP = 18;

/** Column and row of each: the usual way down the middle, what ends it early at the sides. */
const places: Readonly<Record<StateName, readonly [number, number]>> = {
  Created: [1, 0],
  ActionRequired: [0, 1],
  Processing: [1, 1],
  Held: [2, 1],
  Declined: [0, 2],
  Authorised: [1, 2],
  Failed: [0, 3],
  Capturing: [1, 3],
  Cancelling: [2, 3],
  Expired: [0, 4],
  Captured: [1, 4],
  Cancelled: [2, 4],
  Refunding: [1, 5],
  Refunded: [1, 6],
};

const WIDTH = 340;

/** As much of the picture as these states need: from the highest to the lowest. */
export function diagramFrame(shown: Iterable<StateName>): string {
  const rows = Array.from(shown, (state) => places[state][1]);
  const [first, last] = [Math.min(...rows), Math.max(...rows)];
  return `0 ${first * ROW} ${WIDTH} ${TOP * 2 + (last - first) * ROW}`;
}

interface Point {
  x: number;
  y: number;
}

export function centreOf(state: StateName): Point {
  const [column, row] = places[state];
  return { x: COLUMNS[column] as number, y: TOP + row * ROW };
}

type Way = readonly [from: StateName, to: StateName];

/** The ways that the contract allows from here. */
export const waysFrom = (from: StateName): Way[] =>
  states[from].next.map((to): Way => [from, to as StateName]);

/** The ways that a payment went, each once, in the order in which it first went them. */
export function waysOf(path: readonly StateName[]): Way[] {
  const seen = new Map<string, Way>();
  for (const [index, to] of path.entries()) {
    const from = path[index - 1];
    if (from !== undefined && !seen.has(`${from} ${to}`)) seen.set(`${from} ${to}`, [from, to]);
  }
  return [...seen.values()];
}

/** The line of a way, from edge to edge: bent where others lie between, and to one side where there is a way back. */
export function lineOf([from, to]: Way): string {
  const [a, b] = [centreOf(from), centreOf(to)];
  const control = controlOf(from, to, a, b);
  const [start, end] = [edgeOf(a, control, 0), edgeOf(b, control, 3)];
  return `M${start.x} ${start.y}Q${round(control.x)} ${round(control.y)} ${end.x} ${end.y}`;
}

/** What the line is drawn towards: the straight middle, or a place beside it. */
function controlOf(from: StateName, to: StateName, a: Point, b: Point): Point {
  const middle = { x: (a.x + b.x) / 2, y: (a.y + b.y) / 2 };
  const [column, row] = places[from];
  const [toColumn, toRow] = places[to];
  if (column !== toColumn) return middle;
  // Between two columns: down on the one side of the middle, back on the other.
  const side = column === 0 || (column === 1 && toRow < row) ? 1 : -1;
  if (Math.abs(toRow - row) > 1) return { x: middle.x + side * ASIDE, y: middle.y };
  return toRow < row ? { x: middle.x + side * 40, y: middle.y } : middle;
}

/** Where the line from the middle of a box towards a point leaves the box. */
function edgeOf(centre: Point, towards: Point, gap: number): Point {
  const [dx, dy] = [towards.x - centre.x, towards.y - centre.y];
  const scale = Math.min(
    (BOX.width / 2 + gap) / Math.max(Math.abs(dx), 0.01),
    (BOX.height / 2 + gap) / Math.max(Math.abs(dy), 0.01),
    1,
  );
  return { x: round(centre.x + dx * scale), y: round(centre.y + dy * scale) };
}

const round = (value: number): number => Math.round(value * 10) / 10;
