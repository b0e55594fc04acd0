import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import ScenarioList from '../../../src/commands/scenario/list.js';
import ScenarioRun from '../../../src/commands/scenario/run.js';
import ScenarioShow from '../../../src/commands/scenario/show.js';
import { runInProcess } from '../../helpers/in-process.js';

const folder = mkdtempSync(join(tmpdir(), 'paydesk-scenario-'));
const at = (name: string) => join(folder, name);
const closers: Array<() => Promise<void>> = [];
beforeAll(() => {
  mkdirSync(at('cases'));
  for (const name of ['one', 'two', 'three']) writeFileSync(at(`cases/${name}.yaml`), paid(name));
  writeFileSync(at('cases/notes.txt'), 'not a scenario');
});
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});
afterAll(() => rmSync(folder, { recursive: true }));

const paid = (name: string, card = 'approved') => `name: ${name}
set: { amount: 10, card: ${card} }
steps:
  - create: { amount: '\${amount}', currency: EUR, customer: c_1 }
    as: order
  - pay: { payment: '\${order}', card: '\${card}' }
    expect: { state: Captured, captured: 10 }
`;

const run = (argv: string[], options = {}) => runInProcess(ScenarioRun, argv, options);

interface Printed {
  passed: number;
  failed: number;
  scenarios: Array<{ name: string; seed: number; passed: boolean; timeline: unknown[] }>;
}
const json = async (argv: string[]) => JSON.parse((await run([...argv, '--json'])).stdout) as Printed;

async function handler(answer: (count: number) => number | undefined): Promise<string> {
  let count = 0;
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      const status = answer((count += 1));
      if (status !== undefined) response.writeHead(status).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closers.push(
    () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  );
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks`;
}

describe('scenario run', () => {
  it('runs files, folders and names, in their order, whatever runs at once', async () => {
    const words = [at('cases'), 'approved-card', at('cases/one.yaml')];
    const together = await run([...words, '--parallel', '4', '--json']);
    expect(together).toMatchObject({ code: 0, stderr: '' });
    const names = (JSON.parse(together.stdout) as Printed).scenarios.map(({ name }) => name);
    expect(names).toEqual(['one', 'three', 'two', 'a customer pays by card and is charged once', 'one']);
    const alone = await run([...words, '--parallel', '1', '--json']);
    expect(alone.stdout).toBe(together.stdout);
  });

  it('prints a row for each in a pipe, and details of failures beside it', async () => {
    const { stdout, stderr, code } = await run([at('cases/one.yaml'), '--set', 'card=declined']);
    expect(stdout).toBe(`failed\tone\t${at('cases/one.yaml')}\t2\n`);
    expect(stderr).toContain('state     Captured  Declined');
    expect(stderr).toContain('What happened');
    expect(code).toBe(3);
  });

  it('replaces values of the files', async () => {
    const { failed } = await json([at('cases/one.yaml'), '--set', 'amount=11']);
    expect(failed).toBe(1);
    const unknown = await run([at('cases/one.yaml'), '--set', 'amonut=11']);
    expect(unknown).toMatchObject({ code: 2, stdout: '' });
    expect(unknown.stderr).toContain('--set amonut  did you mean amount?');
  });

  it('goes by the seed', async () => {
    const [one, other] = [await json(['approved-card']), await json(['approved-card', '--seed', '7'])];
    expect([one.scenarios[0]?.seed, other.scenarios[0]?.seed]).toEqual([1, 7]);
  });

  it('tells every mistake of every file, and runs nothing', async () => {
    writeFileSync(at('a.yaml'), 'name: a\nsteps:\n  - refund: { paymnt: x }\n');
    writeFileSync(at('b.yaml'), 'name: b\nsteps: x\n');
    const { code, stdout } = await run([at('a.yaml'), at('b.yaml'), 'approved-card', '--json']);
    expect(code).toBe(2);
    expect(JSON.parse(stdout)).toMatchObject({
      error: {
        code: 'bad-scenario',
        message: 'There are 3 problems in the scenarios. Nothing was run.',
        details: [
          { input: `${at('a.yaml')}:3:13`, problem: 'payment is required' },
          { input: `${at('a.yaml')}:3:15`, problem: 'unknown key paymnt; did you mean payment?' },
          { input: `${at('b.yaml')}:2:8`, problem: 'steps must be a list' },
        ],
      },
    });
    expect(await run(['aproved-card'])).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/Did you mean\s+approved-card\?/) as string,
    });
  });

  it('keeps the sandbox as a file that a sandbox starts with', async () => {
    const { stdout, code } = await run(['approved-card', '--keep', '--json']);
    expect(code).toBe(0);
    const [file] = (JSON.parse(stdout) as { kept: string[] }).kept;
    const kept = JSON.parse(readFileSync(file!, 'utf8')) as object;
    expect(JSON.stringify(kept)).toContain('order-1');
    const told = await run(['approved-card', '--keep'], { terminal: true, columns: 200 });
    const [, path] = /paydesk sandbox start --memory --import (\S+)/.exec(told.stderr) ?? [];
    expect(existsSync(path!)).toBe(true);
    for (const each of [file!, path!]) rmSync(join(each, '..'), { recursive: true });
  });

  it("sends the webhooks to a developer's handler and expects its answers", async () => {
    const url = await handler((count) => (count === 2 ? 500 : 202));
    writeFileSync(
      at('handler.yaml'),
      `name: handler
set: { url: '' }
steps:
  - webhook: { handler: '\${url}' }
  - create: { amount: 10, currency: EUR, customer: c_1, auto-capture: false }
    as: order
  - pay: { payment: '\${order}', card: approved }
    expect: { all-webhooks: [Created, Authorised], answers: [202, 500] }
  - clock: { advance: 1m }
  - expect: { payment: '\${order}', all-webhooks: [Created, Authorised, Authorised], answers: [202, 500, 202] }
`,
    );
    const ran = await run([at('handler.yaml'), '--set', `url=${url}`]);
    expect(ran).toMatchObject({ code: 0, stderr: '' });
  });

  it('ends on Ctrl-C, also while a handler takes its time', async () => {
    let interrupt = () => {};
    const url = await handler(() => {
      interrupt();
      return undefined;
    });
    writeFileSync(
      at('hanging.yaml'),
      `name: hanging
steps:
  - webhook: { handler: '${url}' }
  - create: { amount: 10, currency: EUR, customer: c_1 }
  - clock: { advance: 365d }
`,
    );
    const ran = await run([at('hanging.yaml'), 'approved-card', '--parallel', '1'], {
      onStart: (stop: () => void) => (interrupt = stop),
    });
    expect(ran).toMatchObject({ code: 130, stdout: '' });
  });
});

describe('scenario list and show', () => {
  it('name what ships, and print it as it is', async () => {
    const { result } = await runInProcess(ScenarioList, ['--json']);
    const listed = result as Array<{ name: string; title: string; steps: number }>;
    expect(listed.length).toBeGreaterThanOrEqual(25);
    expect(listed).toContainEqual({
      name: 'approved-card',
      title: 'a customer pays by card and is charged once',
      steps: 2,
    });
    const { stdout } = await runInProcess(ScenarioShow, ['approved-card']);
    expect(stdout).toBe(
      readFileSync(new URL('../../../scenarios/approved-card.yaml', import.meta.url), 'utf8'),
    );
  });
});
