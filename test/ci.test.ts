import { describe, expect, it } from 'vitest';
import { isCi } from '../src/ci.js';
import { runTyped, temporaryHome } from './helpers/desk.js';
import { paydesk, paydeskTty } from './helpers/run.js';

const jobs: ReadonlyArray<[string, Record<string, string>]> = [
  ['any CI', { CI: 'true' }],
  ['GitHub Actions', { GITHUB_ACTIONS: 'true' }],
  ['GitLab', { GITLAB_CI: 'true' }],
  ['Azure Pipelines', { TF_BUILD: 'True' }],
  ['Jenkins', { JENKINS_URL: 'https://jenkins.example/' }],
  ['Jenkins without its URL', { BUILD_NUMBER: '12' }],
  ['TeamCity', { TEAMCITY_VERSION: '2026.1' }],
  ['AWS CodeBuild', { CODEBUILD_BUILD_ID: 'refunds:1' }],
  ['Buildkite', { BUILDKITE: 'true' }],
  ['CircleCI', { CIRCLECI: 'true' }],
  ['Codeship', { CI_NAME: 'codeship' }],
  ['Bitbucket', { BITBUCKET_COMMIT: 'abc' }],
  ['Heroku', { NODE: '/app/.heroku/node/bin/node' }],
  ['Vercel', { VERCEL: '1' }],
];

describe('a CI job', () => {
  it.each(jobs)('is recognised: %s', (_name, env) => {
    expect(isCi(env)).toBe(true);
  });

  it.each([
    [{}],
    [{ CI: '' }],
    [{ CI: 'false' }],
    [{ CI: '0' }],
    [{ CI: 'false', GITHUB_ACTIONS: 'true' }],
    [{ GITHUB_ACTIONS: '' }],
    [{ NODE: '/usr/bin/node', HOME: '/home/ada', TERM: 'xterm' }],
  ])('is not seen in %o', (env) => {
    expect(isCi(env)).toBe(false);
  });

  const live = {
    PAYDESK_BASE_URL: 'https://127.0.0.1:9',
    PAYDESK_APP_ID: 'app-1',
    PAYDESK_API_KEY: 'key-of-a-live-app',
    PAYDESK_KIND: 'live',
  };

  const refund = ['payments', 'refund', 'id:1', '--confirm', 'app-1', '--json'];
  const expectRefused = ({ stdout, code }: { stdout: string; code: number }) => {
    expect(JSON.parse(stdout)).toMatchObject({ error: { code: 'local-ledger', exit: 9 } });
    expect(code).toBe(9);
  };

  it.each(jobs)('with a ledger of its own sends nothing on a live app: %s', async (_name, env) => {
    expectRefused(await runTyped(refund, { home: temporaryHome(), env: { ...live, ...env } }));
  });

  it('is recognised by the environment of its process', async () => {
    expectRefused(await paydesk(refund, { env: { ...live, GITHUB_ACTIONS: 'true' } }));
  });

  it('is not asked anything, even on a terminal', async () => {
    const inCi = await paydeskTty(['profiles', 'add', 'shop'], { env: { TF_BUILD: 'True' } });
    expect(await inCi.ended()).toBe(2);
    const atDesk = await paydeskTty(['profiles', 'add', 'shop'], { env: { CI: '0' } });
    await atDesk.waitFor('?');
    atDesk.press('ctrl-c');
    expect(await atDesk.ended()).toBe(130);
  });
});
