import { Hono } from 'hono';
import { findCustomer } from '../../../domain/customers.js';
import { lastUses, listMethods, removeMethod, stopRegistration } from '../../../domain/methods.js';
import { Refusal } from '../../../domain/refusal.js';
import type { ControlOptions } from '../../control-routes.js';
import { showGone } from '../page.js';
import type { FormGuard } from '../page-security.js';
import { isOutcome, PANEL_PAGE, showPanel } from './panel-page.js';

/** Behind a panel link: whoever holds it sees and changes the methods of its one customer, until it expires. */
export function createPanelRoutes({ engine, addresses }: ControlOptions, forms: FormGuard): Hono {
  const routes = new Hono();

  async function ownerOf(link: string) {
    const { now } = await engine.clock.read();
    const owner = addresses.readPanel(link, now);
    const app = owner && (await engine.apps.byId(owner.appId));
    return owner && app && { ...owner, app, now, home: `/panel/${link}` };
  }

  routes.get('/:link', async (c) => {
    const owner = await ownerOf(c.req.param('link'));
    if (!owner) return showGone(c);
    const { customer, methods, uses, older } = await engine.read(async (work) => {
      const all = (await listMethods(work, owner.appId, owner.customerId)).toReversed();
      const before = Number(c.req.query('before') ?? Infinity);
      const rest = all.filter(({ payment_method_id: id }) => !(id >= before));
      const shown = rest.slice(0, PANEL_PAGE);
      return {
        customer: await findCustomer(work, owner.appId, owner.customerId),
        methods: shown,
        uses: await lastUses(work, shown),
        older: rest.length > shown.length ? shown.at(-1)?.payment_method_id : undefined,
      };
    });
    const done = c.req.query('done') ?? '';
    return showPanel(c, {
      ...owner,
      customer,
      methods,
      uses,
      older,
      token: forms.token(owner.home),
      done: isOutcome(done) ? done : undefined,
    });
  });

  routes.post('/:link', async (c) => {
    const owner = await ownerOf(c.req.param('link'));
    if (!owner) return showGone(c);
    const form = await forms.read(c, owner.home);
    const [remove, stop] = [form.get('remove'), form.get('stop')];
    const change = remove === null ? stopRegistration : removeMethod;
    const id = remove ?? stop ?? '';
    if (!/^\d{1,15}$/.test(id)) return c.redirect(owner.home, 303);
    try {
      await engine.write((work) => change(work, owner.appId, owner.customerId, Number(id)));
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      return c.redirect(`${owner.home}?done=nothing`, 303);
    }
    return c.redirect(`${owner.home}?done=${remove === null ? 'stopped' : 'removed'}`, 303);
  });

  return routes;
}
