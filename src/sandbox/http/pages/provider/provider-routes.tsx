import { Hono } from 'hono';
import { outcomeNames } from '../../../domain/cards.js';
import { finishChallenge, pay } from '../../../domain/paying.js';
import type { ControlOptions } from '../../control-routes.js';
import { showGone } from '../page.js';
import type { FormGuard } from '../page-security.js';
import { attemptPayment, readAttempt } from '../paying/attempt.js';
import { showEnding } from '../paying/ending.js';
import { addFollowing } from '../paying/following.js';
import { openVisit, visitStanding, type Visit } from '../paying/visit.js';
import { showWaiting } from '../paying/waiting.js';
import { showProviderPage } from './provider-page.js';
import { showStep } from './step-page.js';

/** The provider's own site: where a provider-hosted payment is made, and where others are confirmed. */
export function createProviderRoutes(options: ControlOptions, forms: FormGuard): Hono {
  const { engine } = options;
  const routes = new Hono();
  const visitOf = (link: string) => openVisit(options, link);

  const tokenOf = ({ provider, version }: Visit) => forms.token(provider, version);

  routes.get('/:link', async (c) => {
    const visit = await visitOf(c.req.param('link'));
    if (!visit) return showGone(c);
    const standing = visitStanding(visit);
    if (standing === 'at-provider') return showStep(c, visit, tokenOf(visit));
    // A payment from the checkout is only here for the step that was asked for.
    if (visit.home !== visit.provider) return c.redirect(visit.home, 303);
    if (standing === 'open') return showProviderPage(c, visit, tokenOf(visit));
    return standing === 'waiting' ? showWaiting(c, visit) : showEnding(c, visit, false);
  });

  routes.post('/:link', async (c) => {
    const visit = await visitOf(c.req.param('link'));
    if (!visit) return showGone(c);
    const form = await forms.read(c, visit.provider);
    const follow = (acted: boolean) => c.redirect(acted ? `${visit.home}/done` : visit.home, 303);
    if (!form.has('profile')) {
      const outcome = outcomeNames.find((name) => name === form.get('outcome'));
      const step = outcome === undefined ? form.get('step') : 'confirm';
      if (step !== 'confirm' && step !== 'refuse') return c.redirect(visit.provider, 303);
      return follow(
        await attemptPayment(engine, visit, form, (work, app, current) =>
          finishChallenge(work, app, current, step === 'confirm', outcome),
        ),
      );
    }
    if (visitStanding(visit) !== 'open' || visit.home !== visit.provider) return c.redirect(visit.home, 303);
    const attempt = readAttempt(form, visit, 'provider');
    if (!('request' in attempt)) return showProviderPage(c, visit, tokenOf(visit), attempt.typed);
    return follow(
      await attemptPayment(engine, visit, form, (work, app, current) =>
        pay(work, app, current, attempt.request),
      ),
    );
  });

  addFollowing(routes, visitOf);
  return routes;
}
