import * as z from 'zod/mini';
import { described } from './described.js';
import { isJsonNumber, type JsonNumber } from './json.js';

export const paymentFlows = ['HostedPage', 'Direct', 'ProviderHostedPage', 'AutoPayment'] as const;

// What the service answers: every field may be missing, and fields that we do not know are kept. `required` is for the
// documents: what the sandbox always answers with.

/** A number in an answer: never judged, kept exactly. */
export const answeredNumber = described(z.custom<JsonNumber>(isJsonNumber), { type: 'number' });

export const card = described(
  z.looseObject({
    cardBrand: z.optional(z.string()),
    cardType: z.optional(z.string()),
    cardExpiryMonth: z.optional(z.int()),
    cardExpiryYear: z.optional(z.int()),
  }),
  { id: 'Card' },
);

const payInfo = described(
  z.looseObject({
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
  }),
  { id: 'PayInfo', description: 'What the provider said. Present after it was asked.' },
);

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
  {
    id: 'Payment',
    required: [
      'appId',
      'paymentId',
      'paymentState',
      'paymentStateId',
      'amount',
      'capturedAmount',
      'referenceId',
      'currency',
      'autoCapture',
      'paymentFlow',
      'autoPayment',
      'fraudStatus',
      'customerId',
      'createdTime',
    ],
  },
);

export type Payment = z.infer<typeof payment>;
export type PayInfo = z.infer<typeof payInfo>;
