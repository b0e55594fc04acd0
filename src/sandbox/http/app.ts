import { Hono } from 'hono';
import { openApiDocument } from '../../contract/openapi.js';
import { shapeFailure, defaultAnswers } from '../answers.js';
import { createControlRoutes, type ControlOptions } from './control-routes.js';
import { createPageRoutes } from './page-routes.js';

/** Everything but the service itself: its description, the control API and the pages. */
export function createApp(options: ControlOptions): Hono {
  const app = new Hono();
  let openApi: string | undefined;
  app.get('/openapi.json', (c) => {
    openApi ??= JSON.stringify(openApiDocument());
    return c.body(openApi, 200, { 'content-type': 'application/json' });
  });
  app.route('/_sandbox', createControlRoutes(options));
  app.route('/', createPageRoutes(options.engine, options.addresses, options.token));
  app.notFound((c) => {
    const answer = shapeFailure(defaultAnswers, {
      code: 'not-found',
      detail: `There is nothing at ${c.req.path}. The service is below /api/apps/{appId}; /openapi.json describes it.`,
      errors: [],
      headers: {},
      requestId: '',
    });
    return c.body(answer.body, 404, answer.headers);
  });
  return app;
}
