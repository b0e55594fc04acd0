// The public face of the sandbox: other rooms import from here and from nowhere else in it.

export { answerVariants, type AnswerChoices } from './answers.js';
export { cardNames } from './domain/cards.js';
export { faultKindNames, faultKinds } from './domain/faults.js';
export { Refusal } from './domain/refusal.js';
export type { RequestLine } from './http/server.js';
export { startSandbox, type SandboxApp } from './sandbox.js';
