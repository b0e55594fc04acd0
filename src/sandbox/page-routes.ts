import { Hono, type MiddlewareHandler } from 'hono';
import { StoreError } from '../store/store.js';
import type { ControlOptions } from './http/control-routes.js';
import { createCheckoutRoutes } from './http/pages/checkout/checkout-routes.js';
import { createConsoleRoutes } from './http/pages/console/console-routes.js';
import { showBroken, showGone, showRefused } from './http/pages/page.js';
import { createFormGuard, FormRefused, limitForms, protectPages } from './http/pages/page-security.js';
import { createProviderRoutes } from './http/pages/provider/provider-routes.js';
import { createPanelRoutes } from './http/pages/panel/panel-routes.js';

/**
 * A link has one spelling, the one that was given out: encoded or with detours it is another text, which a log or a
 * filter may not know for a secret.
 */
const onlyAsWritten: MiddlewareHandler = (c, next) => {
  const { incoming } = c.env as { incoming?: { url?: string } };
  const [path = ''] = (incoming?.url ?? c.req.path).split('?');
  return LINK.test(path) ? next() : Promise.resolve(showGone(c));
};

const LINK = /^\/(?:(?:checkout|provider)\/\d+-[0-9a-f]+(?:\/(?:done|version))?|panel\/[\w-]+\.[\w-]+)$/;

/** The pages behind `redirectUrl`, panel links and `consoleUrl`. */
export function createPageRoutes(options: ControlOptions): Hono {
  const forms = createFormGuard(options.engine);
  const sections = {
    '/checkout': createCheckoutRoutes(options, forms),
    '/provider': createProviderRoutes(options, forms),
    '/panel': createPanelRoutes(options, forms),
    '/console': createConsoleRoutes(options),
  };
  // Links and forms are derived from the generation that was read last, and another process may have started one.
  const atGeneration: MiddlewareHandler = async (_, next) => {
    await options.engine.generations.read();
    await next();
  };
  const routes = new Hono();
  routes.onError((error, c) => {
    if (error instanceof FormRefused) return showRefused(c, error.message);
    options.onError(error);
    // A database that is unavailable may come back: a client that watches the status may retry.
    return showBroken(c, error instanceof StoreError ? 503 : 500);
  });
  for (const [path, section] of Object.entries(sections)) {
    routes.use(`${path}/*`, protectPages, limitForms, atGeneration);
    if (path !== '/console') routes.use(`${path}/*`, onlyAsWritten);
    routes.route(path, section);
    routes.all(`${path}/*`, showGone);
  }
  return routes;
}
