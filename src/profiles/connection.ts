import type { Connection } from '../client/dispatchers.js';
import { routeTo } from '../client/proxy.js';
import type { Redactor } from '../redact.js';
import type { Environment } from './paths.js';

/** How the service of a profile is reached. Secrets of the way are told to `secrets` before anything is sent. */
export function connectionTo(
  { baseUrl }: { baseUrl: string },
  env: Environment,
  secrets: Pick<Redactor, 'add'>,
): Connection {
  const { proxy } = routeTo(baseUrl, env);
  for (const secret of proxy?.secrets ?? []) secrets.add(secret);
  return { proxy };
}
