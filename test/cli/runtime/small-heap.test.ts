import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const file = fileURLToPath(new URL('../../../src/cli/runtime/small-heap.ts', import.meta.url));

/** Fills the young generation with what outlives a collection, until it has so many bytes. */
const program = `
  import { getHeapSpaceStatistics } from 'node:v8';
  import { keepHeapSmall } from ${JSON.stringify(file)};
  const youngSize = () =>
    getHeapSpaceStatistics().find((space) => space.space_name === 'new_space').space_size;
  const kept = [];
  const fill = () => kept.push(Array.from({ length: 1000 }, (_, index) => ({ index })));
  while (youngSize() < Number(process.argv[1])) fill();
  keepHeapSmall();
  for (let round = 0; round < 500; round += 1) fill();
  console.log(youngSize());
`;

it.each([1, 2, 4, 8])('a young generation of %i MB grows to 16 MB and no further', async (megabytes) => {
  const args = ['--input-type=module', '-e', program, String(megabytes * 1024 * 1024)];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  expect(Number(stdout)).toBe(16 * 1024 * 1024);
});
