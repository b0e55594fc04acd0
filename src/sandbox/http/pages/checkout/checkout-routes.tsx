import { Hono } from 'hono';
import { pay } from '../../../domain/paying.js';
import type { ControlOptions } from '../../control-routes.js';
import { showGone } from '../page.js';
import type { FormGuard } from '../page-security.js';
import { attemptPayment, readAttempt } from '../paying/attempt.js';
import { showEnding } from '../paying/ending.js';
import { addFollowing } from '../paying/following.js';
import { openVisit, visitStanding, type Visit } from '../paying/visit.js';
import { showWaiting } from '../paying/waiting.js';
import { showCheckout } from './checkout-page.js';

/** Behind `redirectUrl`: the customer chooses how to pay. */
export function createCheckoutRoutes(options: ControlOptions, forms: FormGuard): Hono {
  const { engine } = options;
  const routes = new Hono();
  const visitOf = async (link: string): Promise<Visit | undefined> => {
    const visit = await openVisit(options, link);
    return visit?.payment.flow === 'HostedPage' ? visit : undefined;
  };

  const tokenOf = ({ home, version }: Visit) => forms.token(home, version);

  routes.get('/:link', async (c) => {
    const visit = await visitOf(c.req.param('link'));
    if (!visit) return showGone(c);
    const standing = visitStanding(visit);
    if (standing === 'open') return showCheckout(c, visit, tokenOf(visit));
    if (standing === 'at-provider') return c.redirect(visit.provider, 303);
    return standing === 'waiting' ? showWaiting(c, visit) : showEnding(c, visit, false);
  });

  routes.post('/:link', async (c) => {
    const visit = await visitOf(c.req.param('link'));
    if (!visit) return showGone(c);
    const form = await forms.read(c, visit.home);
    const attempt = readAttempt(form, visit, 'checkout');
    if ('request' in attempt) {
      const acted = await attemptPayment(engine, visit, form, (work, app, current) =>
        pay(work, app, current, attempt.request),
      );
      return c.redirect(acted ? `${visit.home}/done` : visit.home, 303);
    }
    if (visitStanding(visit) !== 'open') return c.redirect(visit.home, 303);
    return showCheckout(c, visit, tokenOf(visit), attempt);
  });

  addFollowing(routes, visitOf);
  return routes;
}
