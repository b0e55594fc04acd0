import { expect, it } from 'vitest';
import { runTyped, temporaryHome } from '../helpers/desk.js';

const addresses = [
  'https://sk_live_SECRET@host',
  'https://bob:hun@ter2SECRET@host',
  'postgres://u:s3cr/etSECRET@h:5432/db',
  'postgres://bob:SECRET@',
];
const commands: Array<[string[], string]> = [
  [['profiles', 'add', 'shop', '--app-id', 'a', '--sandbox', '--api-key-stdin', '--base-url'], '--base-url'],
  [['webhook', 'listen', '--forward-to'], '--forward-to'],
  [['sandbox', 'start', '--database'], '--database'],
];
const cases = commands.flatMap(([args, input]) =>
  addresses.flatMap((address) => [
    [[...args, address], input],
    [[...args, address, '--json'], input],
    [[...args.slice(0, -1), `${input}=${address}`], input],
  ]),
) as Array<[string[], string]>;

it.each(cases)('a usage error does not repeat a secret in an address: %j', async (args, input) => {
  // One problem is enough to keep a command from starting.
  const { code, stdout, stderr } = await runTyped([...args, '--no-such-flag'], { home: temporaryHome() });
  expect(code).toBe(2);
  expect(stdout + stderr).toContain('--no-such-flag');
  expect(stdout + stderr).not.toMatch(/SECRET|etSECRET|s3cr|hun|ter2/);
  if ((stdout + stderr).includes(input)) expect(stdout + stderr).toContain('[redacted]');
});
