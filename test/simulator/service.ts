// The real service, without sockets: its rules, its database in memory, its provider and its due work.

import type { ServiceAnswer } from '../../src/sandbox/http/service.js';
import type { CardName } from '../../src/sandbox/domain/cards.js';
import type { ExchangeRow, OperationRow, PaymentRow } from '../../src/sandbox/schema.js';
import type { FaultCounts } from './faults.ts';
import {
  createAddresses,
  createControl,
  createEngine,
  createService,
  createWorker,
  defaultAnswers,
  FOUND_BY_RECHECK,
} from './program.ts';
import type { Timeline } from './timeline.ts';

export const BASE_URL = 'http://service.test';
/** Ways to write the same address; desks do not agree on one. */
export const SPELLINGS = [BASE_URL, `${BASE_URL}/`, `${BASE_URL}:80`, 'http://127.0.0.1'] as const;

export interface ServiceCall {
  method: string;
  /** Path and query. */
  path: string;
  headers: Record<string, string>;
  body?: string | undefined;
}

export interface World {
  readonly appId: string;
  readonly apiKey: string;
  handle(call: ServiceCall): Promise<ServiceAnswer>;
  /** The state as it was at a time, as a replica that lags behind shows it; undefined before it was created. */
  stateAt(paymentId: number, time: number): Promise<PaymentRow['state'] | undefined>;
  /** Every state that it was in, up to a time. */
  statesUntil(paymentId: number, time: number): Promise<Array<PaymentRow['state']>>;
  inStates(states: readonly PaymentRow['state'][]): Promise<number[]>;
  /** The service's record of the last such operation that it took. */
  lastOperation(paymentId: number, kind: OperationRow['kind']): Promise<number | undefined>;
  payments(): Promise<PaymentRow[]>;
  operations(): Promise<OperationRow[]>;
  exchanges(): Promise<ExchangeRow[]>;
  pay(paymentId: number, card: CardName, profile?: string): Promise<PaymentRow>;
  providerFaults(probability: number): Promise<void>;
  calm(): Promise<void>;
  /** How often the provider was silent, and how often it failed. */
  providerTrouble(): Promise<Pick<FaultCounts, 'provider-silent' | 'provider-fails'>>;
  errors: unknown[];
  close(): Promise<void>;
}

export async function createWorld(timeline: Timeline, seed: number): Promise<World> {
  const errors: unknown[] = [];
  const onError = (error: unknown) => errors.push(error);
  const engine = await createEngine({ location: ':memory:', seed, realNow: () => timeline.now() });
  // No webhook has a target here, so there is nothing to send.
  const outbox = {
    drain: () => Promise.resolve(),
    nextTime: () => Promise.resolve(undefined),
    resend: () => Promise.resolve(undefined),
    stop: () => Promise.resolve(),
  };
  const worker = createWorker({ engine, outbox, onError });
  const control = createControl(engine, worker, outbox, 'control');
  const addresses = createAddresses(engine, () => BASE_URL);
  const service = createService({
    engine,
    answers: defaultAnswers,
    addressesAt: () => addresses,
    onError,
  });
  const [app] = await engine.apps.all();
  if (!app) throw new Error('The sandbox has no app.');
  const { db } = engine.store;

  return {
    appId: app.app_id,
    apiKey: app.api_key,
    errors,
    handle(call) {
      const url = new URL(call.path, BASE_URL);
      const [, , , appId = '', ...rest] = url.pathname.split('/');
      return service.handle({
        method: call.method,
        appId: decodeURIComponent(appId),
        path: `/${rest.join('/')}`,
        query: url.searchParams,
        header: (name) => call.headers[name],
        body: () => Promise.resolve(call.body ?? ''),
      });
    },
    async stateAt(paymentId, time) {
      const event = await db
        .selectFrom('events')
        .select('to_state')
        .where('payment_id', '=', paymentId)
        .where('time', '<=', time)
        // Every read asks for this, and there is an index by version.
        .orderBy('version', 'desc')
        .limit(1)
        .executeTakeFirst();
      return event?.to_state;
    },
    async statesUntil(paymentId, time) {
      const events = await db
        .selectFrom('events')
        .select('to_state')
        .where('payment_id', '=', paymentId)
        .where('time', '<=', time)
        .orderBy('version')
        .execute();
      return events.map(({ to_state }) => to_state);
    },
    async inStates(names) {
      const rows = await db
        .selectFrom('payments')
        .select('payment_id')
        .where('state', 'in', names)
        .orderBy('payment_id')
        .execute();
      return rows.map(({ payment_id }) => payment_id);
    },
    async lastOperation(paymentId, kind) {
      const row = await db
        .selectFrom('operations')
        .select('id')
        .where('payment_id', '=', paymentId)
        .where('kind', '=', kind)
        .orderBy('id', 'desc')
        .limit(1)
        .executeTakeFirst();
      return row?.id;
    },
    payments: () => db.selectFrom('payments').selectAll().orderBy('payment_id').execute(),
    operations: () => db.selectFrom('operations').selectAll().orderBy('id').execute(),
    exchanges: () => db.selectFrom('exchanges').selectAll().orderBy('id').execute(),
    pay: (paymentId, card, profile) => {
      const chosen = app.profiles.find(({ name }) => name === profile)?.payment_profile_id;
      return control.pay(`id:${paymentId}`, undefined, {
        card,
        ...(chosen !== undefined && { paymentProfileId: chosen }),
      });
    },
    async providerFaults(probability) {
      await engine.write(async ({ tx }) => {
        await engine.faults.add(tx, { kind: 'provider-silent', route: '*', probability });
        await engine.faults.add(tx, { kind: 'provider-fails', route: '*', probability });
      });
      engine.refresh();
    },
    async calm() {
      await engine.write(({ tx }) => engine.faults.clear(tx));
      engine.refresh();
    },
    async providerTrouble() {
      const learned = await db
        .selectFrom('events')
        .select('id')
        .where('cause', '=', FOUND_BY_RECHECK)
        .execute();
      const failed = await db
        .selectFrom('exchanges')
        .select('id')
        .where('answer', 'like', '%the provider failed%')
        .execute();
      return { 'provider-silent': learned.length, 'provider-fails': failed.length };
    },
    async close() {
      await worker.stop();
      await engine.close();
    },
  };
}
