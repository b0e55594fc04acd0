import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { capturedPayment } from './captured.ts';
import { median, startServer, type Figure } from './measure.ts';

const ROUNDS = 60;

/** The same refund in a process of its own, bundled like the program, with the ledger and without, in turns. */
async function overhead(folder: string): Promise<Figure> {
  const root = fileURLToPath(new URL('..', import.meta.url));
  const { bundle } = (await import(new URL('../bin/bundle.js', import.meta.url).href)) as {
    bundle(options: object): Promise<unknown>;
  };
  await bundle({
    dir: join(root, 'dist', 'bench'),
    input: { 'refund-once': join(root, 'bench', 'refund-once.ts') },
  });
  const program = join(root, 'dist', 'bench', 'refund-once.js');
  const server = await startServer('sandbox', join(folder, 'sandbox.db'));
  const times: Record<'ledger' | 'none', number[]> = { ledger: [], none: [] };
  for (let round = 0; round <= ROUNDS; round += 1) {
    for (const mode of ['ledger', 'none'] as const) {
      const paymentId = await capturedPayment(server, `${mode}-${round}`);
      const started = performance.now();
      await run(program, [mode, join(folder, 'desk.db'), server.url, server.appId, server.apiKey, paymentId]);
      if (round > 0) times[mode].push(performance.now() - started);
    }
  }
  await server.stop();
  const [kept, none] = [median(times.ledger), median(times.none)];
  return {
    name: 'ledger overhead of one refund, as a process',
    value: kept - none,
    unit: 'ms',
    limit: 10,
    better: 'less',
    detail: `${kept.toFixed(1)} ms, ${none.toFixed(1)} ms without (medians of ${ROUNDS})`,
  };
}

function run(program: string, args: string[]): Promise<void> {
  const child = spawn(process.execPath, [program, ...args], {
    stdio: 'inherit',
    env: {
      ...process.env,
      NODE_ENV: 'production',
      NODE_COMPILE_CACHE: join(tmpdir(), 'paydesk-bench-cache'),
    },
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
