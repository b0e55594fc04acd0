import { expect, it } from 'vitest';
import { createJsonPresenter } from '../../../src/cli/listening/listen-presenter.js';

it('prints one event after another, however long each takes', async () => {
  const begun: unknown[] = [];
  const first = Promise.withResolvers<void>();
  const presenter = createJsonPresenter(
    async (value) => {
      begun.push(value);
      if (begun.length === 1) await first.promise;
    },
    () => {},
  );
  presenter.event({ type: 'down', why: 'no answer' });
  presenter.event({ type: 'up', downMs: 5 });
  let printed = false;
  const all = presenter.printed().then(() => (printed = true));
  await new Promise((resolve) => setImmediate(resolve));
  expect([begun.length, printed]).toEqual([1, false]);
  first.resolve();
  await all;
  expect(begun).toEqual([
    { event: 'down', why: 'no answer' },
    { event: 'up', downMs: 5 },
  ]);
});
