// The verbs of a scenario. Each calls the functions that the command of the same name calls.

import type { Inputs, Verb } from '../schema.js';
import type { World } from '../world.js';
import { batchStep } from './batch.js';
import { customersStep } from './customers.js';
import { explainStep, watchStep } from './explain.js';
import { checkStep, moveStep, recheckStep } from './moves.js';
import { chargeStep, createStep } from './payments.js';
import type { StepResult } from './result.js';
import { appStep, clockStep, faultStep, payStep, providerStep, seedStep, webhookStep } from './sandbox.js';

/** What a verb needs of its world: a sandbox to play on, or one of the scenario's own. */
export type Need = 'sandbox' | 'own-sandbox';

interface VerbRow<V extends Verb> {
  needs?: Need;
  /** `as` is what the scenario calls the result. */
  run(world: World, input: Inputs[V], as: string): Promise<StepResult>;
}

export const verbTable: { readonly [V in Verb]: VerbRow<V> } = {
  create: { run: createStep },
  charge: { run: chargeStep },
  pay: { needs: 'sandbox', run: payStep },
  provider: { needs: 'sandbox', run: providerStep },
  capture: { run: moveStep('capture') },
  cancel: { run: moveStep('cancel') },
  refund: { run: moveStep('refund') },
  unhold: { run: moveStep('unhold') },
  recheck: { run: recheckStep },
  check: { run: checkStep },
  explain: { run: explainStep },
  watch: { run: watchStep },
  customers: { run: customersStep },
  batch: { run: batchStep },
  clock: { needs: 'own-sandbox', run: clockStep },
  fault: { needs: 'own-sandbox', run: faultStep },
  app: { needs: 'own-sandbox', run: appStep },
  webhook: { needs: 'own-sandbox', run: webhookStep },
  seed: { needs: 'own-sandbox', run: seedStep },
};
