import * as z from 'zod';
import { email, identifier, object, phone, text } from './fields.js';
import { breakdownAmount } from './money.js';

export const itemCategories = ['DigitalGoods', 'PhysicalGoods'] as const;

export const orderCustomer = object({
  customerId: identifier.meta({ description: "The merchant's identifier for the buyer." }),
  firstName: text.optional(),
  lastName: text.optional(),
  email: email.optional(),
  phoneNumber: phone.optional(),
});

export const lineItem = object({
  name: text.min(1, 'must not be empty'),
  amount: breakdownAmount,
  quantity: z
    .int({
      error: (issue) => (issue.input === undefined ? 'is required' : 'must be a whole number'),
    })
    .min(1, 'must be at least 1'),
  category: z.enum(itemCategories, {
    error: (issue) =>
      issue.input === undefined ? 'is required' : `must be one of ${itemCategories.join(', ')}`,
  }),
  sku: text.optional(),
  tax: breakdownAmount.optional(),
  description: text.optional(),
});

export const orderAmount = object({
  total: breakdownAmount.optional(),
  shipping: breakdownAmount.optional(),
  totalTax: breakdownAmount.optional(),
  discount: breakdownAmount.optional(),
  handling: breakdownAmount.optional(),
  insurance: breakdownAmount.optional(),
  items: z.array(lineItem, 'must be a list').max(500, 'at most 500 line items').optional(),
});

export const customerOrder = object({
  customer: orderCustomer,
  orderId: text.optional().meta({ description: 'Order number as the buyer sees it.' }),
  description: text
    .optional()
    .meta({ description: 'Shown on the checkout page and in the management console.' }),
  amount: orderAmount.optional(),
});

export type CustomerOrder = z.infer<typeof customerOrder>;
