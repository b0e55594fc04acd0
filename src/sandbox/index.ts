// The public face of the sandbox: other rooms import from here and from nowhere else in it.

export { answerVariants, type AnswerChoices } from './answers.js';
export type { ControlInputs, ControlResults, ControlRoute } from './control/api.js';
export type {
  ClockTime,
  Delivery,
  Fault,
  PaymentChange,
  SandboxApp,
  SandboxStatus,
  SeededPayment,
} from './control/answers.js';
export { challengeResults, providerAnswers } from './control/choices.js';
export { cardNames } from './domain/cards.js';
export { faultKindNames, faultKinds } from './domain/faults.js';
export { Refusal } from './domain/refusal.js';
export type { RequestLine } from './http/server.js';
export { startSandbox } from './sandbox.js';
