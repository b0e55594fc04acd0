// `npm run bench`: figures as ratios, each measured side by side in one run. Exits 1 when one misses its limit.
import type { Figure } from './measure.ts';
import { sandboxFigures } from './sandbox.ts';

let missed = 0;

function report({ name, value, unit, limit, better, detail }: Figure): void {
  const met = better === 'more' ? value >= limit : value <= limit;
  if (!met) missed += 1;
  const bound = `${better === 'more' ? 'at least' : 'at most'} ${limit} ${unit}`;
  process.stdout.write(
    `${met ? 'ok    ' : 'MISSED'}  ${value.toFixed(2)} ${unit} (${bound})  ${name}\n        ${detail}\n`,
  );
}

await sandboxFigures(report);
process.exitCode = missed > 0 ? 1 : 0;
