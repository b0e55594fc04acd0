import { shorten } from '../../../../shorten.js';
import { isJsonNumber, numberText, parseJson } from '../../../../contract/json.js';
import { sameAmount } from '../../../../contract/exact.js';
import { fromHundredths, toHundredths } from '../../../../contract/money.js';
import type { CustomerOrder } from '../../../../contract/order.js';
import type { PaymentRow } from '../../../schema.js';

/** How much of an order a page shows: a page is one request of a known size. */
const MAX_ITEMS_SHOWN = 10;
const MAX_TEXT_LENGTH = 100;

export interface OrderLine {
  name: string;
  quantity: number;
  /** The price of one, and of all of them together. */
  unit: string;
  total: string;
  note: string | undefined;
}

/** The order as the buyer sees it. Amounts are decimal text, as they were given. */
export interface Order {
  number: string | undefined;
  description: string | undefined;
  lines: OrderLine[];
  /** Items that are not shown one by one. */
  further: number;
  parts: Array<{ label: string; amount: string; negative?: true }>;
  /** The order's own total, where it is not what is paid here. */
  total: string | undefined;
}

export function orderOf(payment: Pick<PaymentRow, 'request' | 'amount'>): Order {
  const { customerOrder } = parseJson(payment.request) as unknown as { customerOrder: CustomerOrder };
  const { items = [], total, ...amounts } = customerOrder.amount ?? {};
  const parts = [
    { label: 'Shipping', value: amounts.shipping },
    { label: 'Handling', value: amounts.handling },
    { label: 'Insurance', value: amounts.insurance },
    { label: 'Tax', value: amounts.totalTax },
    { label: 'Discount', value: amounts.discount, negative: true as const },
  ];
  return {
    number: customerOrder.orderId === undefined ? undefined : clipText(customerOrder.orderId),
    description: customerOrder.description,
    lines: items.slice(0, MAX_ITEMS_SHOWN).map((item) => ({
      name: clipText(item.name),
      quantity: item.quantity,
      unit: numberText(item.amount),
      total: timesQuantity(numberText(item.amount), item.quantity),
      note: item.description === undefined ? item.sku && clipText(item.sku) : clipText(item.description),
    })),
    further: Math.max(0, items.length - MAX_ITEMS_SHOWN),
    parts: parts.flatMap(({ value, ...part }) =>
      isJsonNumber(value) ? [{ ...part, amount: numberText(value) }] : [],
    ),
    total: total === undefined || sameAmount(total, payment.amount) ? undefined : numberText(total),
  };
}

function timesQuantity(amount: string, quantity: number): string {
  return quantity === 1 ? amount : fromHundredths(toHundredths(amount) * BigInt(quantity));
}

/** Long text, cut to what a line can hold. */
export const clipText = (text: string): string => shorten(text, MAX_TEXT_LENGTH);
