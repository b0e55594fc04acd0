import type { Hono } from 'hono';
import { type CommandTemplate, fillCommand } from '../../../console/commands.js';
import { check, payBody, providerBody } from '../../../control/requests.js';
import { readPayment } from '../../../domain/payments.js';
import { Refusal } from '../../../domain/refusal.js';
import type { SandboxEngine } from '../../../engine.js';
import type { PaymentRow } from '../../../schema.js';
import { answerForm, type ConsoleTools } from './console-frame.js';
import { paymentPath } from './payments-page.js';

/** The buttons on the page of a payment. */
export function addPaymentActions(routes: Hono, desk: ConsoleTools): void {
  const { control, commands } = desk;
  addAction(routes, desk, 'pay', async ({ payment_id: id }, form) => {
    const { card } = check(payBody, { card: form.get('card') });
    return {
      after: await control.pay(String(id), undefined, { card }),
      did: `The customer paid with the test card ${card}.`,
      command: fillCommand(commands.pay(id), { card }),
    };
  });

  addAction(routes, desk, 'challenge', async ({ payment_id: id }, form) => {
    const { challenge = 'failed' } = check(payBody, { challenge: form.get('result') });
    return {
      after: await control.pay(String(id), undefined, { challenge }),
      did:
        challenge === 'passed'
          ? 'The customer confirmed at the provider.'
          : 'The customer cancelled at the provider.',
      command: commands.challenge(id, challenge),
    };
  });

  addAction(routes, desk, 'provider', async ({ payment_id: id }, form) => {
    const { answer } = check(providerBody, { answer: form.get('answer') });
    return {
      after: await control.provider(String(id), undefined, answer),
      did: {
        confirm: 'The provider confirmed.',
        decline: 'The provider declined.',
        hold: 'The payment is held.',
      }[answer],
      command: commands.provider(id, answer),
    };
  });
}

/** What a button does to the payment, and what the page then says. */
function addAction(
  routes: Hono,
  desk: ConsoleTools,
  name: string,
  run: (
    payment: PaymentRow,
    form: URLSearchParams,
  ) => Promise<{ after: PaymentRow; did: string; command: CommandTemplate }>,
): void {
  routes.post(`/payments/:id/${name}`, (c) => {
    const id = c.req.param('id');
    const path = paymentPath(Number(id));
    return answerForm(
      c,
      desk,
      async (form) => {
        const before = await paymentOfPage(desk.engine, id);
        if (!before) throw new Refusal('not-found', `There is no payment ${id}.`);
        const { after, did, command } = await run(before, form);
        return { back: path, text: `${did} ${movedText(before, after)}`, command };
      },
      path,
    );
  });
}

export async function paymentOfPage(engine: SandboxEngine, id: string): Promise<PaymentRow | undefined> {
  if (!/^\d{1,15}$/.test(id)) return undefined;
  return engine.read((work) => readPayment(work, { paymentId: Number(id) }));
}

const movedText = (before: PaymentRow, after: PaymentRow): string =>
  before.state === after.state ? `It is still ${after.state}.` : `${before.state} → ${after.state}.`;
