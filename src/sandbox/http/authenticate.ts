import type { AnswerChoices } from '../answers.js';
import type { App } from '../domain/apps.js';
import { Refusal } from '../domain/refusal.js';
import type { SandboxEngine } from '../engine.js';
import type { ServiceRequest } from './service-request.js';

const SCHEME = 'Bearer ';

/** The app whose key came with a request. */
export async function authenticate(
  request: ServiceRequest,
  engine: SandboxEngine,
  answers: AnswerChoices,
): Promise<App> {
  const header = request.header('authorization');
  if (header === undefined)
    throw new Refusal('missing-authorization', 'Send the header Authorization: Bearer <API_KEY>.');
  const app = header.startsWith(SCHEME) ? await engine.apps.byKey(header.slice(SCHEME.length)) : undefined;
  if (!app) {
    if (/^Bearer [\x21-\x7e]+$/.test(header))
      throw keyRefused(answers, 'unknown-key', 'No app has this API key.');
    throw new Refusal('malformed-authorization', 'The header must be "Bearer", one space and the API key.');
  }
  // Not a secret, unlike the key.
  if (app.app_id !== request.appId)
    throw keyRefused(answers, 'wrong-app', 'This API key belongs to another app.');
  if (app.is_blocked === 1) throw new Refusal('app-blocked', `The app ${app.friendly_name} is blocked.`);
  return app;
}

function keyRefused(answers: AnswerChoices, code: 'unknown-key' | 'wrong-app', detail: string): Refusal {
  if (answers.auth === 'not-found') return new Refusal('not-found', 'There is no such app.');
  return new Refusal(answers.auth === 'unauthorized' ? 'unknown-key' : code, detail);
}
