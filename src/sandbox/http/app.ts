import { Hono } from 'hono';
import { shapeFailure, defaultAnswers } from '../answers.js';

export interface HttpOptions {
  /** The OpenAPI document, as text. */
  openApi(): string;
  control: Hono;
  pages: Hono;
}

/** Everything but the service itself: its description, the control API and the pages. */
export function createHttpApp({ openApi, control, pages }: HttpOptions): Hono {
  const app = new Hono();
  app.get('/openapi.json', (c) => c.body(openApi(), 200, { 'content-type': 'application/json' }));
  app.route('/_sandbox', control);
  app.route('/', pages);
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
