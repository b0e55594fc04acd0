import { Hono, type Context } from 'hono';
import type { App } from '../domain/apps.js';
import { cardNames, type CardName } from '../domain/cards.js';
import { listMethods } from '../domain/methods.js';
import { finishChallenge, pay } from '../domain/paying.js';
import { lockPayment, readPayment } from '../domain/payments.js';
import { Refusal } from '../domain/refusal.js';
import type { Engine } from '../engine.js';
import type { PaymentRow } from '../schema.js';
import { equal, type Addresses } from './addresses.js';
import { isOwnHost } from './control-routes.js';
import { CheckoutPage, ConsolePage, GonePage, PanelPage } from './pages.js';

const HEADERS = {
  'content-security-policy':
    "default-src 'none'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-store',
};

const NEWEST = 100;

/** The pages behind `redirectUrl`, panel links and `consoleUrl`. */
export function createPageRoutes(engine: Engine, addresses: Addresses, token: string): Hono {
  const routes = new Hono();

  routes.use('*', async (c, next) => {
    await next();
    for (const [name, value] of Object.entries(HEADERS)) c.header(name, value);
  });

  const gone = (c: Context) => c.html(<GonePage />, 404);

  async function paymentOf(link: string): Promise<PaymentRow | undefined> {
    const paymentId = addresses.readCheckout(link);
    return paymentId === undefined ? undefined : engine.read((work) => readPayment(work, { paymentId }));
  }

  routes.get('/checkout/:link', async (c) => {
    const payment = await paymentOf(c.req.param('link'));
    return payment ? c.html(<CheckoutPage payment={payment} action={c.req.path} />) : gone(c);
  });

  routes.post('/checkout/:link', async (c) => {
    const payment = await paymentOf(c.req.param('link'));
    if (!payment) return gone(c);
    const origin = c.req.header('origin');
    if (origin !== undefined && origin !== `http://${c.req.header('host')}`)
      return c.text('Another site sent this.', 403);
    const form = await c.req.parseBody();
    try {
      await engine.write(async (work) => {
        const current = (await lockPayment(work, { paymentId: payment.payment_id })) as PaymentRow;
        const app = (await work.apps.byId(current.app_id, work.tx)) as App;
        if (form.challenge !== undefined)
          return finishChallenge(work, app, current, form.challenge === 'passed');
        const card = cardNames.find((name) => name === form.card) ?? ('approved' satisfies CardName);
        return pay(work, app, current, { card, payerIp: '127.0.0.1' });
      });
    } catch (error) {
      // Paid in another tab meanwhile: the page shows where it stands.
      if (!(error instanceof Refusal)) throw error;
    }
    return c.redirect(c.req.path, 303);
  });

  routes.get('/panel/:link', async (c) => {
    const { now } = await engine.clock.read();
    const owner = addresses.readPanel(c.req.param('link'), now);
    if (!owner) return gone(c);
    const methods = await engine.read((work) => listMethods(work, owner.appId, owner.customerId));
    return c.html(<PanelPage customerId={owner.customerId} methods={methods} />);
  });

  routes.get('/console', async (c) => {
    const given = c.req.query('token');
    if (given === undefined || !equal(given, token) || !isOwnHost(c.req.header('host') ?? '')) return gone(c);
    const payments = await engine.store.db
      .selectFrom('payments')
      .selectAll()
      .orderBy('payment_id', 'desc')
      .limit(NEWEST)
      .execute();
    return c.html(<ConsolePage payments={payments} />);
  });

  return routes;
}
