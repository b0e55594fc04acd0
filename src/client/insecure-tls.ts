import type { Environment } from '../child-environment.js';

const VARIABLE = 'NODE_TLS_REJECT_UNAUTHORIZED';

export const INSECURE_TLS_IGNORED = `${VARIABLE}=0 is set. paydesk ignores it and still checks certificates.`;
export const INSECURE_TLS_FIX = `unset ${VARIABLE}`;

/**
 * Whether Node was told to take any certificate. The variable is removed then, for all connections of this process;
 * Node would also warn of what does not happen here.
 */
export function dropInsecureTls(env: Environment): boolean {
  if (env[VARIABLE] !== '0') return false;
  delete (env as Record<string, string | undefined>)[VARIABLE];
  return true;
}
