// Apart from payment.ts, which needs zod: a sandbox starts without it.

export const checkoutMethods = ['CreditCard', 'ElectronicCheck', 'Crypto', 'Paypal'] as const;
export type CheckoutMethod = (typeof checkoutMethods)[number];
