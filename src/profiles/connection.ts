import type { Connection } from '../client/dispatchers.js';
import { routeTo } from '../client/proxy.js';
import type { Redactor } from '../redact.js';
import type { Environment } from '../child-environment.js';
import { readTlsFiles, type TlsFiles } from './tls-files.js';

/** How the service of a profile is reached. Secrets of the way are told to `secrets` before anything is sent. */
export async function connectionTo(
  { baseUrl, tls }: { baseUrl: string; tls: TlsFiles },
  env: Environment,
  secrets: Pick<Redactor, 'add'>,
): Promise<Connection> {
  const { proxy } = routeTo(baseUrl, env);
  for (const secret of proxy?.secrets ?? []) secrets.add(secret);
  return { proxy, tls: await readTlsFiles(tls) };
}
