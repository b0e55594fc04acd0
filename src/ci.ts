import vendors from 'ci-info/vendors.json' with { type: 'json' };
import type { Environment } from './child-environment.js';

/** One condition of the table in ci-info: a variable that is set, one with a certain text, or one of several. */
type Condition = string | { env: string; includes: string } | { any: string[] } | Record<string, string>;

/** Set by many services, or by one that the table asks for more of. */
const NEUTRAL_NAMES = [
  'BUILD_ID',
  'BUILD_NUMBER',
  'CI_APP_ID',
  'CI_BUILD_ID',
  'CI_BUILD_NUMBER',
  'CI_NAME',
  'CODEBUILD_BUILD_ID',
  'CONTINUOUS_INTEGRATION',
  'JENKINS_URL',
  'RUN_ID',
];

/** Whether this runs in a CI job, where nobody can be asked. `CI=false` and `CI=0` say that it does not. */
export function isCi(env: Environment): boolean {
  const said = env['CI'] ?? '';
  if (['false', '0'].includes(said.toLowerCase())) return false;
  return said !== '' || NEUTRAL_NAMES.some((name) => env[name]) || knownVendor(env);
}

function knownVendor(env: Environment): boolean {
  return vendors.some((vendor) =>
    [vendor.env as Condition | Condition[]].flat().every((each) => holds(each, env)),
  );
}

function holds(condition: Condition, env: Environment): boolean {
  if (typeof condition === 'string') return Boolean(env[condition]);
  if ('any' in condition && Array.isArray(condition.any)) return condition.any.some((name) => env[name]);
  const { env: name, includes } = condition as Record<string, string>;
  if (name !== undefined && includes !== undefined) return env[name]?.includes(includes) ?? false;
  return Object.entries(condition).every(([variable, value]) => env[variable] === value);
}
