// The columns by which a file of payments names each of them.

/** A payment by its id or its reference, by its id, or by its reference. */
export const namingColumns = ['payment', 'paymentId', 'referenceId'] as const;
export type NamingColumn = (typeof namingColumns)[number];

/** What a value of each column is, as a person would type it. */
export const namingPrefixes: Readonly<Record<NamingColumn, string>> = {
  payment: '',
  paymentId: 'id:',
  referenceId: 'ref:',
};

/** The headers that shops, and the tables of paydesk, give the column of the reference. */
export const referenceHeaders = ['reference', 'payment reference', 'zahlungsreferenz'] as const;
