import { expect } from 'vitest';
import { runTyped } from '../../helpers/desk.js';
import type { Home, ServedSandbox } from './processes.js';

interface Failure {
  error: { code: string; message: string; exit: number; next: string[]; details?: unknown };
}

/** Somebody who runs `paydesk sandbox …` against one sandbox. */
export interface Person {
  home: Home;
  sandbox: ServedSandbox;
  /** What a terminal shows. */
  terminal(...args: string[]): Promise<string>;
  /** What a pipe gets; nothing may come on stderr. */
  pipe(...args: string[]): Promise<string>;
  json<T = Record<string, unknown>>(...args: string[]): Promise<T>;
  failure(code: number, ...args: string[]): Promise<Failure['error']>;
  /** Straight to the control API, where a test needs a state to start from. */
  control(method: string, path: string, body?: unknown): Promise<void>;
}

export function createPerson(home: Home, sandbox: ServedSandbox): Person {
  return {
    home,
    sandbox,
    async terminal(...args) {
      const { stdout, stderr, code } = await runTyped(['sandbox', ...args], {
        home: home.path,
        terminal: true,
      });
      expect(code).toBe(0);
      return stdout + stderr;
    },
    async pipe(...args) {
      const { stdout, stderr, code } = await home.run(['sandbox', ...args]);
      expect({ stderr, code }).toEqual({ stderr: '', code: 0 });
      return stdout;
    },
    json: (...args) => home.json(['sandbox', ...args]),
    failure: async (code, ...args) => (await home.json<Failure>(['sandbox', ...args], code)).error,
    async control(method, path, body) {
      const answer = await fetch(`${sandbox.ready.url}/_sandbox${path}`, {
        method,
        headers: { authorization: `Bearer ${sandbox.ready.controlToken}` },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      expect(answer.ok).toBe(true);
    },
  };
}
