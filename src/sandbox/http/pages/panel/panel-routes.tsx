import { Hono, type Context } from 'hono';
import { findCustomer } from '../../../domain/customers.js';
import {
  readMethod,
  listMethods,
  methodOf,
  deleteMethod,
  stopRegistration,
  usesOf,
} from '../../../domain/methods.js';
import { lastReturnUrl } from '../../../domain/payments.js';
import { Refusal } from '../../../domain/refusal.js';
import { equal } from '../../addresses.js';
import type { ControlOptions } from '../../control-routes.js';
import { showGone } from '../page.js';
import type { FormGuard } from '../page-security.js';
import { isOutcome, PANEL_PAGE, showPanel, type PanelOutcome } from './panel-page.js';

/** Behind a panel link: anyone with the link sees and changes the methods of its customer, until it expires. */
export function createPanelRoutes({ engine, addresses }: ControlOptions, forms: FormGuard): Hono {
  const routes = new Hono();

  async function ownerOf(link: string) {
    const { now } = await engine.clock.read();
    const owner = addresses.readPanel(link, now);
    const app = owner && (await engine.apps.byId(owner.appId));
    return owner && app && { ...owner, app, now, home: `/panel/${link}` };
  }

  /** Only what happened is said: an address that somebody made up proves nothing and says nothing. */
  const proofOf = (home: string, method: string, outcome: PanelOutcome) =>
    engine.derive('done', `${home}:${method}:${outcome}`).slice(0, 32);

  function doneOf(c: Context, home: string): { outcome: PanelOutcome; methodId: number } | undefined {
    const { done = '', method = '', proof = '' } = c.req.query();
    const isProven = isOutcome(done) && equal(proof, proofOf(home, method, done));
    return isProven ? { outcome: done, methodId: Number(method) } : undefined;
  }

  routes.get('/:link', async (c) => {
    const owner = await ownerOf(c.req.param('link'));
    if (!owner) return showGone(c);
    const { appId, customerId, home } = owner;
    const before = c.req.query('before');
    const told = doneOf(c, home);
    const found = await engine.read(async (work) => {
      const all = (await listMethods(work, appId, customerId)).toReversed();
      const rest = all.filter(({ payment_method_id: id }) => !(id >= Number(before ?? Infinity)));
      const methods = rest.slice(0, PANEL_PAGE);
      return {
        customer: await findCustomer(work, appId, customerId),
        methods,
        uses: await usesOf(work, methods),
        older: rest.length > methods.length ? methods.at(-1)?.payment_method_id : undefined,
        shop: shopHome(await lastReturnUrl(work, appId, customerId)),
        done: told && {
          outcome: told.outcome,
          method: await readMethod(work, appId, customerId, told.methodId),
        },
      };
    });
    const here = before === undefined ? home : `${home}?before=${encodeURIComponent(before)}`;
    return showPanel(c, { ...owner, ...found, here, token: forms.token(home) });
  });

  routes.post('/:link', async (c) => {
    const owner = await ownerOf(c.req.param('link'));
    if (!owner) return showGone(c);
    const { home } = owner;
    const form = await forms.read(c, home);
    const [remove, stop] = [form.get('remove'), form.get('stop')];
    const change = remove === null ? stopRegistration : deleteMethod;
    const id = remove ?? stop ?? '';
    if (!/^\d{1,15}$/.test(id)) return c.redirect(home, 303);
    const say = (outcome: PanelOutcome, method: number) =>
      c.redirect(
        `${home}?proof=${proofOf(home, String(method), outcome)}&method=${method}&done=${outcome}`,
        303,
      );
    const method = remove === null ? methodOf(Number(id)) : Number(id);
    try {
      await engine.write((work) => change(work, owner.appId, owner.customerId, Number(id)));
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      return say('nothing', method);
    }
    return say(remove === null ? 'stopped' : 'removed', method);
  });

  return routes;
}

/** Not the page that thanked for an order long ago, but the shop itself. */
const shopHome = (returnUrl: string | undefined): string | undefined =>
  returnUrl === undefined ? undefined : `${new URL(returnUrl).origin}/`;
