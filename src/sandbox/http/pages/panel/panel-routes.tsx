import { Hono } from 'hono';
import { listMethods } from '../../../domain/methods.js';
import type { ControlOptions } from '../../control-routes.js';
import { showGone, showPage } from '../page.js';
import type { FormGuard } from '../page-security.js';
import { Panel } from './panel.js';

export function createPanelRoutes({ engine, addresses }: ControlOptions, _forms: FormGuard): Hono {
  const routes = new Hono();

  routes.get('/:link', async (c) => {
    const { now } = await engine.clock.read();
    const owner = addresses.readPanel(c.req.param('link'), now);
    if (!owner) return showGone(c);
    const methods = await engine.read((work) => listMethods(work, owner.appId, owner.customerId));
    return showPage(
      c,
      { title: 'Your payment methods' },
      <Panel customerId={owner.customerId} methods={methods} />,
    );
  });

  return routes;
}
