import { availableParallelism } from 'node:os';
import type { Figure } from './measure.ts';

/** Where the figures were measured: they say little without it. */
export const machineText = (): string =>
  `${process.platform}-${process.arch}, ${availableParallelism()} cores, Node ${process.versions.node}, SQLite ${process.versions.sqlite}`;

/** What a figure is held to; nothing where it is only there to compare others with. */
export const limitText = ({ limit, better, unit }: Figure): string =>
  limit === undefined ? '' : `${better === 'more' ? 'at least' : 'at most'} ${limit} ${unit}`.trim();

export const isMet = ({ limit, better, value }: Figure): boolean =>
  limit === undefined || (better === 'more' ? value >= limit : value <= limit);

/** Prints each figure beside its limit; `missed` counts those that do not keep it. */
export function createReport(): { add(figure: Figure): void; missed(): number; figures: Figure[] } {
  let missed = 0;
  const figures: Figure[] = [];
  return {
    figures,
    add(figure) {
      figures.push(figure);
      const { name, value, unit, limit, detail } = figure;
      const met = isMet(figure);
      if (!met) missed += 1;
      const bound = limit === undefined ? '' : ` (${limitText(figure)})`;
      const mark = limit === undefined ? '      ' : met ? 'ok    ' : 'MISSED';
      process.stdout.write(`${mark}  ${value.toFixed(2)} ${unit}${bound}  ${name}\n        ${detail}\n`);
    },
    missed: () => missed,
  };
}
