import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findProgram, startChild } from '../../../src/webhooks/tunnels/child.js';
import { eventually } from '../../helpers/sandbox.js';
import { isAlive } from './receiver.js';

const env = { PATH: process.env['PATH'] };
const sh = (script: string, ...args: string[]) => startChild('/bin/sh', ['-c', script, 'sh', ...args], env);

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'paydesk-child-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** The process id that a script wrote to a file, once it did. */
function pidIn(name: string): Promise<number> {
  return eventually(() => {
    const pid = Number(readFileSync(join(folder, name), 'utf8'));
    expect(pid).toBeGreaterThan(0);
    return pid;
  });
}

describe('a program that is kept', () => {
  it('tells every line of both outputs, however it ends them and however they come', async () => {
    const child = sh(`printf 'one\\r\\ntw'; printf 'o\\n\\nthree'; printf 'four\\r' >&2`);
    const lines: string[] = [];
    child.onLine((line) => lines.push(line));
    const { code } = await child.ended;
    expect(lines.toSorted()).toEqual(['four', 'one', 'three', 'two']);
    expect(code).toBe(0);
  });

  it('gets its words as they are, and none of them is shell text', async () => {
    const words = ['$(id)', '`id`', 'a b', "it's", '"', '; exit 9', '-n', '*', ''];
    const child = sh(`for word in "$@"; do printf '<%s>\\n' "$word"; done`, ...words);
    const lines: string[] = [];
    child.onLine((line) => lines.push(line));
    expect((await child.ended).code).toBe(0);
    expect(lines).toEqual(words.map((text) => `<${text}>`));
  });

  it('passes on its exit code and its last words', async () => {
    const { code, words } = await sh('echo no >&2; exit 7').ended;
    expect({ code, words }).toEqual({ code: 7, words: ['no'] });
  });

  it('is ended though it pays no heed to a polite request', async () => {
    const child = sh(`trap '' TERM; echo $$ > ${folder}/pid; while :; do sleep 1; done`);
    const pid = await pidIn('pid');
    await child.stop();
    await eventually(() => expect(isAlive(pid)).toBe(false));
  });

  it('has ended when it has, whatever it left behind, and that ends too', async () => {
    const child = sh(`sleep 1000 & echo $! > ${folder}/pid; exit 3`);
    expect((await child.ended).code).toBe(3);
    const left = await pidIn('pid');
    await eventually(() => expect(isAlive(left)).toBe(false));
  });

  it('can be stopped twice, and after it ended', async () => {
    const child = sh('exec sleep 1000');
    await Promise.all([child.stop(), child.stop()]);
    await child.stop();
    const gone = sh('exit 0');
    await gone.ended;
    await gone.stop();
  });
});

it('finds a program where the system would, and says when there is none', () => {
  expect(findProgram('sh', { PATH: '/nowhere:/bin:/usr/bin' })).toBe('/bin/sh');
  expect(findProgram('sh', { PATH: '' })).toBeUndefined();
  expect(findProgram('no-such-program', env)).toBeUndefined();
});
