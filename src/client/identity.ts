import { paydesk } from '../next-command.js';
import { isJsonObject, type JsonValue } from '../contract/json.js';
import { ProfileError } from '../errors.js';

export interface AppIdentity {
  appId: string;
  /** What the profile says of the app; undefined when it does not say. */
  kind?: 'sandbox' | 'live';
}

/** Stops when an answer shows that another app, or an app of the other kind, answered. */
export function checkIdentity(raw: JsonValue | undefined, expected: AppIdentity): void {
  if (!isJsonObject(raw)) return;
  const app = isJsonObject(raw.app) ? raw.app : undefined;
  for (const appId of [raw.appId, app?.appId]) {
    if (typeof appId === 'string' && appId !== expected.appId) {
      throw wrongApp(`The profile uses app ${expected.appId}, but app ${appId} answered.`);
    }
  }
  const isSandbox = app?.isSandbox;
  if (expected.kind === undefined || typeof isSandbox !== 'boolean') return;
  const kind = isSandbox ? 'sandbox' : 'live';
  if (kind !== expected.kind) {
    throw wrongApp(
      `The profile says that app ${expected.appId} is ${expected.kind}, but the service says ${kind}.`,
    );
  }
}

function wrongApp(message: string): ProfileError {
  return new ProfileError(message, { code: 'wrong-app', next: [paydesk('whoami'), paydesk('doctor')] });
}
