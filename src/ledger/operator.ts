import { hostname, userInfo } from 'node:os';
import type { Environment } from '../child-environment.js';
import { isCi } from '../ci.js';

/** Who does it, for the ledger: the CI job where there is one, else the user and the machine. */
export function findOperator(env: Environment): string {
  if (env.GITHUB_ACTIONS === 'true') {
    return `github:${env.GITHUB_REPOSITORY ?? '?'}/actions/runs/${env.GITHUB_RUN_ID ?? '?'} (${env.GITHUB_ACTOR ?? '?'})`;
  }
  if (env.GITLAB_CI === 'true')
    return `gitlab:${withoutUser(env.CI_JOB_URL) ?? env.CI_JOB_ID ?? '?'} (${env.GITLAB_USER_LOGIN ?? '?'})`;
  if (isCi(env)) {
    return `ci:${withoutUser(env.BUILD_URL) ?? env.BUILD_ID ?? env.CI_JOB_ID ?? hostname()}`;
  }
  return `${userName()}@${hostname()}`;
}

/** An address may hold a password, and a ledger may be shared. */
const withoutUser = (address: string | undefined): string | undefined =>
  address?.replace(/^([a-z][a-z0-9+.-]*:\/\/)?[^/?#]*@/i, '$1');

function userName(): string {
  try {
    return userInfo().username;
  } catch {
    // An account without an entry, as in some containers.
    return 'unknown';
  }
}
