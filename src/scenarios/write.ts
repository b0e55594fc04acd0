// The text of a scenario file.

import { stringify } from 'yaml';
import type { RecordedStep } from './record.js';

const flow = (value: unknown): string =>
  stringify(value, { collectionStyle: 'flow', lineWidth: 0, flowCollectionPadding: true }).trimEnd();

/** Steps in the order of their times; the clock is set wherever a later time begins. */
export function writeScenario(name: string, steps: readonly RecordedStep[]): string {
  const ordered = steps.toSorted((one, other) => one.time - other.time);
  const start = ordered[0]?.time ?? 0;
  const lines = [stringify({ name }, { lineWidth: 0 }).trimEnd()];
  lines.push(`clock: ${new Date(start).toISOString()}`, 'steps:');
  let now = start;
  for (const { time, step } of ordered) {
    if (time > now) {
      lines.push(`  - clock: ${flow({ set: new Date(time).toISOString() })}`);
      now = time;
    }
    const entries = Object.entries(step).map(([key, value]) => `${key}: ${flow(value)}`);
    lines.push(...entries.map((entry, index) => `  ${index === 0 ? '-' : ' '} ${entry}`));
  }
  return `${lines.join('\n')}\n`;
}
