import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import ScenarioNew from '../../../src/commands/scenario/new.js';
import { nextMoves } from '../../../src/scenarios/draft.js';
import { runInProcess } from '../../helpers/in-process.js';
import { runText } from '../../scenarios/run-text.js';

const folder = mkdtempSync(join(tmpdir(), 'paydesk-new-'));
afterAll(() => rmSync(folder, { recursive: true }));

const write = (file: string, ...words: string[]) =>
  runInProcess(ScenarioNew, [join(folder, file), '--name', 'one of mine', ...words]);

it.each(nextMoves)('writes a scenario that passes, with %s at its end', async (then) => {
  const { code, stdout } = await write(`${then}.yaml`, '--next', then, '--card', 'approved');
  expect(code).toBe(0);
  expect(readFileSync(join(folder, `${then}.yaml`), 'utf8')).toBe(stdout);
  const { failure, steps } = await runText(stdout);
  expect({ failure, steps }).toEqual({ failure: undefined, steps: then === 'nothing' ? 2 : 3 });
});

it('expects what happens, also where that is a refusal', async () => {
  const { stdout } = await write(
    'declined.yaml',
    '--card',
    'declined',
    '--next',
    'refund',
    '--amount',
    '12.50',
  );
  expect(stdout).toBe(`name: one of mine
clock: 2026-01-01T00:00:00.000Z
steps:
  - create: { amount: 12.5, currency: EUR, customer: c_1 }
    as: order
    expect: { state: Created }
  - pay: { payment: "\${order}", card: declined }
    expect: { state: Declined }
  - refund: { payment: "\${order}", wait: true }
    expect: { state: Declined, exit: 9 }
`);
});

it('overwrites nothing', async () => {
  await write('there.yaml');
  const { code, stdout } = await write('there.yaml', '--card', 'held', '--json');
  expect(code).toBe(9);
  const file = join(folder, 'there.yaml');
  expect(JSON.parse(stdout)).toMatchObject({
    error: {
      code: 'file-exists',
      message: `${file} exists already. Nothing was written. Run it, or write another one.`,
      next: [
        `paydesk scenario run ${file}`,
        expect.stringContaining(`${join(folder, 'there-2.yaml')} --name 'one of mine' --card held`),
      ],
    },
  });
});
