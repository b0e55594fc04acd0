import { randomUUID } from 'node:crypto';
import { Hono, type Context } from 'hono';
import { shapeFailure, defaultAnswers } from '../answers.js';
import type { LiveFeed } from '../console/live.js';
import type { Control } from '../control/control.js';
import {
  controlOperation,
  controlRoutes,
  exportDocument,
  splitRoute,
  type ControlAnswers,
  type ControlRoute,
} from '../control/api.js';
import { Refusal } from '../domain/refusal.js';
import type { StreamedFile } from '../settlement/file-format.js';
import { equal } from './addresses.js';
import { requirePlainBody } from './body-headers.js';
import { askControl, type ControlTools } from './control-handlers.js';
import { refusalOf } from './service.js';

export interface ControlOptions extends ControlTools {
  /** The same for what is asked for in the console. */
  consoleControl: Control;
  live: LiveFeed;
  token: string;
  /** Where all of this is. */
  url: string;
  /** The desk's profile that points at an app here, when there is one. */
  profileOf(appId: string): string | undefined;
  onError(error: unknown): void;
}

/** `/_sandbox/…`: with a token of its own, and closed to pages of other origins. */
export function createControlRoutes(options: ControlOptions): Hono {
  const routes = new Hono();
  routes.use('*', async (c, next) => {
    guard(c, options.token);
    await next();
  });
  routes.onError((error, c) => answerFailure(c, error, options.onError));
  for (const route of controlRoutes) {
    const { method, path } = splitRoute(route);
    routes.on(method, path.replaceAll(/\{(\w+)\}/g, ':$1'), (c) => answer(c, route, options));
  }
  routes.all('*', (c) => {
    throw new Refusal('not-found', `There is nothing at ${c.req.path}.`);
  });
  return routes;
}

async function answer(c: Context, route: ControlRoute, tools: ControlTools): Promise<Response> {
  const asked = { parameters: c.req.param(), query: c.req.query(), body: await bodyOf(c, route) };
  const result = await askControl(route, asked, tools);
  if (isStreamed(result)) {
    return c.body(ReadableStream.from(result.pieces).pipeThrough(new TextEncoderStream()), 200, {
      'content-type': result.mediaType,
    });
  }
  // An export is text already.
  return typeof result === 'string'
    ? c.body(result, 200, { 'content-type': 'application/json' })
    : c.json(result, controlOperation(route).status ?? 200);
}

const isStreamed = (result: ControlAnswers[ControlRoute]): result is StreamedFile =>
  typeof result === 'object' && 'pieces' in result;

async function bodyOf(c: Context, route: ControlRoute): Promise<unknown> {
  const { body } = controlOperation(route);
  if (body === undefined) return undefined;
  requirePlainBody((name) => c.req.header(name));
  return body === exportDocument ? c.req.text() : jsonBody(c);
}

/** Says no, or that it failed, as the service does by default. */
export function answerFailure(c: Context, error: unknown, onError: (error: unknown) => void): Response {
  const refusal = refusalOf(error, onError);
  const requestId = randomUUID();
  const answer = shapeFailure(defaultAnswers, {
    code: refusal.code,
    detail: refusal.message,
    errors: refusal.errors,
    headers: { ...refusal.headers, 'x-request-id': requestId },
    requestId,
  });
  return c.body(answer.body, answer.status as 400, answer.headers);
}

/** A page of another site can neither read the token nor make the browser send this. */
function guard(c: Context, token: string): void {
  const origin = c.req.header('origin');
  if (origin !== undefined && origin !== `http://${c.req.header('host')}`) {
    throw new Refusal('wrong-app', 'The control API is closed to pages of other origins.');
  }
  const header = c.req.header('authorization');
  const given = /^Bearer (.+)$/.exec(header ?? '')?.[1];
  if (given !== undefined && equal(given, token)) return;
  const code = header === undefined ? 'missing-authorization' : 'unknown-key';
  throw new Refusal(code, 'The control API needs the control token that sandbox start printed.');
}

async function jsonBody(c: Context): Promise<unknown> {
  try {
    return await c.req.json();
  } catch {
    throw new Refusal('invalid-json', 'The body is not valid JSON.');
  }
}
