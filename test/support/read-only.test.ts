import { beforeAll, expect, it } from 'vitest';
import type { Json } from '../helpers/desk.js';
import { openSeededDesk, sceneNames, type SeededDesk } from './seeded.js';

let desk: SeededDesk;
beforeAll(async () => {
  desk = await openSeededDesk();
});

const readOnly = { PAYDESK_READ_ONLY: '1' };
const isRead = (command: string): boolean => /^paydesk payments (check|watch|explain) /.test(command);
const commandsOf = ({ actions, notPossible, alsoPaid }: Json): string[] => [
  ...actions!.map(({ command }) => command as string),
  ...notPossible!.flatMap(({ instead }) => (instead === undefined ? [] : [instead as string])),
  ...(alsoPaid ?? ([] as unknown as Json)).flatMap(({ commands }) => commands as string[]),
];

it.each(sceneNames)('a read-only desk is offered only reads for %s', async (name) => {
  const allowed = (await desk.run('explain', [name, '--json'])).json;
  const { json } = await desk.run('explain', [name, '--json'], { env: readOnly });
  expect(commandsOf(json).filter((command) => !isRead(command))).toEqual([]);
  const refused = json.notPossible!.filter(({ why }) => why === 'this desk is read-only');
  const changes = allowed.actions!.filter(({ operation }) => !['check', 'watch'].includes(operation!));
  expect(refused.map(({ operation }) => operation)).toEqual(changes.map(({ operation }) => operation));
});

it('the list of a read-only desk recommends only reads, and no guided session', async () => {
  await desk.run('get', sceneNames);
  const env = readOnly;
  const recommended = async (more = {}) =>
    (await desk.run('list', ['--all', '--json'], more)).json.flatMap((row) => row.recommended ?? []);
  expect((await recommended()).filter((command) => !isRead(command))).not.toEqual([]);
  expect((await recommended({ env })).filter((command) => !isRead(command))).toEqual([]);
  const shown = await desk.run('list', ['--stuck'], { env, terminal: true });
  expect(shown.code).toBe(0);
  expect(shown.stdout + shown.stderr).not.toMatch(/payments (resolve|recheck|refund)/);
});

it('a person is told why', async () => {
  const { stdout } = await desk.run('explain', ['seed-held'], { env: readOnly, terminal: true });
  expect(stdout.replaceAll(/\s+/g, ' ')).toMatch(/Not possible: .*unhold.* \(this desk is read-only\)\./);
});
