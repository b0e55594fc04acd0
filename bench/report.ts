import type { Figure } from './measure.ts';

/** Prints each figure beside its limit; `missed` counts those that do not keep it. */
export function createReport(): { add(figure: Figure): void; missed(): number } {
  let missed = 0;
  return {
    add({ name, value, unit, limit, better, detail }) {
      const met = better === 'more' ? value >= limit : value <= limit;
      if (!met) missed += 1;
      const bound = `${better === 'more' ? 'at least' : 'at most'} ${limit} ${unit}`;
      process.stdout.write(
        `${met ? 'ok    ' : 'MISSED'}  ${value.toFixed(2)} ${unit} (${bound})  ${name}\n        ${detail}\n`,
      );
    },
    missed: () => missed,
  };
}
