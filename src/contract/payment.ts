import * as z from 'zod';
import { currency, flag, id, identifier, instant, object, webAddress } from './fields.js';
import { amount, answeredNumber } from './money.js';
import { customerOrder } from './order.js';

export const paymentFlows = ['HostedPage', 'Direct', 'ProviderHostedPage', 'AutoPayment'] as const;
export const autoPaymentStatuses = ['None', 'Registered'] as const;
export const fraudStatuses = ['Unknown', 'Verified', 'Rejected'] as const;
export const checkoutMethods = ['CreditCard', 'ElectronicCheck', 'Crypto', 'Paypal'] as const;
export type CheckoutMethod = (typeof checkoutMethods)[number];

const plainFields = {
  referenceId: identifier.meta({ description: 'Unique per app, and the idempotency key.' }),
  amount,
  currency,
  customerOrder,
  autoCapture: flag.meta({ description: 'true captures as soon as authorised, false authorises only.' }),
  registerAutoPayment: flag.optional().meta({ description: 'Stores the method for later charges.' }),
  webhookUrl: webAddress.optional(),
  fraudPolicyId: id.optional(),
};

export const plainPaymentBody = object({ ...plainFields, returnUrl: webAddress.optional() });

export const providerHostedPaymentBody = object({
  ...plainFields,
  returnUrl: webAddress,
  paymentProfileId: id.meta({ description: 'The provider profile whose hosted page is used.' }),
});

export const hostedPaymentBody = object({
  ...plainFields,
  returnUrl: webAddress,
  showPayRecurringInCheckout: flag,
  expirationTime: instant.optional().meta({ description: 'When the checkout link stops working.' }),
  paymentProfiles: z
    .array(id, 'must be a list of provider profile ids')
    .min(1, 'must name at least one provider profile, or be left out')
    .optional(),
  checkoutMethods: z
    .array(
      z.enum(checkoutMethods, `must be one of ${checkoutMethods.join(', ')}`),
      'must be a list of method types',
    )
    .min(1, 'must name at least one method, or be left out')
    .optional(),
});

export const autoPaymentBody = object({
  referenceId: plainFields.referenceId,
  amount,
  autoCapture: flag,
  customerOrder,
  paymentMethodId: id.optional(),
  paymentMethodProviderProfileId: id.optional(),
  webhookUrl: webAddress.optional(),
  fraudPolicyId: id.optional(),
});

export type PlainPaymentBody = z.infer<typeof plainPaymentBody>;
export type ProviderHostedPaymentBody = z.infer<typeof providerHostedPaymentBody>;
export type HostedPaymentBody = z.infer<typeof hostedPaymentBody>;
export type AutoPaymentBody = z.infer<typeof autoPaymentBody>;

// Answers: every field may be missing, and fields that we do not know are kept.

export const card = z.looseObject({
  cardBrand: z.string().optional(),
  cardType: z.string().optional(),
  cardExpiryMonth: z.int().optional(),
  cardExpiryYear: z.int().optional(),
});

export const payInfo = z.looseObject({
  providerReferenceId: z.string().optional(),
  authorizeId: z.string().optional(),
  captureId: z.string().optional(),
  providerFee: answeredNumber.optional(),
  paymentProfile: z
    .looseObject({
      paymentProfileId: z.int().optional(),
      paymentProfileName: z.string().optional(),
      paymentMethodTypeString: z.string().optional(),
      isActive: z.boolean().optional(),
    })
    .optional(),
  payer: z
    .looseObject({
      fullName: z.string().optional(),
      email: z.string().optional(),
      country: z.string().optional(),
      card: card.optional(),
    })
    .optional(),
});

export const payment = z
  .looseObject({
    appId: z.string().optional().meta({ description: 'The app that owns the payment.' }),
    paymentId: answeredNumber.optional().meta({ type: 'integer', description: 'Assigned by the service.' }),
    paymentState: z.string().optional().meta({ description: 'Name of the current state.' }),
    paymentStateId: z.int().optional(),
    amount: answeredNumber.optional().meta({ description: 'Total to charge, in major units.' }),
    capturedAmount: answeredNumber.optional(),
    referenceId: z.string().optional(),
    currency: z.string().optional(),
    autoCapture: z.boolean().optional(),
    paymentFlow: z.string().optional(),
    autoPayment: z.string().optional(),
    fraudStatus: z.string().optional(),
    redirectUrl: z.string().optional().meta({ description: 'Hosted checkout address.' }),
    returnUrl: z.string().optional(),
    webhookUrl: z.string().optional(),
    customerId: z.string().optional(),
    payerIp: z.string().optional(),
    createdTime: z.string().optional().meta({ format: 'date-time' }),
    payInfo: payInfo.optional(),
  })
  .meta({ id: 'Payment' });

export type Payment = z.infer<typeof payment>;
export type PayInfo = z.infer<typeof payInfo>;
