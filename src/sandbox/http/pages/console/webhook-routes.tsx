import type { Hono } from 'hono';
import { listWebhooks, readWebhook, webhookFilters } from '../../../console/webhook-list.js';
import { Refusal } from '../../../domain/refusal.js';
import {
  answerForm,
  FORM_PURPOSE,
  pathBack,
  showConsole,
  showNothing,
  type ConsoleTools,
} from './console-frame.js';
import { answerText, WebhookPage } from './webhook-page.js';
import { webhookPath, WebhooksPage } from './webhooks-page.js';

export function addWebhookRoutes(routes: Hono, desk: ConsoleTools): void {
  const { engine, control, commands } = desk;

  routes.get('/webhooks', async (c) => {
    const { outcome: wanted, key } = c.req.query();
    const outcome = webhookFilters.find((each) => each === wanted);
    return showConsole(
      c,
      desk,
      { section: 'webhooks', title: 'Webhooks', width: 'full', live: 'everything' },
      <WebhooksPage
        outcome={outcome}
        page={await listWebhooks(engine, outcome, key)}
        isFirst={key === undefined}
      />,
    );
  });

  const find = async (id: string, key?: string) =>
    /^\d{1,15}$/.test(id) ? readWebhook(engine, Number(id), key) : undefined;

  routes.get('/webhooks/:id', async (c) => {
    const key = c.req.query('key');
    const story = await find(c.req.param('id'), key);
    if (!story) return showNothing(c, desk);
    return showConsole(
      c,
      desk,
      { section: 'webhooks', title: `Webhook ${story.event.id}`, live: story.event.payment_id },
      <WebhookPage
        story={story}
        isFirst={key === undefined}
        commands={commands}
        token={desk.forms.token(FORM_PURPOSE)}
      />,
    );
  });

  routes.post('/webhooks/:id/resend', (c) => {
    const id = c.req.param('id');
    return answerForm(
      c,
      desk,
      async (form) => {
        const story = await find(id);
        if (!story) throw new Refusal('not-found', `There is no webhook ${id}.`);
        const { event } = story;
        const delivery = await control.resend(event.id);
        return {
          back: pathBack(form, webhookPath(event.id)),
          text: `Webhook ${event.id} was sent again. Answer: ${answerText(delivery)}.`,
          command: commands.resend(event.payment_id, event.id),
        };
      },
      webhookPath(Number(id)),
    );
  });
}
