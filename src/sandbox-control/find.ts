// Which running sandbox, and which payment in it, is meant.

import { paydesk } from '../next-command.js';
import { type JsonNumber, type JsonObject, numberText } from '../contract/json.js';
import { ServiceError } from '../errors.js';
import type { Remote } from './remote.js';
import { portOf, type Run } from './run.js';
import { createRuns } from './runs.js';

/** The app of the chosen profile, where there is one. */
export interface ChosenApp {
  baseUrl: string;
  appId: string;
  /** Whether somebody chose it, by a flag or the environment. */
  isChosen: boolean;
}

/** Every sandbox of this data folder that answers: that of the profile first. */
export async function findRunning(
  data: string,
  { port, app }: { port: number | undefined; app: ChosenApp | undefined },
): Promise<Run[]> {
  const alive = await createRuns(data).alive();
  if (port !== undefined) return alive.filter((run) => portOf(run) === port);
  return alive.sort((a, b) => Number(b.url === app?.baseUrl) - Number(a.url === app?.baseUrl));
}

/** A sandbox whose process is there, but does not answer. */
export async function findSilent(data: string, port: number | undefined): Promise<Run | undefined> {
  const silent = await createRuns(data).silent();
  return silent.find((run) => port === undefined || portOf(run) === port);
}

/** The named payment: of the profile's app, or of any other if nobody chose the profile. */
export async function findPayment(
  sandbox: Remote,
  key: string,
  app: ChosenApp | undefined,
): Promise<{ id: string; payment: JsonObject }> {
  const appId = app?.baseUrl === sandbox.run.url ? app.appId : undefined;
  const payment = await sandbox.payment(key, appId).catch((error: unknown) => {
    const isAbsent = error instanceof ServiceError && error.httpStatus === 404;
    if (appId === undefined || app?.isChosen || !isAbsent) throw error;
    return sandbox.payment(key);
  });
  return { id: numberText(payment['paymentId'] as JsonNumber), payment };
}

export function noSandbox(port: number | undefined): ServiceError {
  return new ServiceError(
    port === undefined ? 'No sandbox is running.' : `No sandbox is running on port ${port}.`,
    {
      code: 'no-sandbox',
      next: [paydesk('sandbox', 'start', ...(port === undefined ? [] : ['--port', port]))],
    },
  );
}
