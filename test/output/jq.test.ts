import { describe, expect, it } from 'vitest';
import { filterJson as filterBy } from '../../src/output/jq.js';

const filterJson = (value: unknown, expression: string) => filterBy(value, { expression });

const FAILS_AFTER_ONE = '.a, error("no b")';

describe('filters that run at the same time', () => {
  it('fail or succeed each by itself', async () => {
    const results = await Promise.allSettled([
      filterJson({ a: 1 }, '.a'),
      filterJson({ a: 2 }, FAILS_AFTER_ONE),
      filterJson({ a: 3 }, '.a'),
      filterJson({ a: 4 }, FAILS_AFTER_ONE),
      filterJson({ a: 5 }, '.a'),
    ]);
    expect(results).toMatchObject([
      { status: 'fulfilled', value: '1\n' },
      { status: 'rejected', reason: { name: 'FilterFailure', message: 'no b', value: { a: 2 } } },
      { status: 'fulfilled', value: '3\n' },
      { status: 'rejected', reason: { name: 'FilterFailure', message: 'no b', value: { a: 4 } } },
      { status: 'fulfilled', value: '5\n' },
    ]);
  });
});

it('filters thousands of rows, by names of variables and with a comment at its end', async () => {
  const rows = Array.from({ length: 5_000 }, (_, line) => ({ line, problem: `There is no payment ${line}` }));
  expect(await filterJson(rows, '. as $document | $document | length # all of them')).toBe('5000\n');
  expect(await filterJson(rows, 'map(.line) | add')).toBe('12497500\n');
});

it('filters a document of some megabytes', async () => {
  const rows = Array.from({ length: 30_000 }, (_, line) => ({
    line,
    name: `Zoë ${line}`,
    note: 'x'.repeat(60),
  }));
  expect(await filterJson({ open: 7, rows }, '.open, .rows[29999].name')).toBe('7\nZoë 29999\n');
});
