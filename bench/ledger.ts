import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { capturedPayment } from './captured.ts';
import { median, startServer, type Figure } from './measure.ts';

const ROUNDS = 60;
const KEPT_RUNS = 4;

/** The same refund in a process of its own, bundled like the program, with the ledger and without, in turns. */
async function overhead(folder: string): Promise<Figure> {
  const root = fileURLToPath(new URL('..', import.meta.url));
  const { bundle } = (await import(new URL('../bin/bundle.js', import.meta.url).href)) as {
    bundle(options: object): Promise<unknown>;
  };
  const dir = join(root, 'dist', 'bench');
  await bundle({ dir, input: { 'refund-once': join(root, 'bench', 'refund-once.ts') } });
  const program = [join(root, 'bench', 'load.cjs'), dir, 'refund-once.js'];
  const server = await startServer('sandbox', join(folder, 'sandbox.db'));
  const times = { ledger: 0, none: 0 };
  const rounds: Array<typeof times> = [];
  // The compiled code of the first runs is kept.
  for (let round = -KEPT_RUNS; round < ROUNDS; round += 1) {
    for (const mode of ['ledger', 'none'] as const) {
      const paymentId = await capturedPayment(server, `${mode}-${round}`);
      const started = performance.now();
      const { url, appId, apiKey } = server;
      await run(folder, [...program, mode, join(folder, 'desk.db'), url, appId, apiKey, paymentId]);
      times[mode] = performance.now() - started;
    }
    if (round >= 0) rounds.push({ ...times });
  }
  await server.stop();
  const medianOf = (of: (round: typeof times) => number) => median(rounds.map(of));
  return {
    name: 'ledger overhead of one refund, as a process',
    // Of the two that ran one after the other: the machine is faster in one minute than in another.
    value: medianOf(({ ledger, none }) => ledger - none),
    unit: 'ms',
    limit: 10,
    better: 'less',
    detail: `${medianOf(({ ledger }) => ledger).toFixed(1)} ms, ${medianOf(({ none }) => none).toFixed(1)} ms without (medians of ${ROUNDS})`,
  };
}

function run(caches: string, args: string[]): Promise<void> {
  const child = spawn(process.execPath, args, {
    stdio: 'inherit',
    env: { ...process.env, NODE_ENV: 'production', XDG_CACHE_HOME: caches },
  });
  return new Promise((resolve, reject) => {
    child.once('exit', (code) => (code === 0 ? resolve() : reject(new Error(`refund ended with ${code}`))));
  });
}

export async function ledgerFigures(report: (figure: Figure) => void): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'paydesk-bench-'));
  try {
    report(await overhead(folder));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
