import { existsSync } from 'node:fs';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** What takes longest on a quiet machine, longest first. */
const SLOW = [
  'test/simulator/simulator.test.ts',
  'test/commands/batch/crash.test.ts',
  'test/commands/webhook/listen-tunnel.test.ts',
  'test/screens/commands.test.ts',
  'test/commands/webhook/listen.test.ts',
  'test/commands/batch/resume.test.ts',
  'test/commands/batch/apply.test.ts',
  'test/webhooks/start-listener.test.ts',
  'test/pages/checkout.test.ts',
  'test/cli/runtime/endless-filter.test.ts',
  'test/standalone.test.ts',
  'test/commands/reconcile/verdicts.test.ts',
  'test/ledger/place.test.ts',
  'test/commands/payments/ledger.test.ts',
  'test/support/actions.test.ts',
  'test/library/installed.test.ts',
  'test/commands/webhook/inbox.test.ts',
  'test/loader.test.ts',
  'test/client/transport.test.ts',
  'test/commands/payments/check.test.ts',
  'test/commands/payments/resolve.test.ts',
  'test/docs/pages.test.ts',
  'test/commands/payments/import.test.ts',
  'test/pages/console.test.ts',
  'test/commands/payments/paused.test.ts',
  'test/commands/sandbox/refusals.test.ts',
  'test/webhooks/tunnels/ssh.test.ts',
  'test/screens/pages.test.ts',
  'test/sandbox/conformance/webhooks.test.ts',
  'test/commands/payments/contradictions.test.ts',
  'test/commands/batch/loading.test.ts',
  'test/commands/proxy.test.ts',
  'test/simulator/missing-guards.test.ts',
  'test/pages/provider.test.ts',
  'test/commands/payments/terminal.test.ts',
  'test/commands/payments/also-paid.test.ts',
  'test/secrets.test.ts',
  'test/commands/scenario/record.test.ts',
  'test/commands/payments/moves.test.ts',
  'test/commands/batch/database-lost.test.ts',
  'test/webhooks/failed-reads.test.ts',
  'test/webhooks/missed.test.ts',
  'test/commands/scenario/on-profile.test.ts',
  'test/store/files.test.ts',
  'test/commands/doctor.test.ts',
  'test/commands/reconcile/second-charge.test.ts',
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
