// Values that the control API takes and that people type.

export const challengeResults = ['passed', 'failed'] as const;
export const providerAnswers = ['confirm', 'decline', 'hold'] as const;
