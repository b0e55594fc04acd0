// A plot as SVG: one line per series over sizes, both on logarithmic scales.

export interface Series {
  name: string;
  points: Array<{ size: number; ms: number }>;
}

const WIDTH = 720;
const HEIGHT = 380;
const AREA = { left: 70, right: 560, top: 50, bottom: 320 };
const COLOURS = ['#1f5fbf', '#b3541e', '#2e7d4f', '#7a3fa0'];

/** Powers of ten that enclose the values. */
function decades(values: readonly number[]): number[] {
  const from = Math.floor(Math.log10(Math.min(...values)));
  const to = Math.max(from + 1, Math.ceil(Math.log10(Math.max(...values))));
  return Array.from({ length: to - from + 1 }, (_, index) => 10 ** (from + index));
}

/** Where a value is between two ends, on a logarithmic scale. */
function scale(ticks: readonly number[], [start, end]: readonly [number, number]) {
  const [low, high] = [Math.log10(ticks[0] as number), Math.log10(ticks.at(-1) as number)];
  return (value: number) => start + ((Math.log10(value) - low) / (high - low)) * (end - start);
}

const text = (x: number, y: number, content: string, more = '') =>
  `<text x="${x.toFixed(1)}" y="${y.toFixed(1)}" ${more}>${content}</text>`;
const line = (x1: number, y1: number, x2: number, y2: number) =>
  `<line x1="${x1.toFixed(1)}" y1="${y1.toFixed(1)}" x2="${x2.toFixed(1)}" y2="${y2.toFixed(1)}" stroke="#dddddd"/>`;

/** Names beside the ends of their lines, moved apart where they would overlap. */
function labelHeights(ends: readonly number[]): number[] {
  const heights: number[] = [];
  let free = -Infinity;
  for (const { at, y } of ends.map((y, at) => ({ at, y })).sort((one, other) => one.y - other.y)) {
    heights[at] = Math.max(y, free);
    free = heights[at] + 16;
  }
  return heights;
}

export function drawPlot(title: string, subtitle: string, series: readonly Series[]): string {
  const sizes = [...new Set(series.flatMap(({ points }) => points.map(({ size }) => size)))];
  const ticks = decades(series.flatMap(({ points }) => points.map(({ ms }) => ms)));
  const x = scale(sizes, [AREA.left, AREA.right]);
  const y = scale(ticks, [AREA.bottom, AREA.top]);
  const heights = labelHeights(series.map(({ points }) => y(points.at(-1)?.ms as number)));
  const parts = [
    `<rect width="${WIDTH}" height="${HEIGHT}" fill="#ffffff"/>`,
    text(AREA.left, 20, title, 'font-weight="bold"'),
    text(AREA.left, 37, subtitle, 'fill="#666666"'),
    ...ticks.flatMap((tick) => [
      line(AREA.left, y(tick), AREA.right, y(tick)),
      text(AREA.left - 8, y(tick) + 4, `${tick} ms`, 'text-anchor="end"'),
    ]),
    ...sizes.flatMap((size) => [
      line(x(size), AREA.top, x(size), AREA.bottom),
      text(x(size), AREA.bottom + 20, size.toLocaleString('en'), 'text-anchor="middle"'),
    ]),
    text((AREA.left + AREA.right) / 2, AREA.bottom + 42, 'payments', 'text-anchor="middle"'),
    ...series.flatMap(({ name, points }, index) => {
      const colour = COLOURS[index % COLOURS.length] as string;
      const places = points.map(({ size, ms }) => [x(size).toFixed(1), y(ms).toFixed(1)] as const);
      return [
        `<polyline points="${places.map((place) => place.join(',')).join(' ')}" fill="none" stroke="${colour}" stroke-width="2"/>`,
        ...places.map(([cx, cy]) => `<circle cx="${cx}" cy="${cy}" r="3.5" fill="${colour}"/>`),
        text(AREA.right + 10, (heights[index] as number) + 4, name, `fill="${colour}"`),
      ];
    }),
  ];
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" width="${WIDTH}" height="${HEIGHT}" role="img" font-family="sans-serif" font-size="12">`,
    `<title>${title}</title>`,
    ...parts,
    '</svg>\n',
  ].join('\n');
}
