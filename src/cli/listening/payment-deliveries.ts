// The webhooks of one payment, among all that a listener receives.

import type { PaymentNames } from '../../ledger/payment-ref.js';
import type { Delivery } from '../../webhooks/inbox/delivery.js';
import type { DeliveryEvent } from '../../webhooks/pipeline.js';

export interface PaymentDeliveries {
  add(event: DeliveryEvent): void;
  /** Shows the webhooks of this payment: those that are there already, and those to come. */
  follow(payment: PaymentNames): void;
  /** Whether a webhook has arrived that says this state, or says none and led to a read of it. */
  says(state: string): boolean;
  /** All that arrived so far, also those that are still read or forwarded. */
  arrived(): Delivery[];
  /** Whether all that arrived were read and forwarded. */
  areSettled(): boolean;
  /** In the order in which they were shown. */
  readonly shown: Delivery[];
}

interface PaymentDeliveriesOptions {
  /** Our name for a state that a webhook claims. */
  nameOf(said: string): string;
  show(delivery: Delivery): void;
}

export function createPaymentDeliveries({ nameOf, show }: PaymentDeliveriesOptions): PaymentDeliveries {
  const deliveries = new Map<number, Delivery>();
  const unsettled = new Set<number>();
  const shown: Delivery[] = [];
  let held: Delivery[] = [];
  let payment: PaymentNames | undefined;

  const isOurs = ({ paymentId, referenceId }: Delivery): boolean =>
    paymentId === null
      ? referenceId !== null && referenceId === payment?.referenceId
      : paymentId === payment?.paymentId;

  const ours = () => [...deliveries.values()].filter(isOurs);

  function showOurs(delivery: Delivery): void {
    if (!isOurs(delivery)) return;
    shown.push(delivery);
    show(delivery);
  }

  return {
    shown,
    add({ type, delivery }) {
      deliveries.set(delivery.id, delivery);
      if (type === 'arrived' || type === 'progress') {
        unsettled.add(delivery.id);
        return;
      }
      unsettled.delete(delivery.id);
      if (payment === undefined) held.push(delivery);
      else showOurs(delivery);
    },
    follow(names) {
      payment = names;
      held.forEach(showOurs);
      held = [];
    },
    says: (state) =>
      ours().some((delivery) => state === (delivery.saidState ? nameOf(delivery.saidState) : delivery.state)),
    arrived: ours,
    areSettled: () => ![...unsettled].some((id) => isOurs(deliveries.get(id) as Delivery)),
  };
}
