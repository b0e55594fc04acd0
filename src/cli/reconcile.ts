// What reconcile needs: the app, the ledger with what support commands look up, and the file, which may be piped in.

import { systemClock } from '../client/clock.js';
import { UsageError } from '../errors.js';
import { analyseKnown } from '../ledger/known/search.js';
import { namesStdout } from '../output/file.js';
import { createProgressWriter, createRate } from '../output/views/batch-progress.js';
import { comparingLine, type WrittenPlans } from '../output/views/reconciled.js';
import { encodingLines } from '../output/views/sheet.js';
import { createReads } from '../reconcile/reads.js';
import { reconcile, type Reconciled } from '../reconcile/reconcile.js';
import { chooseReader } from '../reconcile/settlement-file.js';
import { createRecords } from '../support/records.js';
import type { CommandContext } from './runtime/context.js';
import { openDatabase } from './desk/desk-database.js';
import { inputPath } from './files/input-file.js';
import { refuseOverwriting } from './files/output-targets.js';
import { planExceptions } from './plan-exceptions.js';
import { openSession, verifyKind } from './desk/session.js';
import { explainOptions } from './desk/support-records.js';

interface ReconcileRequest {
  /** As typed; `-` is standard input. */
  file: string;
  map?: string | undefined;
  concurrency: number;
  since?: Date | undefined;
  until?: Date | undefined;
  /** What will be written: none of them may be what is read. */
  out?: string | undefined;
  plan?: string | undefined;
}

async function checkFiles({ file, map, out, plan }: ReconcileRequest): Promise<void> {
  for (const [flag, name] of Object.entries({ out, plan })) {
    if (name === undefined || !namesStdout(name)) continue;
    const instead = flag === 'out' ? 'Leave it out and add --csv, or name a file.' : 'Name a file.';
    throw new UsageError(`--${flag} cannot be stdout, which has the result. ${instead}`, { code: 'usage' });
  }
  await refuseOverwriting({ out, plan }, [
    { name: file, what: 'the file to reconcile' },
    { name: map, what: 'the mapping' },
  ]);
}

interface ReconcileRun {
  result: Reconciled;
  plan(out: string): Promise<WrittenPlans>;
}

export async function runReconcile(
  context: CommandContext,
  request: ReconcileRequest,
): Promise<ReconcileRun> {
  const { file, map, concurrency, since, until } = request;
  await checkFiles(request);
  const path = await inputPath(context, file);
  const { read, file: text, tellsRefunds } = await chooseReader(path, { name: file, map });
  context.note(...encodingLines(text));
  const session = await openSession(context, { showsWaiting: false });
  const { client, profile } = session;
  const { store } = await openDatabase(context);
  const { signal } = context;
  const progress = createProgressWriter(context.streams);
  const rate = createRate(Date.now);
  let [lines, looked] = [0, 0];
  const update = () => progress.update(() => [comparingLine(lines, looked, rate(lines))]);
  const result = await reconcile(
    {
      store,
      app: profile,
      signal,
      client,
      tellsRefunds,
      readAll: createReads(client, { concurrency, clock: systemClock, signal }),
      records: createRecords(store, profile, Date.now),
      // The same file gives the same result, wherever it is read: the plan may be for a desk that may act.
      options: { ...explainOptions(context, profile), zone: 'UTC' as const, readOnly: false },
      onBegin: () => void (looked = 0),
      onProgress(done) {
        lines = done;
        update();
      },
      onRead(count) {
        looked += count;
        update();
      },
    },
    (problems, reading) => read(text.bytes(), problems, reading),
    { ...(since && { since: since.getTime() }), ...(until && { until: until.getTime() }) },
  ).finally(() => progress.end());
  context.atEnd(result.close);
  await analyseKnown(store);
  return {
    result,
    async plan(out) {
      const known = await verifyKind(session, context.note);
      const exceptions = result.all;
      return planExceptions(context, {
        client,
        profile: known.profile,
        store,
        concurrency,
        file,
        out,
        exceptions,
      });
    },
  };
}
