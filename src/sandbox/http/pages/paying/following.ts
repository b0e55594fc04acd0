import type { Hono } from 'hono';
import { showGone } from '../page.js';
import { showEnding } from './ending.js';
import { standingOf, type Visit } from './visit.js';

/** What follows a payment, at the shop's page and at a provider's: the way back, and news for the page that waits. */
export function addFollowing(routes: Hono, visitOf: (link: string) => Promise<Visit | undefined>): void {
  routes.get('/:link/done', async (c) => {
    const visit = await visitOf(c.req.param('link'));
    if (!visit) return showGone(c);
    return standingOf(visit) === 'over' ? showEnding(c, visit, true) : c.redirect(visit.home, 303);
  });

  routes.get('/:link/version', async (c) => {
    const visit = await visitOf(c.req.param('link'));
    return visit ? c.text(String(visit.payment.version)) : showGone(c);
  });
}
