import { hostname, userInfo } from 'node:os';
import type { Environment } from '../child-environment.js';
import { isCi } from '../ci.js';

/** Who does it, for the ledger: the CI job where there is one, else the user and the machine. */
export function findOperator(env: Environment): string {
  if (env.GITHUB_ACTIONS === 'true') {
    return `github:${env.GITHUB_REPOSITORY ?? '?'}/actions/runs/${env.GITHUB_RUN_ID ?? '?'} (${env.GITHUB_ACTOR ?? '?'})`;
  }
  if (env.GITLAB_CI === 'true')
    return `gitlab:${env.CI_JOB_URL ?? env.CI_JOB_ID ?? '?'} (${env.GITLAB_USER_LOGIN ?? '?'})`;
  if (isCi(env)) {
    return `ci:${env.BUILD_URL ?? env.BUILD_ID ?? env.CI_JOB_ID ?? hostname()}`;
  }
  return `${userName()}@${hostname()}`;
}

function userName(): string {
  try {
    return userInfo().username;
  } catch {
    // An account without an entry, as in some containers.
    return 'unknown';
  }
}
