// What a read says about the deliveries that it was made for, written down in one transaction: the payment as it is
// now, what each delivery came to, and the forwards that had to wait for it.

import type { Kysely } from 'kysely';
import type { DeliveryVerdict } from '../../ledger/inbox-schema.js';
import { remember } from '../../ledger/known/remember.js';
import type { SeenPayment } from '../../ledger/known/seen-payment.js';
import { refColumns } from '../../ledger/payment-ref.js';
import type { DeskTables } from '../../ledger/schema.js';
import { prepared } from '../../store/prepared.js';
import type { Engine, Store } from '../../store/store.js';
import { holdListener } from '../inbox/inbox-writer.js';
import { createReadForwards, type ReadForwardsOptions, type WrittenForwards } from './read-forwards.js';
import type { UnreadDelivery } from './unread-delivery.js';
import { judgeDelivery } from './verdict.js';

export interface ReadResult extends WrittenForwards {
  id: number;
  paymentId: string | null;
  referenceId: string | null;
  state: string | null;
  previousState: string | null;
  /** Null where the read failed and is made again. */
  verdict: DeliveryVerdict | null;
  why: string | null;
  time: number;
}

export interface ReadRecorder {
  /** The payment was read. */
  read(
    deliveries: readonly UnreadDelivery[],
    seen: SeenPayment & { state: string },
    time: number,
  ): Promise<ReadResult[]>;
  /** There is nothing to say of the payment. */
  unread(
    deliveries: readonly UnreadDelivery[],
    verdict: 'none' | 'unknown',
    why: string | null,
    time: number,
  ): Promise<ReadResult[]>;
  /** The read failed, or was not made. Deliveries that a target needs it for stay unfinished until they are given up. */
  failed(
    deliveries: readonly UnreadDelivery[],
    why: string,
    time: number,
    isGivenUp: (id: number) => boolean,
  ): Promise<ReadResult[]>;
}

interface RecorderOptions extends ReadForwardsOptions {
  store: Store<DeskTables>;
  /** Our name of a state that a webhook claims, where there is one. */
  nameOf(said: string): string;
}

type UpdateName =
  | 'id'
  | 'payment_id'
  | 'reference_id'
  | 'read_state'
  | 'previous_state'
  | 'verdict'
  | 'why'
  | 'read_time';

const update = prepared<DeskTables, unknown, UpdateName>((db, value) =>
  db
    .updateTable('deliveries')
    .set({
      payment_id: value('payment_id'),
      reference_id: value('reference_id'),
      read_state: value('read_state'),
      previous_state: value('previous_state'),
      verdict: value('verdict'),
      why: value('why'),
      read_time: value('read_time'),
      lease_until: null,
      lease_owner: null,
      finished: 1,
    })
    .where('id', '=', value('id')),
);

const updateWhy = prepared<DeskTables, unknown, 'id' | 'why'>((db, value) =>
  db
    .updateTable('deliveries')
    .set({ why: value('why') })
    .where('id', '=', value('id')),
);

const knownState = prepared<DeskTables, { state: string }, 'app_id' | 'payment_id'>((db, value) =>
  db
    .selectFrom('known_payments')
    .select('state')
    .where('app_id', '=', value('app_id'))
    .where('payment_id', '=', value('payment_id')),
);

const earlierEvent = prepared<DeskTables, { id: number }, 'listener' | 'event' | 'id'>((db, value) =>
  db
    .selectFrom('deliveries')
    .select('id')
    .where('listener_id', '=', value('listener'))
    .where('event_id', '=', value('event'))
    .where('id', '<', value('id'))
    .limit(1),
);

const earlierAlike = prepared<DeskTables, { id: number }, 'listener' | 'id'>((db, value) =>
  db
    .selectFrom('deliveries')
    .select('id')
    .where('listener_id', '=', value('listener'))
    .where('event_id', 'is', null)
    .where('digest', '=', (eb) =>
      eb.selectFrom('deliveries as this').select('this.digest').where('this.id', '=', value('id')),
    )
    .where('id', '<', value('id'))
    .limit(1),
);

export function createReadRecorder(options: RecorderOptions): ReadRecorder {
  const { store, listenerId, nameOf } = options;
  const { engine } = store;
  const { write, hold, isUndecided } = createResultWriter(engine, options);

  /** The same event, or where events have no id the same words about a state. A bare id says nothing twice. */
  async function isRepeated(tx: Kysely<DeskTables>, delivery: UnreadDelivery): Promise<boolean> {
    const { id, eventId, saidState } = delivery;
    if (eventId !== null) {
      return (await earlierEvent(tx, engine, { listener: listenerId, event: eventId, id })).length > 0;
    }
    return saidState !== null && (await earlierAlike(tx, engine, { listener: listenerId, id })).length > 0;
  }

  /** One after another, in one transaction. */
  const forEach = (
    deliveries: readonly UnreadDelivery[],
    record: (tx: Kysely<DeskTables>, delivery: UnreadDelivery) => Promise<ReadResult>,
  ): Promise<ReadResult[]> =>
    store.transaction(async (tx) => {
      await holdListener(store, tx, listenerId);
      const results: ReadResult[] = [];
      for (const delivery of deliveries) results.push(await record(tx, delivery));
      return results;
    });

  return {
    read: (deliveries, seen, time) =>
      store.transaction(async (tx) => {
        await holdListener(store, tx, listenerId);
        const [known] = await knownState(tx, engine, refColumns(seen));
        await remember(tx, engine, { seen, source: 'heard', now: time });
        let previous = known?.state ?? null;
        const results: ReadResult[] = [];
        for (const delivery of deliveries) {
          const repeated = await isRepeated(tx, delivery);
          const { saidState } = delivery;
          const said = saidState === null ? null : nameOf(saidState);
          results.push(
            await write(tx, delivery, {
              paymentId: seen.paymentId,
              referenceId: seen.referenceId ?? delivery.referenceId,
              state: seen.state,
              previousState: previous,
              verdict: judgeDelivery({ said, state: seen.state, previous, repeated }),
              why: null,
              time,
            }),
          );
          previous = seen.state;
        }
        return results;
      }),

    unread: (deliveries, verdict, why, time) =>
      forEach(deliveries, (tx, delivery) => write(tx, delivery, withoutState(delivery, verdict, why, time))),

    failed: (deliveries, why, time, isGivenUp) =>
      forEach(deliveries, (tx, delivery) => {
        const isKept = isUndecided(delivery) && !isGivenUp(delivery.id);
        return hold(tx, delivery, withoutState(delivery, isKept ? null : 'unread', why, time));
      }),
  };
}

type Result = Omit<ReadResult, keyof WrittenForwards | 'id'>;

const withoutState = (
  { paymentId, referenceId }: UnreadDelivery,
  verdict: DeliveryVerdict | null,
  why: string | null,
  time: number,
): Result => ({ paymentId, referenceId, state: null, previousState: null, verdict, why, time });

/** Writes the result of one delivery, with its forwards. */
function createResultWriter(engine: Engine, options: ReadForwardsOptions) {
  const readForwards = createReadForwards(engine, options);

  async function finish(tx: Kysely<DeskTables>, { id }: UnreadDelivery, result: Result): Promise<void> {
    const { paymentId, referenceId, state, previousState, verdict, why, time } = result;
    await update(tx, engine, {
      id,
      payment_id: paymentId,
      reference_id: referenceId,
      read_state: state,
      previous_state: previousState,
      verdict,
      why,
      read_time: state === null ? null : time,
    });
  }

  return {
    isUndecided: readForwards.isUndecided,
    async write(tx: Kysely<DeskTables>, delivery: UnreadDelivery, result: Result): Promise<ReadResult> {
      await finish(tx, delivery, result);
      const { paymentId, referenceId, state } = result;
      const written = await readForwards.write(tx, { ...delivery, paymentId, referenceId, state });
      return { ...result, ...written, id: delivery.id };
    },
    async hold(tx: Kysely<DeskTables>, delivery: UnreadDelivery, result: Result): Promise<ReadResult> {
      if (result.verdict === null) await updateWhy(tx, engine, { id: delivery.id, why: result.why });
      else await finish(tx, delivery, result);
      return { ...result, ...(await readForwards.hold(tx, delivery)), id: delivery.id };
    },
  };
}
