// The verbs of a scenario. Each calls the functions that the command of the same name calls.

import type { Inputs, Verb } from '../schema.js';
import type { World } from '../world.js';
import { batch } from './batch.js';
import { customers } from './customers.js';
import { explain, watch } from './explain.js';
import { check, move, recheck } from './moves.js';
import { charge, create } from './payments.js';
import type { StepResult } from './result.js';
import { app, clock, fault, pay, provider, seed, webhook } from './sandbox.js';

/** What a verb needs of its world: a sandbox to play on, or one of the scenario's own. */
export type Need = 'sandbox' | 'own-sandbox';

interface VerbRow<V extends Verb> {
  needs?: Need;
  /** `as` is what the scenario calls the result. */
  run(world: World, input: Inputs[V], as: string): Promise<StepResult>;
}

export const verbTable: { readonly [V in Verb]: VerbRow<V> } = {
  create: { run: create },
  charge: { run: charge },
  pay: { needs: 'sandbox', run: pay },
  provider: { needs: 'sandbox', run: provider },
  capture: { run: move('capture') },
  cancel: { run: move('cancel') },
  refund: { run: move('refund') },
  unhold: { run: move('unhold') },
  recheck: { run: recheck },
  check: { run: check },
  explain: { run: explain },
  watch: { run: watch },
  customers: { run: customers },
  batch: { run: batch },
  clock: { needs: 'own-sandbox', run: clock },
  fault: { needs: 'own-sandbox', run: fault },
  app: { needs: 'own-sandbox', run: app },
  webhook: { needs: 'own-sandbox', run: webhook },
  seed: { needs: 'own-sandbox', run: seed },
};
