export const providerInstructions = ['authorize', 'capture', 'refund', 'void'] as const;
export type ProviderInstruction = (typeof providerInstructions)[number];
