import type * as z from 'zod/mini';
import type { appBody, appPatch, clockBody, faultBody, payBody, providerBody } from './requests.js';
import { checkPolicy, type App } from '../domain/apps.js';
import { createApp } from '../domain/defaults.js';
import { faultRoutes } from '../domain/faults.js';
import { answerByHand } from '../domain/moves.js';
import { chooseProfile, finishChallenge, pay } from '../domain/paying.js';
import { lockPayment, readPayment, type FindPayment } from '../domain/payments.js';
import { books, type Books } from '../domain/providers.js';
import { invalidField, Refusal } from '../domain/refusal.js';
import { storyOf, type Story } from '../domain/story.js';
import { changeState } from '../domain/transitions.js';
import type { Work } from '../domain/work.js';
import type { Engine } from '../engine.js';
import type { Outbox } from '../outbox/outbox.js';
import type { AttemptRow, FaultRow, PaymentRow } from '../schema.js';
import { seedAll, type SeededRow } from '../seed.js';
import { exportAll, importAll, resetAll } from '../transfer.js';
import type { Worker } from '../worker.js';

// What the sandbox can be told that the real service cannot: play the customer and the provider, move the clock,
// make faults, change apps, fill and empty the database.

export interface Control {
  pay(key: string, appId: string | undefined, request: z.infer<typeof payBody>): Promise<PaymentRow>;
  provider(
    key: string,
    appId: string | undefined,
    answer: z.infer<typeof providerBody>['answer'],
  ): Promise<PaymentRow>;
  books(key: string, appId: string | undefined): Promise<Books>;
  story(key: string, appId: string | undefined): Promise<Story>;
  clock(request: z.infer<typeof clockBody>): Promise<void>;
  addFault(fault: z.infer<typeof faultBody>): Promise<FaultRow>;
  clearFaults(id?: number): Promise<number>;
  createApp(app: z.infer<typeof appBody>): Promise<App>;
  changeApp(appId: string, patch: z.infer<typeof appPatch>): Promise<App>;
  /** Sends a webhook again, delivered or not. */
  resend(eventId: number): Promise<AttemptRow>;
  seed(): Promise<SeededRow[]>;
  reset(): Promise<void>;
  export(): Promise<string>;
  import(text: string): Promise<void>;
}

/** `via` is what the record says of who asked. */
export function createControl(
  engine: Engine,
  worker: Worker,
  outbox: Outbox,
  via: 'control' | 'console',
): Control {
  /** Afterwards nothing is due and every webhook has left. */
  async function settled<T>(run: (work: Work) => Promise<T>): Promise<T> {
    const result = await engine.write(run, via);
    engine.refresh();
    await worker.drain();
    return result;
  }

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
    async pay(key, appId, { card, challenge, ...request }) {
      const payment = await onPayment(key, appId, (work, app, current) => {
        const finishes =
          challenge !== undefined || (current.state === 'ActionRequired' && card === undefined);
        if (finishes) return finishChallenge(work, app, current, challenge !== 'failed');
        return pay(work, app, current, { card: card ?? 'approved', payerIp: '127.0.0.1', ...request });
      });
      return payment;
    },

    provider: (key, appId, answer) =>
      onPayment(key, appId, (work, app, payment) => {
        if (answer !== 'hold') return answerByHand(work, payment, answer === 'confirm');
        if (payment.state !== 'Created' && payment.state !== 'ActionRequired') throw notOpen(payment);
        return changeState(work, payment, 'Held', 'held by hand', {
          card: payment.card ?? 'approved',
          payment_profile_id: payment.payment_profile_id ?? chooseProfile(app, payment).payment_profile_id,
        });
      }),

    books: (key, appId) =>
      engine.read(async (work) =>
        books(work, (await locate(engine, work, readPayment, key, appId)).payment_id),
      ),

    story: (key, appId) =>
      engine.read(async (work) => storyOf(work, await locate(engine, work, readPayment, key, appId))),

    async clock({ action, value }) {
      const { now } = await engine.clock.read();
      if (action === 'stop' || action === 'resume') {
        await settled(({ tx }) => engine.clock[action](tx));
        return;
      }
      if (value === undefined || !Number.isSafeInteger(value)) throw invalidField('value', 'is required');
      const target = action === 'set' ? value : now + value;
      if (target < now) {
        throw invalidField('value', `would turn the clock back; it shows ${new Date(now).toISOString()}`);
      }
      if (target > Date.UTC(9999, 0)) throw invalidField('value', 'is too far in the future');
      await worker.advanceTo(target);
    },

    async addFault(fault) {
      const routes = faultRoutes(fault.kind);
      if (!routes.includes(fault.route)) throw invalidField('route', `must be one of ${routes.join(', ')}`);
      if (fault.next !== undefined && fault.probability !== undefined) {
        throw invalidField('probability', 'cannot be combined with a number of calls: leave out one of them');
      }
      return settled(({ tx }) => engine.faults.add(tx, fault));
    },

    clearFaults: (faultId) => settled(({ tx }) => engine.faults.clear(tx, faultId)),

    async createApp(app) {
      const appId = await settled((work) => createApp(work, app));
      return requireApp(engine, appId);
    },

    async changeApp(appId, patch) {
      const app = await requireApp(engine, appId);
      if (patch.fraudPolicyId) checkPolicy(app, patch.fraudPolicyId);
      await settled(async ({ tx }) => {
        await tx
          .updateTable('apps')
          .set({
            webhook_url: patch.webhookUrl === undefined ? app.webhook_url : patch.webhookUrl,
            is_blocked: patch.isBlocked === undefined ? app.is_blocked : Number(patch.isBlocked),
            fraud_policy_id: patch.fraudPolicyId === undefined ? app.fraud_policy_id : patch.fraudPolicyId,
          })
          .where('app_id', '=', appId)
          .execute();
        if (patch.policy) {
          const { threshold = null, ...policy } = patch.policy;
          await tx
            .insertInto('fraud_policies')
            .values({ ...policy, threshold, app_id: appId })
            .execute();
        }
        if (patch.profile) await changeProfile(tx, app, patch.profile);
      });
      return requireApp(engine, appId);
    },

    async resend(eventId) {
      const delivery = await outbox.resend(eventId);
      if (!delivery) throw new Refusal('not-found', `There is no webhook ${eventId} to send.`);
      return delivery;
    },

    seed: () => settled(seedAll),
    async reset() {
      await settled((work) => resetAll(work, engine.clock));
    },
    export: () => exportAll(engine),
    async import(document) {
      await importAll(engine, document);
      engine.refresh();
      await worker.drain();
    },
  };
}

async function changeProfile(
  tx: Work['tx'],
  app: App,
  change: NonNullable<z.infer<typeof appPatch>['profile']>,
): Promise<void> {
  const profile = app.profiles.find((candidate) => candidate.payment_profile_id === change.paymentProfileId);
  if (!profile) throw invalidField('profile.paymentProfileId', 'is not a provider profile of this app');
  await tx
    .updateTable('provider_profiles')
    .set({
      is_active: change.isActive === undefined ? profile.is_active : Number(change.isActive),
      window_ms: change.windowMs ?? profile.window_ms,
      delay_ms: change.delayMs ?? profile.delay_ms,
    })
    .where('payment_profile_id', '=', profile.payment_profile_id)
    .execute();
}

async function requireApp(engine: Engine, appId: string): Promise<App> {
  const app = await engine.apps.byId(appId);
  if (!app) throw new Refusal('not-found', `There is no app ${appId}.`);
  return app;
}

/** A payment by id or reference, of one app or, when the reference is the only one, of any. */
async function locate(
  engine: Engine,
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
    const apps = appId === undefined ? (await engine.apps.all()).map((app) => app.app_id) : [appId];
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
