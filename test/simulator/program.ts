// The program under test, compiled: Node runs the simulator itself without a build, and src cannot be run that way.

import type * as BatchesModule from '../../src/batch/rows/batches.js';
import type * as PlanFileModule from '../../src/batch/plan/plan-file.js';
import type * as PlanModule from '../../src/batch/plan/make-plan.js';
import type * as RowSourceModule from '../../src/batch/plan/row-source.js';
import type * as RunModule from '../../src/batch/run/run.js';
import type * as ClientModule from '../../src/client/client.js';
import type * as StatesModule from '../../src/contract/states.js';
import type * as ErrorsModule from '../../src/errors.js';
import type * as DatabaseModule from '../../src/ledger/database.js';
import type * as LedgerModule from '../../src/ledger/moves/ledger.js';
import type * as PlaceModule from '../../src/ledger/place/ledger-place.js';
import type * as PlacedModule from '../../src/ledger/place/placed-database.js';
import type * as ChargeModule from '../../src/payments/charge-outcome.js';
import type * as CreateModule from '../../src/payments/send-create.js';
import type * as MovesModule from '../../src/payments/move/move-all.js';
import type * as NamesModule from '../../src/payments/named-payments.js';
import type * as AnswersModule from '../../src/sandbox/answers.js';
import type * as CausesModule from '../../src/sandbox/domain/causes.js';
import type * as ControlModule from '../../src/sandbox/control/control.js';
import type * as EngineModule from '../../src/sandbox/engine.js';
import type * as AddressesModule from '../../src/sandbox/http/addresses.js';
import type * as ServiceModule from '../../src/sandbox/http/service.js';
import type * as WorkerModule from '../../src/sandbox/worker.js';
import type * as StoreErrorsModule from '../../src/store/errors.js';

const load = (path: string): Promise<unknown> => import(new URL(`../../dist/${path}`, import.meta.url).href);

// Loaded when a database is first opened; by then the process lives by virtual time, and files are read by the real one.
for (const late of ['store/open-sqlite.js', 'store/sqlite-store.js', 'ledger/migration-steps.js'])
  await load(late);

export const { createEngine } = (await load('sandbox/engine.js')) as typeof EngineModule;
export const { createService } = (await load('sandbox/http/service.js')) as typeof ServiceModule;
export const { createAddresses } = (await load('sandbox/http/addresses.js')) as typeof AddressesModule;
export const { createControl } = (await load('sandbox/control/control.js')) as typeof ControlModule;
export const { FOUND_BY_RECHECK } = (await load('sandbox/domain/causes.js')) as typeof CausesModule;
export const { createWorker } = (await load('sandbox/worker.js')) as typeof WorkerModule;
export const { defaultAnswers } = (await load('sandbox/answers.js')) as typeof AnswersModule;
export const { createClient } = (await load('client/client.js')) as typeof ClientModule;
export const { createLedger } = (await load('ledger/moves/ledger.js')) as typeof LedgerModule;
export const { openDeskDatabase } = (await load('ledger/database.js')) as typeof DatabaseModule;
export const { createLedgerPlace } = (await load('ledger/place/ledger-place.js')) as typeof PlaceModule;
export const { placeDatabase } = (await load('ledger/place/placed-database.js')) as typeof PlacedModule;
export const { moveAll } = (await load('payments/move/move-all.js')) as typeof MovesModule;
export const { sendCreate } = (await load('payments/send-create.js')) as typeof CreateModule;
export const { followCharge } = (await load('payments/charge-outcome.js')) as typeof ChargeModule;
export const { parsePayment } = (await load('payments/named-payments.js')) as typeof NamesModule;
export const { GuardError, InterruptedError, PaydeskError, TemporaryError } = (await load(
  'errors.js',
)) as typeof ErrorsModule;
export const { StoreError } = (await load('store/errors.js')) as typeof StoreErrorsModule;
export const { isLegal, stateNames, states } = (await load('contract/states.js')) as typeof StatesModule;
export const { createBatches } = (await load('batch/rows/batches.js')) as typeof BatchesModule;
export const { makePlan } = (await load('batch/plan/make-plan.js')) as typeof PlanModule;
export const { csvSource } = (await load('batch/plan/row-source.js')) as typeof RowSourceModule;
export const { planLines } = (await load('batch/plan/plan-file.js')) as typeof PlanFileModule;
export const { runBatch } = (await load('batch/run/run.js')) as typeof RunModule;
