import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { describeWithPostgres } from '../helpers/postgres.js';
import { scriptsIn, stepsOf } from './page.js';
import { createReader, type Reader } from './reader.js';

const read = (path: string) => readFileSync(fileURLToPath(new URL(`../../${path}`, import.meta.url)), 'utf8');
const page = read('docs/recipes/refunds-from-ci.md');
const files = stepsOf(page).filter((step) => step.kind === 'file');
const scripts = (name: string) => scriptsIn(files.find((file) => file.name === name)?.text ?? '');

it('scripts are found in both kinds of file', () => {
  const install = 'npm install --global --ignore-scripts ./tools/paydesk-0.1.0.tgz';
  const plan = 'paydesk batch plan refunds.csv --action refund --out plan.json';
  const apply = 'bash apply-refunds.sh';
  const shown = `${plan} --format markdown >> "$GITHUB_STEP_SUMMARY"`;
  expect(scripts('.github/workflows/refunds.yml')).toEqual([install, shown, install, apply]);
  expect(scripts('.gitlab-ci.yml')).toEqual([install, plan, apply]);
});

it('keys are given to the steps that need them, and actions are pinned by commit', () => {
  const workflow = files.find(({ name }) => name === '.github/workflows/refunds.yml')?.text ?? '';
  const uses = Array.from(workflow.matchAll(/uses: (.+)/g), ([, action]) => action);
  expect(uses).toHaveLength(7);
  for (const action of uses) expect(action).toMatch(/^actions\/[a-z-]+@[0-9a-f]{40} # v[\d.]+$/);
  const keys = workflow.split('\n').filter((line) => line.includes('secrets.PAYDESK_API_KEY'));
  expect(keys.map((line) => line.search(/\S/))).toEqual([10, 10]);
});

/** The payments of the recipe, which its `make-payments.sh` makes; test/docs/pages.test.ts runs that. */
const orders = { 'inv-2041': '49.90', 'inv-2042': '15.00', 'inv-2043': '120.00' };

async function makePaid(reader: Reader, reference: string, amount: string, appId: string): Promise<void> {
  const order = `--amount ${amount} --currency EUR --customer c_1 --return-url https://shop.example/thanks`;
  await reader.type(
    `paydesk payments create --reference ${reference} ${order} --profile local-live --confirm ${appId}`,
  );
  await reader.type(`paydesk sandbox pay ${reference} --profile local-live`);
}

describeWithPostgres('the jobs of the recipe', (postgres) => {
  it.each(['.github/workflows/refunds.yml', '.gitlab-ci.yml'])(
    '%s refunds once, and once only',
    async (name) => {
      const reader = await createReader();
      try {
        for (const file of files) await reader.take(file);
        await reader.type('paydesk sandbox start --detach --memory');
        const { url, live } = await runningSandbox(reader);
        for (const [reference, amount] of Object.entries(orders))
          await makePaid(reader, reference, amount, live.appId);
        const summaryFile = name.includes('github') ? join(reader.folder, 'summary.md') : undefined;
        const env = {
          ...reader.env,
          CI: 'true',
          PAYDESK_KIND: 'live',
          PAYDESK_BASE_URL: url,
          PAYDESK_APP_ID: live.appId,
          PAYDESK_API_KEY: live.apiKey,
          PAYDESK_DATABASE: await postgres().createDatabase(),
          ...(summaryFile !== undefined && { GITHUB_STEP_SUMMARY: summaryFile }),
        };
        const run = (script: string) =>
          spawnSync('bash', ['--norc', '-e', '-c', script], { cwd: reader.folder, env, encoding: 'utf8' });
        const job = scripts(name).filter((script) => !script.startsWith('npm install'));
        const ran = job.map(run);
        const ends = ran.map(({ status }) => status);
        // A row whose amount differs is left out by the plan, which does not fail the job.
        expect(ends).toEqual([0, 0]);
        const report = readFileSync(join(reader.folder, 'report.xml'), 'utf8');
        expect(report).toContain('<testsuites tests="3" failures="0" errors="0" skipped="1">');
        expect(readFileSync(join(reader.folder, 'retry.csv'), 'utf8')).toContain('inv-2043,12.00');

        if (summaryFile !== undefined) {
          const summary = readFileSync(summaryFile, 'utf8');
          expect(summary).toContain('| will refund | 2 | EUR 64.90 |');
          expect(summary).toContain('| done | 2 | EUR 64.90 |');
          expect(ran.at(-1)?.stdout).toContain(
            '::warning file=refunds.csv,line=4::inv-2043: amount differs\n',
          );
        }

        // What a job does when it runs again is in the script that both run.
        if (summaryFile === undefined) {
          const again = run('bash apply-refunds.sh');
          expect([again.status, again.stderr]).toEqual([0, expect.not.stringContaining('already applied')]);
        }
        for (const [reference, refunds] of [
          ['inv-2041', 1],
          ['inv-2042', 1],
          ['inv-2043', 0],
        ]) {
          const told = await reader.type(
            `paydesk sandbox books ${reference} --profile local-live --jq .refund.told`,
          );
          expect([reference, told.text.trim()]).toEqual([reference, String(refunds)]);
        }
      } finally {
        await reader.close();
      }
    },
  );
});

interface App {
  appId: string;
  apiKey: string;
  isSandbox: boolean;
}

async function runningSandbox(reader: Reader): Promise<{ url: string; live: App }> {
  const { text } = await reader.type('paydesk sandbox apps --json');
  const status = await reader.type('paydesk sandbox status --jq .url');
  const live = (JSON.parse(text) as App[]).find(({ isSandbox }) => !isSandbox);
  return { url: status.text.trim(), live: live as App };
}
