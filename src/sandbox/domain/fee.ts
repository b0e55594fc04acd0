/** What a provider keeps of an amount, both in hundredths: 1.5 per cent, rounded down. */
export const feeOf = (amount: bigint): bigint => (amount * 15n) / 1000n;
