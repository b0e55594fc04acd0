// What the sandbox can be told that the real service cannot: play the customer and the provider, move the clock,
// make faults, change apps, fill and empty the database.

import type * as z from 'zod/mini';
import { faultRoutes } from '../domain/fault-kinds.js';
import { invalidField, Refusal } from '../domain/refusal.js';
import type { Work } from '../domain/work.js';
import type { SandboxEngine } from '../engine.js';
import type { Outbox } from '../outbox/outbox.js';
import type { AttemptRow, FaultRow } from '../schema.js';
import type { SeededRow } from '../seed.js';
import type { Worker } from '../worker.js';
import type { StreamedFile } from '../settlement/file-format.js';
import type { SettlementReport, SettlementRequest } from '../settlement/request-and-report.js';
import { createAppControl, type AppControl } from './app-control.js';
import { createPaymentControl, type PaymentControl } from './payment-control.js';
import type { clockBody, faultBody } from './requests.js';

export interface Control extends PaymentControl, AppControl {
  clock(request: z.infer<typeof clockBody>): Promise<void>;
  addFault(fault: z.infer<typeof faultBody>): Promise<FaultRow>;
  clearFaults(id?: number): Promise<number>;
  /** Sends a webhook again, delivered or not. */
  resend(eventId: number): Promise<AttemptRow>;
  seed(): Promise<SeededRow[]>;
  reset(): Promise<void>;
  /** A provider's settlement file, with planted defects if they are asked for. */
  settlement(request: SettlementRequest): Promise<StreamedFile>;
  settlementDefects(request: SettlementRequest): Promise<SettlementReport>;
  export(): Promise<string>;
  import(text: string): Promise<void>;
}

// What few sandboxes are ever asked for is loaded with the first request for it.
const loadSeed = () => import('../seed.js');
const loadTransfer = () => import('../transfer.js');
const loadSettlement = () => import('../settlement/settlement.js');

/** `via` is what the record says of who asked. */
export function createControl(
  engine: SandboxEngine,
  worker: Worker,
  outbox: Outbox,
  via: 'control' | 'console',
): Control {
  /** Afterwards nothing is due and every webhook has left. */
  async function settled<T>(run: (work: Work) => Promise<T>): Promise<T> {
    const result = await engine.write(run, via);
    engine.refresh();
    await worker.drain();
    return result;
  }

  return {
    ...createPaymentControl(engine, via),

    async clock({ action, value }) {
      const { now } = await engine.clock.read();
      if (action === 'stop' || action === 'resume') {
        await settled(({ tx }) => engine.clock[action](tx));
        return;
      }
      if (value === undefined) throw invalidField('value', 'is required');
      if (!Number.isSafeInteger(value)) throw invalidField('value', 'must be a whole number of milliseconds');
      const target = action === 'set' ? value : now + value;
      if (target < now) {
        throw invalidField('value', `would turn the clock back; it shows ${new Date(now).toISOString()}`);
      }
      if (target > Date.UTC(9999, 0)) throw invalidField('value', 'is too far in the future');
      await worker.advanceTo(target);
    },

    async addFault(fault) {
      const routes = faultRoutes(fault.kind);
      if (!routes.includes(fault.route)) throw invalidField('route', `must be one of ${routes.join(', ')}`);
      if (fault.next !== undefined && fault.probability !== undefined) {
        throw invalidField('probability', 'cannot be combined with a number of calls: leave out one of them');
      }
      return settled(({ tx }) => engine.faults.add(tx, fault));
    },

    clearFaults: (faultId) => settled(({ tx }) => engine.faults.clear(tx, faultId)),

    ...createAppControl(engine, settled),

    async resend(eventId) {
      const delivery = await outbox.resend(eventId);
      if (!delivery) throw new Refusal('not-found', `There is no webhook ${eventId} to send.`);
      return delivery;
    },

    seed: async () => settled((await loadSeed()).seedAll),
    async reset() {
      const { resetAll } = await loadTransfer();
      await settled((work) => resetAll(work, engine.clock));
    },
    settlement: async (request) => (await loadSettlement()).openSettlement(engine, request),
    settlementDefects: async (request) => (await loadSettlement()).describeSettlement(engine, request),
    export: async () => (await loadTransfer()).exportAll(engine),
    async import(document) {
      const { importAll } = await loadTransfer();
      await importAll(engine, document);
      engine.refresh();
      await worker.drain();
    },
  };
}
