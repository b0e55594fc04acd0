import { existsSync } from 'node:fs';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** What takes longest on a quiet machine, longest first. */
const SLOW = [
  'test/simulator/missing-guards.test.ts',
  'test/simulator/simulator.test.ts',
  'test/docs/pages.test.ts',
  'test/commands/webhook/listen-tunnel.test.ts',
  'test/webhooks/failed-reads.test.ts',
  'test/pages/console.test.ts',
  'test/pages/checkout.test.ts',
  'test/commands/batch/crash.test.ts',
  'test/standalone.test.ts',
  'test/library/installed.test.ts',
  'test/webhooks/start-listener.test.ts',
  'test/commands/batch/apply.test.ts',
  'test/commands/batch/resume.test.ts',
  'test/secrets.test.ts',
  'test/commands/webhook/listen.test.ts',
  'test/sandbox/conformance/two-processes.test.ts',
  'test/commands/proxy.test.ts',
  'test/commands/payments/contradictions.test.ts',
  'test/pages/provider.test.ts',
  'test/payments/move/other-ways.test.ts',
  'test/sandbox/conformance/control.test.ts',
  'test/commands/payments/paused.test.ts',
  'test/commands/payments/hostile.test.ts',
  'test/ledger/place.test.ts',
  'test/sandbox/conformance/paying.test.ts',
  'test/commands/payments/variants.test.ts',
  'test/commands/payments/ledger.test.ts',
  'test/commands/payments/paused-anywhere.test.ts',
  'test/pages/console-edges.test.ts',
  'test/support/actions.test.ts',
  'test/payments/move/matrix.test.ts',
  'test/sandbox/conformance/checkout.test.ts',
  'test/screens/commands.test.ts',
  'test/commands/customers/list.test.ts',
  'test/sandbox/conformance/states.test.ts',
  'test/commands/batch/send-again.test.ts',
  'test/commands/payments/import.test.ts',
  'test/commands/reconcile/verdicts.test.ts',
];

// A file that was moved would begin late without a word.
const missing = SLOW.filter((name) => !existsSync(new URL(`../../${name}`, import.meta.url)));
if (missing.length > 0) throw new Error(`There is no ${missing.join(', ')} to begin with.`);

/** Begins with the slowest files, so that none of them is left alone at the end of a run. */
export class SlowFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return sorted.toSorted((a, b) => rank(a) - rank(b));
  }
}

function rank({ moduleId }: TestSpecification): number {
  const at = SLOW.findIndex((name) => moduleId.endsWith(name));
  return at < 0 ? SLOW.length : at;
}
