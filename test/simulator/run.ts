// `npm run simulate -- --seeds N`: many seeds, each an hour or two of a desk in bad weather. Exits 1 on a violation.

import { parseArgs } from 'node:util';
import { faultKinds, noFaults } from './faults.ts';
import { simulate, type SeedResult } from './simulate.ts';

const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '20' },
    seed: { type: 'string' },
    from: { type: 'string', default: '1' },
    operations: { type: 'string', default: '60' },
    trace: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
  },
});
const write = (text: string) => process.stdout.write(text);
const from = Number(values.seed ?? values.from);
const seeds = values.seed === undefined ? Number(values.seeds) : 1;
const trace = values.trace ? (text: string) => void write(`${text}\n`) : undefined;

const began = process.hrtime.bigint();
const results: SeedResult[] = [];
for (let seed = from; seed < from + seeds; seed += 1) {
  results.push(await simulate(seed, { operations: Number(values.operations), ...(trace && { trace }) }));
}
const seconds = Number(process.hrtime.bigint() - began) / 1e9;

const total = (of: (result: SeedResult) => number) => results.reduce((sum, result) => sum + of(result), 0);
const faults = noFaults();
for (const kind of faultKinds) faults[kind] = total((result) => result.faults[kind]);
const broken = results.filter(({ violations }) => violations.length > 0);
const summary = {
  seeds,
  operations: total(({ operations }) => operations),
  sent: total(({ sent }) => sent),
  faults,
  carriedOut: total(({ carriedOut }) => carriedOut),
  settled: total(({ settled }) => settled),
  decided: total(({ decided }) => decided),
  violations: broken.flatMap(({ seed, violations }) => violations.map((violation) => ({ seed, violation }))),
};
if (values.json) write(`${JSON.stringify(summary)}\n`);
else {
  write(
    `${summary.operations} operations in ${seeds} seeds, ${seconds.toFixed(1)} s; ${summary.sent} instructions left\n`,
  );
  for (const kind of faultKinds) write(`  ${String(faults[kind]).padStart(8)}  ${kind}\n`);
  write(
    `${summary.settled} of ${summary.carriedOut} unknown ones that were carried out settled without a person\n`,
  );
  write(`${summary.decided} stayed open until a person decided\n`);
  write(`${summary.violations.length} violations\n`);
  for (const { seed, violation } of summary.violations.slice(0, 40)) {
    write(`  seed ${seed}: ${violation}\n`);
  }
  const [first] = broken;
  if (first) {
    write(`Replay: npm run simulate -- --seed ${first.seed} --operations ${values.operations} --trace\n`);
  }
}
process.exitCode = broken.length > 0 ? 1 : 0;
