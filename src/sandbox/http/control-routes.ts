import { Hono, type Context } from 'hono';
import { numberFromText } from '../../contract/json.js';
import { shapeFailure, defaultAnswers } from '../answers.js';
import type { LiveFeed } from '../console/live.js';
import type { Control } from '../control.js';
import {
  appBody,
  appPatch,
  check,
  clockBody,
  faultBody,
  payBody,
  providerBody,
} from '../control-requests.js';
import { Refusal } from '../domain/refusal.js';
import { showPayment } from '../domain/payments.js';
import type { Engine } from '../engine.js';
import type { SeededRow } from '../seed.js';
import { equal, type Addresses } from './addresses.js';
import { refusalOf } from './service.js';
import { showApp } from './show-app.js';

export interface ControlOptions {
  engine: Engine;
  control: Control;
  /** The same for what is asked for in the console. */
  consoleControl: Control;
  addresses: Addresses;
  live: LiveFeed;
  token: string;
  /** Where all of this is. */
  url: string;
  /** The desk's profile that points at an app here, when there is one. */
  profileOf(appId: string): string | undefined;
  status(): Promise<object>;
  /** Ends the process that serves this. */
  stop(): void;
  onError(error: unknown): void;
}

/** `/_sandbox/…`: with a token of its own, and closed to pages of other origins. */
export function createControlRoutes({
  engine,
  control,
  addresses,
  token,
  status,
  stop,
  onError,
}: ControlOptions): Hono {
  const routes = new Hono();
  const appOf = (c: Context) => c.req.query('appId');

  routes.use('*', async (c, next) => {
    guard(c, token);
    await next();
  });

  routes.onError((error, c) => answerFailure(c, error, onError));

  routes.get('/status', async (c) => c.json(await status()));
  routes.post('/stop', (c) => {
    setImmediate(stop);
    return c.json({ stopping: true });
  });

  routes.post('/payments/:key/pay', async (c) => {
    const request = check(payBody, await body(c));
    return c.json(showPayment(await control.pay(c.req.param('key'), appOf(c), request), addresses));
  });
  routes.post('/payments/:key/provider', async (c) => {
    const { answer } = check(providerBody, await body(c));
    return c.json(showPayment(await control.provider(c.req.param('key'), appOf(c), answer), addresses));
  });
  routes.get('/payments/:key/books', async (c) => c.json(await control.books(c.req.param('key'), appOf(c))));
  routes.get('/payments/:key/story', async (c) => {
    const { payment, ...story } = await control.story(c.req.param('key'), appOf(c));
    return c.json({ payment: showPayment(payment, addresses), ...story });
  });
  routes.post('/webhooks/:id/resend', async (c) => {
    const { event_id: webhookId, url, status, error, ms, answer } = await control.resend(idOf(c, 'webhook'));
    return c.json({ webhookId, url, status, error, ms, answer });
  });

  routes.get('/clock', async (c) => c.json(await showClock(engine)));
  routes.post('/clock', async (c) => {
    await control.clock(check(clockBody, await body(c)));
    return c.json(await showClock(engine));
  });

  routes.get('/faults', async (c) => c.json((await engine.faults.list()).map(showFault)));
  routes.post('/faults', async (c) => {
    const id = await control.addFault(check(faultBody, await body(c)));
    const fault = (await engine.faults.list()).find((candidate) => candidate.id === id);
    return c.json(fault && showFault(fault), 201);
  });
  routes.delete('/faults', async (c) => c.json({ cleared: await control.clearFaults() }));
  routes.delete('/faults/:id', async (c) => {
    const cleared = await control.clearFaults(idOf(c, 'fault'));
    if (cleared === 0) throw new Refusal('not-found', `There is no fault ${c.req.param('id')}.`);
    return c.json({ cleared });
  });

  routes.get('/apps', async (c) => c.json((await engine.apps.all()).map(showApp)));
  routes.post('/apps', async (c) =>
    c.json(showApp(await control.createApp(check(appBody, await body(c)))), 201),
  );
  routes.patch('/apps/:appId', async (c) =>
    c.json(showApp(await control.changeApp(c.req.param('appId'), check(appPatch, await body(c))))),
  );

  routes.post('/seed', async (c) => c.json((await control.seed()).map(showSeeded)));
  routes.post('/reset', async (c) => {
    await control.reset();
    return c.json({ reset: true });
  });
  routes.get('/export', async (c) =>
    c.body(await control.export(), 200, { 'content-type': 'application/json' }),
  );
  routes.post('/import', async (c) => {
    await control.import(await c.req.text());
    return c.json({ imported: true });
  });
  routes.all('*', (c) => {
    throw new Refusal('not-found', `There is nothing at ${c.req.path}.`);
  });
  return routes;
}

/** Says no, or that it failed, as the service does by default. */
export function answerFailure(c: Context, error: unknown, onError: (error: unknown) => void): Response {
  const refusal = refusalOf(error, onError);
  const answer = shapeFailure(defaultAnswers, {
    code: refusal.code,
    detail: refusal.message,
    errors: refusal.errors,
    headers: refusal.headers,
    requestId: '',
  });
  return c.body(answer.body, answer.status as 400, answer.headers);
}

/** A page of another site can neither read the token nor make the browser send this. */
export function guard(c: Context, token: string): void {
  const origin = c.req.header('origin');
  if (origin !== undefined && origin !== `http://${c.req.header('host')}`) {
    throw new Refusal('wrong-app', 'The control API is closed to pages of other origins.');
  }
  const given = /^Bearer (.+)$/.exec(c.req.header('authorization') ?? '')?.[1];
  if (given === undefined || !equal(given, token)) {
    throw new Refusal('unknown-key', 'The control API needs the control token that sandbox start printed.');
  }
}

function idOf(c: Context, what: string): number {
  const id = Number(c.req.param('id'));
  if (!Number.isSafeInteger(id)) throw new Refusal('not-found', `There is no ${what} ${c.req.param('id')}.`);
  return id;
}

async function body(c: Context): Promise<unknown> {
  try {
    return await c.req.json();
  } catch {
    throw new Refusal('invalid-json', 'The body is not valid JSON.');
  }
}

/** A sample payment, with what a desk remembers of a payment. */
function showSeeded({ payment, about, added }: SeededRow) {
  return {
    appId: payment.app_id,
    paymentId: payment.payment_id,
    referenceId: payment.reference_id,
    state: payment.state,
    amount: numberFromText(payment.amount),
    currency: payment.currency,
    customerId: payment.customer_id,
    createdTime: new Date(payment.created_time).toISOString(),
    about,
    added,
  };
}

async function showClock(engine: Engine) {
  const { now, stopped } = await engine.clock.read();
  return { now: new Date(now).toISOString(), stopped };
}

function showFault({ options, ...fault }: Awaited<ReturnType<Engine['faults']['list']>>[number]) {
  return { ...fault, ...(JSON.parse(options) as object) };
}
