import { Hono } from 'hono';
import { equal } from '../../addresses.js';
import type { ControlOptions } from '../../control-routes.js';
import { showGone, showPage } from '../page.js';
import { PaymentTable } from './payment-table.js';

const NEWEST = 100;

export function createConsoleRoutes({ engine, token }: ControlOptions): Hono {
  const routes = new Hono();

  routes.get('/', async (c) => {
    const given = c.req.query('token');
    if (given === undefined || !equal(given, token)) return showGone(c);
    const payments = await engine.store.db
      .selectFrom('payments')
      .selectAll()
      .orderBy('payment_id', 'desc')
      .limit(NEWEST)
      .execute();
    return showPage(
      c,
      { title: 'paydesk sandbox', width: 'full', top: <span class="brand">paydesk sandbox</span> },
      <PaymentTable payments={payments} />,
    );
  });

  return routes;
}
