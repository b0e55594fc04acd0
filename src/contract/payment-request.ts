import * as z from 'zod/mini';
import { described } from './described.js';
import { amount, currency, flag, id, identifier, instant, object, webAddress } from './fields.js';
import { customerOrder } from './order.js';
import { checkoutMethods } from './checkout-methods.js';

const plainFields = {
  referenceId: described(identifier, { description: 'Unique per app, and the idempotency key.' }),
  amount,
  currency,
  customerOrder,
  autoCapture: described(flag, {
    description: 'true captures as soon as authorised, false authorises only.',
  }),
  registerAutoPayment: described(z.optional(flag), { description: 'Stores the method for later charges.' }),
  webhookUrl: z.optional(webAddress),
  fraudPolicyId: z.optional(id),
};

export const plainPaymentBody = described(object({ ...plainFields, returnUrl: z.optional(webAddress) }), {
  id: 'PlainPaymentBody',
});

export const providerHostedPaymentBody = described(
  object({
    ...plainFields,
    returnUrl: z.optional(webAddress),
    paymentProfileId: described(id, { description: 'The provider profile whose hosted page is used.' }),
  }),
  { id: 'ProviderHostedPaymentBody' },
);

export const hostedPaymentBody = described(
  object({
    ...plainFields,
    returnUrl: webAddress,
    showPayRecurringInCheckout: flag,
    expirationTime: described(z.optional(instant), { description: 'When the checkout link stops working.' }),
    paymentProfiles: z.optional(
      z
        .array(id, 'must be a list of provider profile ids')
        .check(z.minLength(1, 'must name at least one provider profile, or be left out')),
    ),
    checkoutMethods: z.optional(
      z
        .array(
          z.enum(checkoutMethods, `must be one of ${checkoutMethods.join(', ')}`),
          'must be a list of method types',
        )
        .check(z.minLength(1, 'must name at least one method, or be left out')),
    ),
  }),
  { id: 'HostedPaymentBody' },
);

export const autoPaymentBody = described(
  object({
    referenceId: plainFields.referenceId,
    amount,
    autoCapture: flag,
    customerOrder,
    paymentMethodId: z.optional(id),
    paymentMethodProviderProfileId: z.optional(id),
    webhookUrl: z.optional(webAddress),
    fraudPolicyId: z.optional(id),
  }),
  { id: 'AutoPaymentBody' },
);

export type PlainPaymentBody = z.infer<typeof plainPaymentBody>;
export type ProviderHostedPaymentBody = z.infer<typeof providerHostedPaymentBody>;
export type HostedPaymentBody = z.infer<typeof hostedPaymentBody>;
export type AutoPaymentBody = z.infer<typeof autoPaymentBody>;
