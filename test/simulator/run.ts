// `npm run simulate -- --seeds N`: many seeds, each an hour or two of a desk in bad weather. Exits 1 on a violation.

import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { faultKinds, hostilities, noFaults, type Hostility } from './faults.ts';
import { sabotages } from './sabotage.ts';
import { simulate, type SeedResult } from './simulate.ts';

const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '20' },
    /** This one alone, or these. */
    seed: { type: 'string', multiple: true },
    /** The first of `--seeds`. */
    from: { type: 'string', default: '1' },
    /** In each seed, about. */
    operations: { type: 'string', default: '60' },
    /** A guard to take away; ends at the first violation, or the first that `--find` describes. */
    without: { type: 'string' },
    find: { type: 'string', default: '' },
    /** The kinds of hostility that the world has, with commas between; all of them otherwise. */
    only: { type: 'string' },
    trace: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
  },
});
const write = (text: string) => process.stdout.write(text);
const operations = Number(values.operations);
const seeds =
  values.seed?.map(Number) ??
  Array.from({ length: Number(values.seeds) }, (_, index) => Number(values.from) + index);
if (seeds.length === 0 || ![...seeds, operations].every((each) => Number.isSafeInteger(each) && each > 0)) {
  throw new RangeError('--seeds, --seed, --from and --operations are whole numbers above 0');
}
const sabotage = values.without === undefined ? undefined : sabotages[values.without];
if (values.without !== undefined && !sabotage) {
  throw new RangeError(`--without is one of ${Object.keys(sabotages).join(', ')}`);
}

const only = values.only?.split(',').filter((name) => name !== '') as Hostility[] | undefined;
if (only?.some((name) => !hostilities.includes(name))) {
  throw new RangeError(`--only takes ${hostilities.join(', ')}`);
}

// Plans are made in files that nobody needs after a crash: where the machine has a folder in memory, they are kept there.
if (existsSync('/dev/shm')) process.env['TMPDIR'] = '/dev/shm';

// Most errors here are expected, and nobody reads where they came from.
if (!values.trace) Error.stackTraceLimit = 0;

const wanted = new RegExp(values.find);

// Everything that happened, in one number: two runs of the same seeds must agree on it.
const digest = createHash('sha256');
const began = process.hrtime.bigint();
const results: SeedResult[] = [];
for (const seed of seeds) {
  const lines: string[] = [];
  const result = await simulate(seed, {
    operations,
    trace(text) {
      lines.push(text);
      if (values.trace) write(`${text}\n`);
    },
    ...(sabotage && { sabotage }),
    ...(only && { only }),
  });
  digest.update(lines.join(''));
  results.push(result);
  if (sabotage && result.violations.some((violation) => wanted.test(violation))) break;
}
const seconds = Number(process.hrtime.bigint() - began) / 1e9;

const total = (of: (result: SeedResult) => number) => results.reduce((sum, result) => sum + of(result), 0);
const faults = noFaults();
for (const kind of faultKinds) faults[kind] = total((result) => result.faults[kind]);
const broken = results.filter(({ violations }) => violations.length > 0);
const summary = {
  seeds: results.length,
  operations: total((result) => result.operations),
  sent: total(({ sent }) => sent),
  faults,
  carriedOut: total(({ carriedOut }) => carriedOut),
  settled: total(({ settled }) => settled),
  decided: total(({ decided }) => decided),
  digest: digest.digest('hex'),
  violations: broken.flatMap(({ seed, violations }) => violations.map((violation) => ({ seed, violation }))),
};
if (values.json) write(`${JSON.stringify(summary)}\n`);
else {
  write(
    `${summary.operations} operations in ${summary.seeds} seeds, ${seconds.toFixed(1)} s; ` +
      `${summary.sent} instructions left\n`,
  );
  for (const kind of faultKinds) write(`  ${String(faults[kind]).padStart(8)}  ${kind}\n`);
  write(
    `${summary.settled} of ${summary.carriedOut} unknown ones that were carried out settled without a person\n` +
      `${summary.decided} stayed open until a person decided\n` +
      `${summary.violations.length} violations\n`,
  );
  for (const { seed, violation } of summary.violations.slice(0, 40)) write(`  seed ${seed}: ${violation}\n`);
  const [first] = broken;
  if (first) {
    const without = values.without === undefined ? '' : ` --without ${values.without}`;
    write(`Replay: npm run simulate -- --seed ${first.seed} --operations ${operations}${without} --trace\n`);
  }
}
process.exitCode = broken.length > 0 ? 1 : 0;
