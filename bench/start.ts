// `npm run bench:start`: how long a command takes from the first to the last moment, each beside what it is compared
// with, in turns, in one run. Installed from the packed tarball, as users have it.
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { end, firstLine, median } from './measure.ts';
import { updatePage } from './page.ts';
import { createReport, machineText } from './report.ts';

const ROUNDS = 20;
const root = fileURLToPath(new URL('..', import.meta.url));
const node = process.execPath;
const folder = mkdtempSync(join(tmpdir(), 'paydesk-bench-'));
const { add, missed, figures } = createReport();

interface Contender {
  name: string;
  command: string;
  /** Asked for each run: a payment is refunded once. */
  args(): string[];
}

/** An installation in a folder of its own; undefined when the package cannot be had. */
function install(name: string, what: string): string | undefined {
  const place = join(folder, name);
  mkdirSync(place);
  writeFileSync(join(place, 'package.json'), '{ "private": true }');
  const { status } = spawnSync('npm', ['install', '--no-audit', '--no-fund', what], {
    cwd: place,
    stdio: 'ignore',
  });
  return status === 0 ? join(place, 'node_modules') : undefined;
}

/** The newest that there is for this machine. The program itself, not the Node script that its package puts before it. */
function installStripe(machine: string): { program: string; version: string } | undefined {
  const name = `@stripe/cli-${machine}`;
  const modules = install('stripe', name);
  if (modules === undefined) return undefined;
  const place = join(modules, name);
  const { version } = JSON.parse(readFileSync(join(place, 'package.json'), 'utf8')) as { version: string };
  return { program: join(place, 'bin', 'stripe'), version };
}

const sizeMb = (path: string): number =>
  Number(execFileSync('du', ['-sk', path], { encoding: 'utf8' }).split('\t')[0]) / 1024;

/** Medians of all contenders, which take turns. */
function measure(contenders: Contender[], env: NodeJS.ProcessEnv): Map<string, number> {
  const times = new Map(contenders.map(({ name }) => [name, [] as number[]]));
  for (let round = -2; round < ROUNDS; round += 1) {
    for (const { name, command, args } of contenders) {
      const started = performance.now();
      const { status, stderr } = spawnSync(command, args(), { env, stdio: ['ignore', 'pipe', 'pipe'] });
      const took = performance.now() - started;
      if (status !== 0) throw new Error(`${name} ended with ${status}: ${String(stderr)}`);
      if (round >= 0) times.get(name)?.push(took);
    }
  }
  return new Map([...times].map(([name, all]) => [name, median(all)]));
}

const server = spawn(node, [fileURLToPath(new URL('start-server.ts', import.meta.url))], {
  stdio: ['ignore', 'pipe', 'inherit'],
});
try {
  const url = await firstLine(server);
  const tarball = join(
    folder,
    execFileSync('npm', ['pack', '--ignore-scripts', '--pack-destination', folder], {
      cwd: root,
      encoding: 'utf8',
    }).trim(),
  );
  const modules = install('paydesk', tarball) as string;
  const program = join(modules, 'paydesk', 'bin', 'run.js');
  const bare = fileURLToPath(new URL('start-bare.cjs', import.meta.url));
  const bareRefund = fileURLToPath(new URL('start-bare-refund.cjs', import.meta.url));
  const machine = `${process.platform}-${process.arch}`;
  const stripe = installStripe(machine);
  const standalone = join(root, 'dist', 'standalone', `paydesk-${machine.replace('win32', 'win')}`);
  const against = stripe && `Stripe CLI ${stripe.version}`;
  process.stdout.write(`${machine}, Node ${process.versions.node}, ${against ?? 'no Stripe CLI'}\n`);
  const env = {
    PATH: process.env['PATH'],
    HOME: folder,
    PAYDESK_HOME: join(folder, 'home'),
    PAYDESK_BASE_URL: url,
    PAYDESK_APP_ID: 'app_bench',
    PAYDESK_API_KEY: 'key_bench',
    PAYDESK_KIND: 'sandbox',
    // Once in a while its program crashes at its end, while it sends this.
    STRIPE_CLI_TELEMETRY_OPTOUT: '1',
  };
  const get = () => ['payments', 'get', '100231', '--json'];
  const app = `${url}/api/apps/app_bench`;
  let payment = 200_000;
  const medians = measure(
    [
      { name: 'node', command: node, args: () => ['-e', '0'] },
      { name: 'bare', command: node, args: () => [bare, `${app}/payments/100231`] },
      { name: 'get', command: node, args: () => [program, ...get()] },
      { name: 'bare refund', command: node, args: () => [bareRefund, app, String(payment++)] },
      {
        name: 'refund',
        command: node,
        args: () => [program, 'payments', 'refund', String(payment++), '--json'],
      },
      { name: 'version', command: node, args: () => [program, '--version'] },
      { name: 'help', command: node, args: () => [program, 'payments', '--help'] },
      ...(existsSync(standalone) ? [{ name: 'standalone', command: standalone, args: get }] : []),
      ...(stripe === undefined
        ? []
        : [
            {
              name: 'stripe',
              command: stripe.program,
              args: () => [
                'get',
                '/v1/charges/ch_1',
                '--api-key',
                'sk_test_bench0000000000',
                '--api-base',
                url,
              ],
            },
          ]),
    ],
    env,
  );
  const ms = (key: string) => medians.get(key) as number;
  const told = (a: string, b: string) =>
    `${ms(a).toFixed(0)} ms beside ${ms(b).toFixed(0)} ms, medians of ${ROUNDS}`;
  const ratio = (what: string, a: string, b: string, limit: number) =>
    add({ name: what, value: ms(a) / ms(b), unit: 'times', limit, better: 'less', detail: told(a, b) });
  ratio('payments get --json, beside a bare Node program that makes the same read', 'get', 'bare', 2);
  ratio(
    'payments refund --json, beside a bare Node program that makes the same requests',
    'refund',
    'bare refund',
    2.5,
  );
  ratio('--version, beside node -e 0', 'version', 'node', 1.6);
  ratio('payments --help, beside node -e 0', 'help', 'node', 2.5);
  if (against === undefined) process.stdout.write(`left out  there is no Stripe CLI for ${machine}\n`);
  else ratio(`payments get --json, beside ${against}`, 'get', 'stripe', 1.6);
  if (!existsSync(standalone)) process.stdout.write('left out  no executable: npm run build:standalone\n');
  else {
    ratio('the executable, beside the npm install', 'standalone', 'get', 1);
    if (against !== undefined) ratio(`the executable, beside ${against}`, 'standalone', 'stripe', 1.3);
  }
  const packed = statSync(tarball).size / 1024 / 1024;
  const size = { unit: 'MB', better: 'less' } as const;
  add({
    name: 'the packed tarball',
    value: packed,
    limit: 3,
    detail: tarball.slice(folder.length + 1),
    ...size,
  });
  add({
    name: 'installed with its dependencies',
    value: sizeMb(modules),
    limit: 40,
    detail: 'node_modules of an empty project',
    ...size,
  });
} finally {
  await end(server);
  rmSync(folder, { recursive: true, force: true });
}
await updatePage(figures, machineText());
process.exitCode = missed() > 0 ? 1 : 0;
