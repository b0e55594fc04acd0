import { Hono } from 'hono';
import type { App } from '../../../domain/apps.js';
import { cardNames } from '../../../domain/cards.js';
import { finishChallenge, pay } from '../../../domain/paying.js';
import { lockPayment, readPayment } from '../../../domain/payments.js';
import { Refusal } from '../../../domain/refusal.js';
import type { PaymentRow } from '../../../schema.js';
import type { ControlOptions } from '../../control-routes.js';
import { showGone, showPage } from '../page.js';
import type { FormGuard } from '../page-security.js';
import { Checkout } from './checkout.js';

export function createCheckoutRoutes({ engine, addresses }: ControlOptions, forms: FormGuard): Hono {
  const routes = new Hono();

  async function paymentOf(link: string): Promise<PaymentRow | undefined> {
    const paymentId = addresses.readCheckout(link);
    return paymentId === undefined ? undefined : engine.read((work) => readPayment(work, { paymentId }));
  }

  routes.get('/:link', async (c) => {
    const payment = await paymentOf(c.req.param('link'));
    if (!payment) return showGone(c);
    return showPage(
      c,
      { title: `Pay ${payment.currency} ${payment.amount}` },
      <Checkout payment={payment} action={c.req.path} token={forms.token(c.req.path)} />,
    );
  });

  routes.post('/:link', async (c) => {
    const payment = await paymentOf(c.req.param('link'));
    if (!payment) return showGone(c);
    const form = await forms.read(c, c.req.path);
    try {
      await engine.write(async (work) => {
        const current = (await lockPayment(work, { paymentId: payment.payment_id })) as PaymentRow;
        const app = (await work.apps.byId(current.app_id, work.tx)) as App;
        const challenge = form.get('challenge');
        if (challenge !== null) return finishChallenge(work, app, current, challenge === 'passed');
        const card = cardNames.find((name) => name === form.get('card')) ?? 'approved';
        return pay(work, app, current, { card, payerIp: '127.0.0.1' });
      });
    } catch (error) {
      // Paid in another tab meanwhile: the page shows where it stands.
      if (!(error instanceof Refusal)) throw error;
    }
    return c.redirect(c.req.path, 303);
  });

  return routes;
}
