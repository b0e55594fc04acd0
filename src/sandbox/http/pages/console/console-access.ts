import { createHmac } from 'node:crypto';
import type { Context } from 'hono';
import { getCookie, setCookie } from 'hono/cookie';
import { equal } from '../../addresses.js';

/** Who may see the console: a browser that once came with the link that `sandbox start` printed. */
interface ConsoleAccess {
  /** Whether the link that is being followed carries the right token; the browser then gets its cookie. */
  enter(c: Context): boolean;
  isIn(c: Context): boolean;
  /** A secret that only this run of the sandbox knows. */
  derive(purpose: string): string;
}

export const CONSOLE_PATH = '/console';

export function createConsoleAccess(token: string): ConsoleAccess {
  // Not the token itself: a cookie goes to every port of this machine, and the token can do more than a console.
  const derive = (purpose: string) => createHmac('sha256', token).update(purpose).digest('hex');
  const pass = derive('console');
  // Cookies know no ports: two sandboxes of one machine must not take each other's.
  const nameOf = (c: Context) => `paydesk-console-${new URL(c.req.url).port || '80'}`;
  return {
    enter(c) {
      const given = c.req.query('token');
      if (given === undefined || !equal(given, token)) return false;
      setCookie(c, nameOf(c), pass, { path: CONSOLE_PATH, httpOnly: true, sameSite: 'Strict' });
      return true;
    },
    isIn: (c) => equal(getCookie(c, nameOf(c)) ?? '', pass),
    derive,
  };
}
