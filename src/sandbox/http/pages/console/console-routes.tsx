import { paydesk } from '../../../../next-command.js';
import { Hono, type Context } from 'hono';
import { createCommands, type Commands } from '../../../console/commands.js';
import { createResults } from '../../../console/results.js';
import type { ControlOptions } from '../../control-routes.js';
import { showPage } from '../page.js';
import { createFormGuard } from '../page-security.js';
import { addAppRoutes } from './app-routes.js';
import { CommandBlock } from './command.js';
import { CONSOLE_PATH, createConsoleAccess } from './console-access.js';
import { commandStyle } from './console-style.js';
import { showNothing, type ConsoleTools } from './console-frame.js';
import { addClockRoutes } from './clock-routes.js';
import { addCustomerRoutes } from './customer-routes.js';
import { addFaultRoutes } from './fault-routes.js';
import { addPaymentActions } from './payment-actions.js';
import { addPaymentRoutes } from './payment-routes.js';
import { addWebhookRoutes } from './webhook-routes.js';

/** Shows and steers what happens in the sandbox, for people with the link that `sandbox start` prints. */
export function createConsoleRoutes(options: ControlOptions): Hono {
  const access = createConsoleAccess(options.token);
  const commands = createCommands(options.url, options.profileOf);
  const desk: ConsoleTools = {
    engine: options.engine,
    control: options.consoleControl,
    addresses: options.addresses,
    commands,
    // By the control token: under a seed, what the engine derives is known to everybody.
    forms: createFormGuard({ derive: (purpose, key) => access.derive(`${purpose}:${key}`) }),
    live: options.live,
    results: createResults(),
  };
  const routes = new Hono();

  routes.use('*', async (c, next) => {
    if (c.req.method === 'GET' && c.req.query('token') !== undefined && access.enter(c))
      return c.redirect(c.req.path, 303);
    if (access.isIn(c)) return next();
    return isArriving(c) ? showArrival(c) : showClosed(c, commands);
  });

  routes.get('/live', (c) => {
    const payment = Number(c.req.query('payment'));
    const stream = desk.live.open(Number.isSafeInteger(payment) && payment > 0 ? payment : undefined);
    if (!stream) return c.text('Too many consoles are open.', 503, { 'retry-after': '5' });
    // The connection ends with the stream: one that is kept for more would hold up a sandbox that stops.
    return c.body(stream, 200, { 'content-type': 'text/event-stream', connection: 'close' });
  });
  addPaymentRoutes(routes, desk);
  addPaymentActions(routes, desk);
  addCustomerRoutes(routes, desk);
  addAppRoutes(routes, desk);
  addWebhookRoutes(routes, desk);
  addClockRoutes(routes, desk);
  addFaultRoutes(routes, desk);
  routes.all('*', (c) => showNothing(c, desk));
  return routes;
}

/** A browser that followed the link from a page of another site has the cookie and does not send it yet. */
function isArriving(c: Context): boolean {
  return (
    c.req.method === 'GET' &&
    c.req.header('sec-fetch-site') === 'cross-site' &&
    c.req.header('sec-fetch-mode') === 'navigate' &&
    c.req.path === CONSOLE_PATH
  );
}

/** Loads the console again, this time with the cookie; a visitor without one sees how to get in. */
function showArrival(c: Context): Response | Promise<Response> {
  c.header('refresh', `0;url=${CONSOLE_PATH}`);
  return showPage(
    c,
    { title: 'paydesk sandbox' },
    <p>
      <a href={CONSOLE_PATH}>Go to the console</a>
    </p>,
  );
}

function showClosed(c: Context, commands: Commands): Response | Promise<Response> {
  return showPage(
    c,
    { title: 'The console is closed', status: 403, style: commandStyle },
    <div class="card stack">
      <h1>The console is closed</h1>
      <p>Open it with its own link, which is valid until the sandbox stops. This command shows the link:</p>
      <CommandBlock template={commands.status} />
      <p>If the sandbox is not running, start it. It prints a new link:</p>
      <CommandBlock template={paydesk('sandbox', 'start').words} />
    </div>,
  );
}
