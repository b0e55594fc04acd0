import * as z from 'zod/mini';
import { currency, described, flag, id, identifier, instant, object, webAddress } from './fields.js';
import { amount, answeredNumber } from './money.js';
import { customerOrder } from './order.js';

export const paymentFlows = ['HostedPage', 'Direct', 'ProviderHostedPage', 'AutoPayment'] as const;
export const autoPaymentStatuses = ['None', 'Registered'] as const;
export const fraudStatuses = ['Unknown', 'Verified', 'Rejected'] as const;
export const checkoutMethods = ['CreditCard', 'ElectronicCheck', 'Crypto', 'Paypal'] as const;
export type CheckoutMethod = (typeof checkoutMethods)[number];

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

export const plainPaymentBody = object({ ...plainFields, returnUrl: z.optional(webAddress) });

export const providerHostedPaymentBody = object({
  ...plainFields,
  returnUrl: webAddress,
  paymentProfileId: described(id, { description: 'The provider profile whose hosted page is used.' }),
});

export const hostedPaymentBody = object({
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
});

export const autoPaymentBody = object({
  referenceId: plainFields.referenceId,
  amount,
  autoCapture: flag,
  customerOrder,
  paymentMethodId: z.optional(id),
  paymentMethodProviderProfileId: z.optional(id),
  webhookUrl: z.optional(webAddress),
  fraudPolicyId: z.optional(id),
});

export type PlainPaymentBody = z.infer<typeof plainPaymentBody>;
export type ProviderHostedPaymentBody = z.infer<typeof providerHostedPaymentBody>;
export type HostedPaymentBody = z.infer<typeof hostedPaymentBody>;
export type AutoPaymentBody = z.infer<typeof autoPaymentBody>;

// Answers: every field may be missing, and fields that we do not know are kept.

export const card = z.looseObject({
  cardBrand: z.optional(z.string()),
  cardType: z.optional(z.string()),
  cardExpiryMonth: z.optional(z.int()),
  cardExpiryYear: z.optional(z.int()),
});

export const payInfo = z.looseObject({
  providerReferenceId: z.optional(z.string()),
  authorizeId: z.optional(z.string()),
  captureId: z.optional(z.string()),
  providerFee: z.optional(answeredNumber),
  paymentProfile: z.optional(
    z.looseObject({
      paymentProfileId: z.optional(z.int()),
      paymentProfileName: z.optional(z.string()),
      paymentMethodTypeString: z.optional(z.string()),
      isActive: z.optional(z.boolean()),
    }),
  ),
  payer: z.optional(
    z.looseObject({
      fullName: z.optional(z.string()),
      email: z.optional(z.string()),
      country: z.optional(z.string()),
      card: z.optional(card),
    }),
  ),
});

export const payment = described(
  z.looseObject({
    appId: described(z.optional(z.string()), { description: 'The app that owns the payment.' }),
    paymentId: described(z.optional(answeredNumber), {
      type: 'integer',
      description: 'Assigned by the service.',
    }),
    paymentState: described(z.optional(z.string()), { description: 'Name of the current state.' }),
    paymentStateId: z.optional(z.int()),
    amount: described(z.optional(answeredNumber), { description: 'Total to charge, in major units.' }),
    capturedAmount: z.optional(answeredNumber),
    referenceId: z.optional(z.string()),
    currency: z.optional(z.string()),
    autoCapture: z.optional(z.boolean()),
    paymentFlow: z.optional(z.string()),
    autoPayment: z.optional(z.string()),
    fraudStatus: z.optional(z.string()),
    redirectUrl: described(z.optional(z.string()), { description: 'Hosted checkout address.' }),
    returnUrl: z.optional(z.string()),
    webhookUrl: z.optional(z.string()),
    customerId: z.optional(z.string()),
    payerIp: z.optional(z.string()),
    createdTime: described(z.optional(z.string()), { format: 'date-time' }),
    payInfo: z.optional(payInfo),
  }),
  { id: 'Payment' },
);

export type Payment = z.infer<typeof payment>;
export type PayInfo = z.infer<typeof payInfo>;
