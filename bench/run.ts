// `npm run bench`: figures as ratios, each measured side by side in one run. Exits 1 when one misses its limit.
import type { Figure } from './measure.ts';
import { createReport, machineText } from './report.ts';
import { batchFigures } from './batch.ts';
import { consoleFigures } from './console.ts';
import { findFigures } from './find.ts';
import { growthFigures } from './growth.ts';
import { importFigures } from './import.ts';
import { ledgerFigures } from './ledger.ts';
import { limitFigures } from './limits.ts';
import { reconcileFigures } from './reconcile.ts';
import { sandboxFigures } from './sandbox.ts';
import { scenarioFigures } from './scenarios.ts';
import { supportFigures } from './support.ts';
import { tunnelFigures } from './tunnel.ts';
import { updatePage } from './page.ts';
import { webhookFigures } from './webhooks.ts';

const { add: report, missed, figures } = createReport();

const parts: Record<string, (report: (figure: Figure) => void) => Promise<void>> = {
  limits: limitFigures,
  sandbox: sandboxFigures,
  growth: growthFigures,
  console: consoleFigures,
  ledger: ledgerFigures,
  webhooks: webhookFigures,
  tunnel: tunnelFigures,
  support: supportFigures,
  find: findFigures,
  reconcile: reconcileFigures,
  import: importFigures,
  batch: batchFigures,
  scenarios: scenarioFigures,
};
process.stdout.write(`${machineText()}\n`);
const chosen = process.argv.slice(2);
for (const [name, measure] of Object.entries(parts)) {
  if (chosen.length === 0 || chosen.includes(name)) await measure(report);
}
await updatePage(figures, machineText());
process.exitCode = missed() > 0 ? 1 : 0;
