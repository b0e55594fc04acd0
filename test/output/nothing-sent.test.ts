import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import * as errors from '../../src/errors.js';
import { saysNothingSent } from '../../src/output/report.js';

const kinds = [
  errors.GuardError,
  errors.NotReachedError,
  errors.ProfileError,
  errors.ServiceError,
  errors.TemporaryError,
  errors.UnknownOutcomeError,
  errors.UsageError,
];

const src = new URL('../../src/', import.meta.url);
/** The rooms whose errors can end a command that changes something at the service. */
const rooms = ['batch', 'cli', 'client', 'customers', 'ledger', 'payments', 'profiles'];
const construction =
  /new (\w+Error)\(\s*([^]*?),\s*\{\s*code: '([\w-]+)'(?:,\s*saysNothingSent: (true|false))?/g;

/** Every error with a code that is written where it is made. */
const made = rooms.flatMap((room) =>
  readdirSync(new URL(room, src), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .flatMap((name) =>
      Array.from(
        readFileSync(new URL(`${room}/${name}`, src), 'utf8').matchAll(construction),
        ([, kind = '', message = '', code = '', flag]) => ({
          file: `${room}/${name}`,
          kind,
          message,
          code,
          ...(flag === undefined ? {} : { saysNothingSent: flag === 'true' }),
        }),
      ),
    ),
);

it('knows which errors say by themselves that nothing was sent', () => {
  // Problems of a command line are listed in its details, and flags of the sandbox change nothing at the service.
  const told = made.filter(
    ({ file, kind, code }) =>
      kinds.some(({ name }) => name === kind) && code !== 'usage' && file !== 'cli/sandbox-flags.ts',
  );
  const wrong = told.filter(({ kind, message, ...options }) => {
    const Kind = kinds.find(({ name }) => name === kind) ?? errors.UsageError;
    const says = /nothing was|sent nothing/i.test(message);
    return saysNothingSent(new Kind('', options)) !== says;
  });
  expect(made.length).toBeGreaterThan(80);
  expect(wrong.map(({ file, code }) => `${file}: ${code}`)).toEqual([]);
});
