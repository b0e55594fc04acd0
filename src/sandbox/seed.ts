// A ready-made set: a payment in every state, and the kinds of stuck payment that support staff meet.

import { numberFromText } from '../contract/json.js';
import type { StateName } from '../contract/states.js';
import type { App } from './domain/apps.js';
import type { CardName } from './domain/cards.js';
import { charge } from './domain/charges.js';
import { cancel, capture, recheck, refund, runJob } from './domain/moves.js';
import { pay } from './domain/paying.js';
import { createOrFindPayment, lockPayment } from './domain/payments.js';
import { Refusal } from './domain/refusal.js';
import type { Work } from './domain/work.js';
import type { PaymentRow } from './schema.js';
import { DAY_MS } from '../day.js';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
interface Scene {
  /** What is interesting about it, for people who read the list. */
  about: string;
  /** How long ago it was created. */
  age: number;
  amount: string;
  currency: string;
  customer: string;
  autoCapture?: boolean;
  register?: boolean;
  expires?: number;
  card?: CardName;
  /** What else happened, at a later time. */
  afterwards?(stage: Stage): Promise<unknown>;
  /** The state it ends in; seeding fails when it does not. */
  ends: StateName;
}

interface Stage {
  payment: PaymentRow;
  at(ago: number): Work;
  /** Takes the answer of the provider away, so that only recheck learns of it. */
  loseAnswer(done: boolean): Promise<void>;
}

export const scenes: Readonly<Record<string, Scene>> = {
  'seed-created': {
    about: 'The customer has not paid yet.',
    age: 10 * MINUTE_MS,
    amount: '19.90',
    currency: 'EUR',
    customer: 'c_ada',
    ends: 'Created',
  },
  'seed-action-required': {
    about: 'The customer is at the 3-D Secure page.',
    age: 5 * MINUTE_MS,
    amount: '35.00',
    currency: 'EUR',
    customer: 'c_ada',
    card: 'three-d-secure',
    ends: 'ActionRequired',
  },
  'seed-processing': {
    about: 'The provider will confirm it in a few seconds.',
    age: 1000,
    amount: '12.50',
    currency: 'GBP',
    customer: 'c_ben',
    card: 'slow-approved',
    ends: 'Processing',
  },
  'seed-held': {
    about: 'A fraud rule holds it: approve or cancel it.',
    age: 3 * HOUR_MS,
    amount: '240.00',
    currency: 'EUR',
    customer: 'c_cleo',
    card: 'held',
    ends: 'Held',
  },
  'seed-authorised': {
    about: 'Authorised and ready to capture.',
    age: DAY_MS,
    amount: '80.00',
    currency: 'EUR',
    customer: 'c_dora',
    autoCapture: false,
    card: 'approved',
    ends: 'Authorised',
  },
  'seed-capturing': {
    about: 'The provider captured it, but its answer was lost.',
    age: 2 * HOUR_MS,
    amount: '64.20',
    currency: 'USD',
    customer: 'c_ada',
    autoCapture: false,
    card: 'approved',
    afterwards: async (stage) => {
      stage.payment = await capture(stage.at(HOUR_MS), stage.payment);
      await stage.loseAnswer(true);
    },
    ends: 'Capturing',
  },
  'seed-captured': {
    about: 'Paid. The card is stored for later charges.',
    age: 2 * DAY_MS,
    amount: '49.90',
    currency: 'EUR',
    customer: 'c_ben',
    register: true,
    card: 'approved',
    ends: 'Captured',
  },
  'seed-refunding': {
    about: 'The provider refunded it, but its answer was lost.',
    age: 3 * DAY_MS,
    amount: '15.00',
    currency: 'EUR',
    customer: 'c_ben',
    card: 'approved',
    afterwards: async (stage) => {
      stage.payment = await refund(stage.at(2 * HOUR_MS), stage.payment, 'parcel lost');
      await stage.loseAnswer(true);
    },
    ends: 'Refunding',
  },
  'seed-refunded': {
    about: 'Refunded yesterday.',
    age: 4 * DAY_MS,
    amount: '22.00',
    currency: 'EUR',
    customer: 'c_cleo',
    card: 'approved',
    afterwards: async (stage) => {
      stage.payment = await refund(stage.at(DAY_MS), stage.payment, 'sent back');
      await runJob(stage.at(DAY_MS), stage.payment, 'provider-answers');
    },
    ends: 'Refunded',
  },
  'seed-cancelling': {
    about: 'The provider cancelled it, but its answer was lost.',
    age: DAY_MS,
    amount: '31.00',
    currency: 'EUR',
    customer: 'c_dora',
    autoCapture: false,
    card: 'approved',
    afterwards: async (stage) => {
      stage.payment = await cancel(stage.at(HOUR_MS), stage.payment);
      await stage.loseAnswer(true);
    },
    ends: 'Cancelling',
  },
  'seed-cancelled': {
    about: 'Cancelled before the customer paid.',
    age: DAY_MS,
    amount: '18.00',
    currency: 'EUR',
    customer: 'c_ada',
    afterwards: async (stage) => {
      stage.payment = await cancel(stage.at(HOUR_MS), stage.payment);
      await runJob(stage.at(HOUR_MS), stage.payment, 'provider-answers');
    },
    ends: 'Cancelled',
  },
  'seed-declined': {
    about: 'Declined: insufficient funds.',
    age: 6 * HOUR_MS,
    amount: '99.00',
    currency: 'EUR',
    customer: 'c_ben',
    card: 'insufficient-funds',
    ends: 'Declined',
  },
  'seed-failed': {
    about: 'Failed: the provider never charged it.',
    age: 5 * HOUR_MS,
    amount: '70.00',
    currency: 'EUR',
    customer: 'c_cleo',
    card: 'unknown-not-charged',
    afterwards: (stage) => recheck(stage.at(HOUR_MS), stage.payment),
    ends: 'Failed',
  },
  'seed-expired': {
    about: 'The checkout link expired.',
    age: 3 * DAY_MS,
    amount: '25.00',
    currency: 'EUR',
    customer: 'c_dora',
    expires: DAY_MS,
    afterwards: (stage) => runJob(stage.at(2 * DAY_MS), stage.payment, 'expire-link'),
    ends: 'Expired',
  },
  'stuck-charged': {
    about: 'The provider charged it, the service does not know.',
    age: 2 * HOUR_MS,
    amount: '120.00',
    currency: 'EUR',
    customer: 'c_ada',
    card: 'unknown-charged',
    ends: 'Processing',
  },
  'stuck-not-charged': {
    about: 'The provider did not charge it, the service does not know.',
    age: 2 * HOUR_MS,
    amount: '55.00',
    currency: 'EUR',
    customer: 'c_ben',
    card: 'unknown-not-charged',
    ends: 'Processing',
  },
  'stuck-capture-failed': {
    about: 'The capture failed at the provider, the service does not know.',
    age: 2 * HOUR_MS,
    amount: '33.30',
    currency: 'EUR',
    customer: 'c_cleo',
    autoCapture: false,
    card: 'capture-fails',
    afterwards: async (stage) => {
      stage.payment = await capture(stage.at(HOUR_MS), stage.payment);
      await stage.loseAnswer(false);
    },
    ends: 'Capturing',
  },
  'stuck-refund-failed': {
    about: 'The refund failed at the provider, the service does not know.',
    age: 2 * DAY_MS,
    amount: '44.40',
    currency: 'EUR',
    customer: 'c_dora',
    card: 'refund-fails',
    afterwards: async (stage) => {
      stage.payment = await refund(stage.at(HOUR_MS), stage.payment, 'goods damaged');
      await stage.loseAnswer(false);
    },
    ends: 'Refunding',
  },
  'stuck-expiring': {
    about: 'The authorisation expires in 6 hours.',
    age: 7 * DAY_MS - 6 * HOUR_MS,
    amount: '310.00',
    currency: 'EUR',
    customer: 'c_ada',
    autoCapture: false,
    card: 'approved',
    ends: 'Authorised',
  },
};

export interface SeededRow {
  payment: PaymentRow;
  about: string;
  /** Whether it was not there before. */
  added: boolean;
}

/** Adds what is missing of the set to the sandbox app; what is there already stays as it is. */
export async function seedAll(work: Work): Promise<SeededRow[]> {
  const apps = await work.apps.all(work.tx);
  const app = apps.find((candidate) => candidate.is_sandbox === 1);
  if (!app) return [];
  const seeded: SeededRow[] = [];
  const add = async (referenceId: string, about: string, added: boolean) => {
    const payment = await lockPayment(work, { appId: app.app_id, referenceId });
    if (payment) seeded.push({ payment, about, added });
  };
  for (const [reference, scene] of Object.entries(scenes)) {
    await add(reference, scene.about, await play(work, app, reference, scene));
  }
  await add('seed-charged', 'A charge of the card that was stored.', await chargeStored(work, app));
  return seeded;
}

async function play(work: Work, app: App, reference: string, scene: Scene): Promise<boolean> {
  const at = (ago: number): Work => ({ ...work, now: work.now - ago });
  const seen = await lockPayment(work, { appId: app.app_id, referenceId: reference });
  if (seen) return false;
  const created = at(scene.age);
  const name = scene.customer.slice(2);
  const { payment } = await createOrFindPayment(created, app, 'HostedPage', {
    referenceId: reference,
    amount: numberFromText(scene.amount),
    currency: scene.currency,
    returnUrl: 'http://127.0.0.1:3000/thanks',
    autoCapture: scene.autoCapture ?? true,
    showPayRecurringInCheckout: false,
    registerAutoPayment: scene.register ?? false,
    customerOrder: {
      orderId: reference,
      description: `Seeded: ${scene.ends}`,
      customer: {
        customerId: scene.customer,
        firstName: title(name),
        lastName: 'Example',
        email: `${name}@example.org`,
      },
    },
    ...(scene.expires !== undefined && {
      expirationTime: new Date(created.now + scene.expires).toISOString(),
    }),
  });
  const stage: Stage = {
    payment,
    at,
    loseAnswer: (done) => loseAnswer(work, stage.payment, done),
  };
  if (scene.card) stage.payment = await pay(at(scene.age - 500), app, payment, { card: scene.card });
  await scene.afterwards?.(stage);
  const end = await lockPayment(work, { appId: app.app_id, referenceId: reference });
  if (end?.state !== scene.ends) {
    throw new Refusal(
      'operation-not-allowed',
      `${reference} became ${end?.state}, not ${scene.ends}: a fraud policy, a provider profile or a fault of the app is in the way. Nothing was added.`,
    );
  }
  return true;
}

/** The provider has answered, and the service did not hear it. */
async function loseAnswer(work: Work, payment: PaymentRow, done: boolean): Promise<void> {
  await work.tx.deleteFrom('jobs').where('payment_id', '=', payment.payment_id).execute();
  await work.tx
    .updateTable('payments')
    .set({ provider_knows: done ? 'done' : 'failed' })
    .where('payment_id', '=', payment.payment_id)
    .execute();
  await work.tx
    .updateTable('exchanges')
    .set({ done: Number(done), answer: done ? 'done' : 'failed', answered_time: payment.changed_time })
    .where('payment_id', '=', payment.payment_id)
    .where('answer', '=', 'pending')
    .execute();
}

async function chargeStored(work: Work, app: App): Promise<boolean> {
  const { created } = await charge(work, app, {
    referenceId: 'seed-charged',
    amount: numberFromText('9.90'),
    autoCapture: true,
    customerOrder: { customer: { customerId: 'c_ben' } },
  });
  return created;
}

function title(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}
