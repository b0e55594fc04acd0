import * as z from 'zod/mini';
import { described } from './described.js';
import { card } from './payment.js';

const instantText = described(z.string(), { format: 'date-time' });

const app = described(
  z.looseObject({
    appId: z.optional(z.string()),
    friendlyName: z.optional(z.string()),
    isSandbox: z.optional(z.boolean()),
    isBlocked: z.optional(z.boolean()),
    createdTime: z.optional(instantText),
  }),
  { id: 'App', required: ['appId', 'friendlyName', 'isSandbox', 'isBlocked', 'createdTime'] },
);

export const customer = described(
  z.looseObject({
    customerId: z.optional(z.string()),
    firstName: z.optional(z.string()),
    lastName: z.optional(z.string()),
    email: z.optional(z.string()),
    mobileNumber: z.optional(z.string()),
    fraudPolicyId: z.optional(z.int()),
    app: z.optional(app),
  }),
  { id: 'Customer', required: ['customerId'] },
);

export const customerList = described(
  z.looseObject({ items: z.array(customer), nextCursor: z.optional(z.nullable(z.string())) }),
  { id: 'CustomerList', required: ['items', 'nextCursor'] },
);

export const paymentMethod = described(
  z.looseObject({
    paymentMethodId: z.optional(z.int()),
    paymentMethodType: z.optional(z.string()),
    card: z.optional(card),
    paymentProfileId: z.optional(z.int()),
    customerAutomaticProfileId: z.optional(z.int()),
    isActive: z.optional(z.boolean()),
    createdTime: z.optional(instantText),
  }),
  {
    id: 'PaymentMethod',
    required: ['paymentMethodId', 'paymentMethodType', 'paymentProfileId', 'isActive', 'createdTime'],
  },
);

export const paymentMethodList = described(z.array(paymentMethod), { id: 'PaymentMethodList' });

export const panelLink = described(z.looseObject({ url: z.string(), expiresTime: z.optional(instantText) }), {
  id: 'PanelLink',
  required: ['url', 'expiresTime'],
});

export type Customer = z.infer<typeof customer>;
export type PaymentMethod = z.infer<typeof paymentMethod>;
