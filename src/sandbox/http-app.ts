import { Hono } from 'hono';
import { APP_PATH } from '../contract/endpoints.js';
import { CONTROL_PATH } from './control/api.js';
import { Refusal } from './domain/refusal.js';
import { answerFailure, createControlRoutes, type ControlOptions } from './http/control-routes.js';
import { createPageRoutes } from './page-routes.js';

/** Everything but the service itself and its description: the control API and the pages. */
export function createHttpApp(options: ControlOptions): Hono {
  const app = new Hono();
  app.route(CONTROL_PATH, createControlRoutes(options));
  app.route('/', createPageRoutes(options));
  app.onError((error, c) => answerFailure(c, error, options.onError));
  app.notFound((c) => {
    const detail = `There is nothing at ${c.req.path}. The service is below ${APP_PATH}; /openapi.json describes it.`;
    return answerFailure(c, new Refusal('not-found', detail), options.onError);
  });
  return app;
}
