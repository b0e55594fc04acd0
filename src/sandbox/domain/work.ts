import type { Transaction } from 'kysely';
import type { Store } from '../../store/store.js';
import type { Generation } from '../generation.js';
import type { SandboxTables } from '../schema.js';
import type { AppDirectory } from './apps.js';
import type { Faults } from './faults.js';

/** What a rule needs: one transaction, the time that it happens at, and what the sandbox knows of its apps. */
export interface Work {
  readonly tx: Transaction<SandboxTables>;
  readonly store: Store<SandboxTables>;
  /** The sandbox's clock, in milliseconds. */
  readonly now: number;
  /** Where it came from: `api` with the caller's own name, `customer`, `console`, `control`, `clock`. */
  readonly via: string | null;
  readonly apps: AppDirectory;
  readonly faults: Faults;
  /** Says that this transaction leaves something for the worker or the outbox to do. */
  leavesWork(): void;
  /** Says that this transaction changes something about a payment; watchers are notified after the commit. */
  touches(paymentId: number): void;
  /** Says that this transaction replaces everything; ids and links are derived from this after the commit. */
  startsGeneration(generation: Generation): void;
  /** A repeatable secret for a name: with one seed, the same in every run. */
  derive(purpose: string, key: string | number): string;
}
