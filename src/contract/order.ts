import * as z from 'zod/mini';
import { described } from './described.js';
import { breakdownAmount, email, identifier, object, phone, text } from './fields.js';

const itemCategories = ['DigitalGoods', 'PhysicalGoods'] as const;

const orderCustomer = described(
  object({
    customerId: described(identifier, { description: "The merchant's identifier for the buyer." }),
    firstName: z.optional(text),
    lastName: z.optional(text),
    email: z.optional(email),
    phoneNumber: z.optional(phone),
  }),
  { id: 'OrderCustomer' },
);

const lineItem = described(
  object({
    name: text.check(z.minLength(1, 'must not be empty')),
    amount: breakdownAmount,
    quantity: z
      .int({
        error: (issue) => (issue.input === undefined ? 'is required' : 'must be a whole number'),
      })
      .check(z.minimum(1, 'must be at least 1')),
    category: z.enum(itemCategories, {
      error: (issue) =>
        issue.input === undefined ? 'is required' : `must be one of ${itemCategories.join(', ')}`,
    }),
    sku: z.optional(text),
    tax: z.optional(breakdownAmount),
    description: z.optional(text),
  }),
  { id: 'LineItem' },
);

const orderAmount = described(
  object({
    total: z.optional(breakdownAmount),
    shipping: z.optional(breakdownAmount),
    totalTax: z.optional(breakdownAmount),
    discount: z.optional(breakdownAmount),
    handling: z.optional(breakdownAmount),
    insurance: z.optional(breakdownAmount),
    items: z.optional(z.array(lineItem, 'must be a list').check(z.maxLength(500, 'at most 500 line items'))),
  }),
  { id: 'OrderAmount' },
);

export const customerOrder = described(
  object({
    customer: orderCustomer,
    orderId: described(z.optional(text), { description: 'Order number, as shown to the customer.' }),
    description: described(z.optional(text), {
      description: 'Shown on the checkout page and in the management console.',
    }),
    amount: z.optional(orderAmount),
  }),
  { id: 'CustomerOrder' },
);

export type CustomerOrder = z.infer<typeof customerOrder>;
