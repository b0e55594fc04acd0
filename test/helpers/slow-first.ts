import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** What takes longest on a quiet machine, longest first. */
const SLOW = [
  'test/docs/pages.test.ts',
  'test/commands/webhook/listen-tunnel.test.ts',
  'test/pages/checkout.test.ts',
  'test/simulator/simulator.test.ts',
  'test/pages/console.test.ts',
  'test/simulator/teeth.test.ts',
  'test/commands/payments/contradictions.test.ts',
  'test/secrets.test.ts',
  'test/commands/batch/crash.test.ts',
  'test/standalone.test.ts',
  'test/commands/payments/paused.test.ts',
  'test/webhooks/listen.test.ts',
  'test/commands/webhook/listen.test.ts',
  'test/pages/provider.test.ts',
  'test/sandbox/conformance/two-processes.test.ts',
  'test/screens/pages.test.ts',
  'test/screens/commands.test.ts',
  'test/commands/batch/resume.test.ts',
  'test/commands/batch/apply.test.ts',
  'test/openapi/proxy.test.ts',
  'test/sandbox/conformance/paying.test.ts',
  'test/pages/console-edges.test.ts',
  'test/pages/panel.test.ts',
  'test/pages/checkout-layout.test.ts',
  'test/sandbox/model.test.ts',
  'test/payments/move/matrix.test.ts',
  'test/every-command/variants.test.ts',
];

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
