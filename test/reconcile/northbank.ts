/** The columns of the file that `sandbox settlement` writes. */
export const HEADER =
  'booked_at,type,provider_reference,capture_id,merchant_reference,amount,fee,net,currency';

/** How they are read. */
export const MAPPING = `columns:
  at: booked_at
  kind: type
  amount: amount
  currency: currency
  fee: fee
  providerReference: provider_reference
  operationId: capture_id
  reference: merchant_reference
`;
