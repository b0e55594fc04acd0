// What a read says about the deliveries that it was made for, written down in one transaction: the payment as it is
// now, what each delivery came to, and the forwards that had to wait for it.

import type { Kysely } from 'kysely';
import type { DeliveryVerdict, ForwardRow } from '../../ledger/inbox-schema.js';
import { remember } from '../../ledger/known/remember.js';
import type { SeenPayment } from '../../ledger/known/seen-payment.js';
import { refColumns } from '../../ledger/payment-ref.js';
import type { DeskTables } from '../../ledger/schema.js';
import { prepared, type Store } from '../../store/store.js';
import { insertForward, type PlannedForward } from '../inbox/insert-forward.js';
import { holdListener } from '../inbox/inbox-writer.js';
import { judgeDelivery } from './verdict.js';

/** A delivery that waits to be read. */
export interface UnreadDelivery {
  id: number;
  path: string;
  paymentId: string | null;
  referenceId: string | null;
  saidState: string | null;
  eventId: string | null;
}

export interface ReadResult {
  id: number;
  paymentId: string | null;
  referenceId: string | null;
  state: string | null;
  previousState: string | null;
  verdict: DeliveryVerdict;
  why: string | null;
  time: number;
  /** Those that had to wait for the read. */
  forwards: ForwardRow[];
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
    verdict: DeliveryVerdict,
    why: string | null,
    time: number,
  ): Promise<ReadResult[]>;
}

interface RecorderOptions {
  store: Store<DeskTables>;
  listenerId: number;
  /** Our name of a state that a webhook claims, where there is one. */
  nameOf(said: string): string;
  /** The forwards of a delivery to targets that had to wait for the read. */
  forwardsOf(delivery: UnreadDelivery & { state: string | null }): PlannedForward[];
  /** Whom a forward belongs to from the start, where nothing is before it. */
  lease: () => string | undefined;
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
  const { store, listenerId, nameOf, forwardsOf, lease } = options;
  const { engine } = store;

  /** The same event, or where events have no id the same words about a state. A bare id says nothing twice. */
  async function isRepeated(tx: Kysely<DeskTables>, delivery: UnreadDelivery): Promise<boolean> {
    const { id, eventId, saidState } = delivery;
    if (eventId !== null) {
      return (await earlierEvent(tx, engine, { listener: listenerId, event: eventId, id })).length > 0;
    }
    return saidState !== null && (await earlierAlike(tx, engine, { listener: listenerId, id })).length > 0;
  }

  async function write(
    tx: Kysely<DeskTables>,
    delivery: UnreadDelivery,
    result: Omit<ReadResult, 'forwards' | 'id'>,
  ): Promise<ReadResult> {
    const { paymentId, referenceId, state, previousState, verdict, why, time } = result;
    await update(tx, engine, {
      id: delivery.id,
      payment_id: paymentId,
      reference_id: referenceId,
      read_state: state,
      previous_state: previousState,
      verdict,
      why,
      read_time: state === null ? null : time,
    });
    const forwards: ForwardRow[] = [];
    for (const forward of forwardsOf({ ...delivery, paymentId, referenceId, state })) {
      const ids = { listenerId, deliveryId: delivery.id };
      forwards.push(await insertForward(tx, engine, ids, forward, lease()));
    }
    return { ...result, id: delivery.id, forwards };
  }

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
      store.transaction(async (tx) => {
        await holdListener(store, tx, listenerId);
        const results: ReadResult[] = [];
        for (const delivery of deliveries) {
          const { paymentId, referenceId } = delivery;
          const nothing = { paymentId, referenceId, state: null, previousState: null };
          results.push(await write(tx, delivery, { ...nothing, verdict, why, time }));
        }
        return results;
      }),
  };
}
