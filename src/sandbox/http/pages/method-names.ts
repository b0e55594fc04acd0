/** Kinds of method as customers call them. */
export const methodNames: Readonly<Record<string, string>> = {
  CreditCard: 'Card',
  ElectronicCheck: 'Electronic check',
  Crypto: 'Crypto',
  Paypal: 'PayPal',
};
