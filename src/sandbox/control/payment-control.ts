import type * as z from 'zod/mini';
import type { App } from '../domain/apps.js';
import { answerByHand } from '../domain/moves.js';
import { chooseProfile, finishChallenge, pay } from '../domain/paying.js';
import { lockPayment, readPayment, type FindPayment } from '../domain/payments.js';
import { readBooks, type Books } from '../domain/providers.js';
import { Refusal } from '../domain/refusal.js';
import { storyOf, type Story } from '../domain/story.js';
import { changeState } from '../domain/transitions.js';
import type { Work } from '../domain/work.js';
import type { SandboxEngine } from '../engine.js';
import type { PaymentRow } from '../schema.js';
import type { payBody, providerBody } from './requests.js';

/** Plays the customer and the provider of a payment. */
export interface PaymentControl {
  pay(key: string, appId: string | undefined, request: z.infer<typeof payBody>): Promise<PaymentRow>;
  provider(
    key: string,
    appId: string | undefined,
    answer: z.infer<typeof providerBody>['answer'],
  ): Promise<PaymentRow>;
  /** As it stands now. */
  payment(key: string, appId: string | undefined): Promise<PaymentRow>;
  books(key: string, appId: string | undefined): Promise<Books>;
  story(key: string, appId: string | undefined): Promise<Story>;
}

export function createPaymentControl(engine: SandboxEngine, via: 'control' | 'console'): PaymentControl {
  async function onPayment(
    key: string,
    appId: string | undefined,
    run: (work: Work, app: App, payment: PaymentRow) => Promise<PaymentRow>,
  ): Promise<PaymentRow> {
    const { payment_id } = await engine.write(async (work) => {
      const payment = await locate(engine, work, lockPayment, key, appId);
      const app = await work.apps.byId(payment.app_id, work.tx);
      return run(work, app as App, payment);
    }, via);
    const payment = await engine.read((work) => readPayment(work, { paymentId: payment_id }));
    return payment as PaymentRow;
  }

  return {
    pay: (key, appId, { card, challenge, ...request }) =>
      onPayment(key, appId, (work, app, current) => {
        const finishes =
          challenge !== undefined || (current.state === 'ActionRequired' && card === undefined);
        if (finishes) return finishChallenge(work, app, current, challenge !== 'failed');
        return pay(work, app, current, { card: card ?? 'approved', payerIp: '127.0.0.1', ...request });
      }),

    provider: (key, appId, answer) =>
      onPayment(key, appId, (work, app, payment) => {
        if (answer !== 'hold') return answerByHand(work, payment, answer === 'confirm');
        if (payment.state !== 'Created' && payment.state !== 'ActionRequired') throw notOpen(payment);
        return changeState(work, payment, 'Held', 'held by hand', {
          card: payment.card ?? 'approved',
          payment_profile_id: payment.payment_profile_id ?? chooseProfile(app, payment).payment_profile_id,
        });
      }),

    payment: (key, appId) => engine.read((work) => locate(engine, work, readPayment, key, appId)),

    books: (key, appId) =>
      engine.read(async (work) =>
        readBooks(work, (await locate(engine, work, readPayment, key, appId)).payment_id),
      ),

    story: (key, appId) =>
      engine.read(async (work) => storyOf(work, await locate(engine, work, readPayment, key, appId))),
  };
}

/** A payment by id or reference, of one app or, when the reference is the only one, of any. */
async function locate(
  engine: SandboxEngine,
  work: Pick<Work, 'tx' | 'store'>,
  find: FindPayment,
  key: string,
  appId: string | undefined,
): Promise<PaymentRow> {
  const [, prefix, rest] = /^(?:(id|ref):)?([\s\S]+)$/.exec(key) ?? [];
  const wanted = (rest ?? key).normalize('NFC');
  const byId = prefix === 'id' || (prefix === undefined && /^\d+$/.test(wanted));
  if (byId) {
    const payment = await find(work, { paymentId: Number(wanted) });
    if (payment) return payment;
  } else {
    // The apps are named even when all are meant: the index of references begins with them.
    const apps = appId === undefined ? (await engine.apps.all(work.tx)).map((app) => app.app_id) : [appId];
    const found = await work.tx
      .selectFrom('payments')
      .select('payment_id')
      .where('app_id', 'in', apps)
      .where('reference_id', '=', wanted)
      .limit(2)
      .execute();
    if (found.length > 1) {
      throw new Refusal('invalid-request', `More than one app has a payment ${wanted}; use its paymentId.`);
    }
    const payment = found[0] && (await find(work, { paymentId: found[0].payment_id }));
    if (payment) return payment;
  }
  throw new Refusal('not-found', `The sandbox has no payment ${wanted}.`);
}

function notOpen(payment: PaymentRow): Refusal {
  return new Refusal(
    'operation-not-allowed',
    `Payment ${payment.payment_id} is ${payment.state}; nothing waits there.`,
  );
}
