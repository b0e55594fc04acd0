import * as z from 'zod';
import { email, id, identifier, object, phone, text } from './fields.js';
import { card } from './payment.js';

export const customerBody = object({
  customerId: identifier,
  firstName: text.optional(),
  lastName: text.optional(),
  email: email.optional(),
  mobileNumber: phone.optional(),
  fraudPolicyId: id.optional(),
});

export const customerPatch = object({
  firstName: text.optional(),
  lastName: text.optional(),
  email: email.optional(),
  mobileNumber: phone.optional(),
});

export const customerListQuery = object({
  cursor: z.string().optional(),
  limit: z.coerce
    .number('must be a whole number')
    .int('must be a whole number')
    .min(1, 'must be at least 1')
    .max(100, 'must be at most 100')
    .optional(),
});

export type CustomerBody = z.infer<typeof customerBody>;
export type CustomerPatch = z.infer<typeof customerPatch>;

export const app = z.looseObject({
  appId: z.string().optional(),
  friendlyName: z.string().optional(),
  isSandbox: z.boolean().optional(),
  isBlocked: z.boolean().optional(),
  createdTime: z.string().optional(),
});

export const customer = z
  .looseObject({
    customerId: z.string().optional(),
    firstName: z.string().optional(),
    lastName: z.string().optional(),
    email: z.string().optional(),
    mobileNumber: z.string().optional(),
    fraudPolicyId: z.int().optional(),
    app: app.optional(),
  })
  .meta({ id: 'Customer' });

export const customerList = z
  .looseObject({ items: z.array(customer), nextCursor: z.string().nullable().optional() })
  .meta({ id: 'CustomerList' });

export const paymentMethod = z
  .looseObject({
    paymentMethodId: z.int().optional(),
    paymentMethodType: z.string().optional(),
    card: card.optional(),
    paymentProfileId: z.int().optional(),
    customerAutomaticProfileId: z.int().optional(),
    isActive: z.boolean().optional(),
    createdTime: z.string().optional(),
  })
  .meta({ id: 'PaymentMethod' });

export const paymentMethodList = z.array(paymentMethod).meta({ id: 'PaymentMethodList' });

export const panelLink = z
  .looseObject({ url: z.string(), expiresTime: z.string().optional() })
  .meta({ id: 'PanelLink' });

export type App = z.infer<typeof app>;
export type Customer = z.infer<typeof customer>;
export type PaymentMethod = z.infer<typeof paymentMethod>;
export type PanelLink = z.infer<typeof panelLink>;
