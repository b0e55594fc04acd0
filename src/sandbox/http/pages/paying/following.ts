import type { Hono } from 'hono';
import { showGone } from '../page.js';
import { showEnding } from './ending.js';
import { visitStanding, type Visit } from './visit.js';
import { looksOf } from './waiting.js';

/** What follows a payment, at the shop's page and at a provider's: the way back, and news for the page that waits. */
export function addFollowing(routes: Hono, visitOf: (link: string) => Promise<Visit | undefined>): void {
  routes.get('/:link/done', async (c) => {
    const visit = await visitOf(c.req.param('link'));
    if (!visit) return showGone(c);
    if (visitStanding(visit) === 'over') return showEnding(c, visit, true);
    const looks = looksOf(c);
    return c.redirect(looks === 0 ? visit.home : `${visit.home}?look=${looks}`, 303);
  });

  routes.get('/:link/version', async (c) => {
    const visit = await visitOf(c.req.param('link'));
    return visit ? c.text(String(visit.payment.version)) : showGone(c);
  });
}
