export const checkoutMethods = ['CreditCard', 'ElectronicCheck', 'Crypto', 'Paypal'] as const;
export type CheckoutMethod = (typeof checkoutMethods)[number];
