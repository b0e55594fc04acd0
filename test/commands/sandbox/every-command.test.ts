import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { faultKindNames } from '../../../src/sandbox/domain/fault-kinds.js';
import { defectNames } from '../../../src/sandbox/settlement/defects.js';
import { paydesk } from '../../helpers/run.js';
import { createHome } from './processes.js';

test('every command has a summary, examples and --help', async () => {
  const manifest = JSON.parse(
    readFileSync(new URL('../../../oclif.manifest.json', import.meta.url), 'utf8'),
  ) as {
    commands: Record<string, { hidden?: boolean; summary?: string; examples?: string[] }>;
  };
  const ours = Object.entries(manifest.commands).filter(
    ([id, { hidden }]) => id.startsWith('sandbox:') && !hidden,
  );
  expect(ours.length).toBeGreaterThanOrEqual(22);
  for (const [id, { summary, examples }] of ours) {
    expect({ id, summary, examples: examples?.length }).toEqual({
      id,
      summary: expect.any(String),
      examples: expect.any(Number),
    });
    expect(examples!.length, id).toBeGreaterThanOrEqual(2);
  }
  const help = await paydesk(['sandbox', 'fault', 'add', '--help']);
  for (const kind of faultKindNames) expect(help.stdout).toContain(kind);
  const settlement = await paydesk(['sandbox', 'settlement', '--help']);
  for (const kind of defectNames) expect(settlement.stdout).toContain(`  ${kind}  `);
});

test('without a sandbox every command says what to type', async () => {
  const empty = await createHome();
  try {
    for (const args of [
      ['pay', 'x'],
      ['provider', 'x', 'confirm'],
      ['resend', 'x'],
      ['status'],
      ['seed'],
      ['clock'],
      ['fault'],
      ['books', 'x'],
      ['apps'],
      ['export'],
      ['settlement'],
    ]) {
      const { stderr, code } = await empty.run(['sandbox', ...args]);
      expect({ stderr, code }).toEqual({
        stderr: 'Error: No sandbox is running.\n\n  Next:  paydesk sandbox start\n',
        code: 1,
      });
    }
  } finally {
    await empty.remove();
  }
});
