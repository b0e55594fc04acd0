// The public face of the sandbox: other rooms import from here and from nowhere else in it.

export { answerVariants, type AnswerChoices } from './answers.js';
export type { ControlAnswers, ControlInputs, ControlResults, ControlRoute } from './control/api.js';
export type {
  ClockTime,
  WebhookDelivery,
  Fault,
  PaymentChange,
  SandboxApp,
  SandboxStatus,
  SeededPayment,
} from './control/answers.js';
export { challengeResults, providerAnswers } from './control/choices.js';
export { beforeFirstChange, type Changes, type ChangesMark } from './changes.js';
export { cardNames, isStillSlow } from './domain/cards.js';
export { AUTOMATIC_CAPTURE, FOUND_BY_RECHECK } from './domain/causes.js';
export { defectKinds, defectNames, type DefectKind } from './settlement/defects.js';
export { settlementFormats } from './settlement/file-format.js';
export type { SettlementReport } from './settlement/request-and-report.js';
export {
  callsText,
  faultKindNames,
  faultKinds,
  faultRoutes,
  routeText,
  type FaultKind,
} from './domain/fault-kinds.js';
export { providerInstructions } from './domain/provider-instructions.js';
export { environmentFor } from './environment.js';
export { Refusal } from './domain/refusal.js';
export { openEmbeddedSandbox, type EmbeddedSandbox } from './embedded.js';
export type { RequestLine } from './http/server.js';
export type { ReceiveWebhook } from './outbox/webhook-sender.js';
export { startSandbox, type Sandbox } from './sandbox.js';
