// Which running sandbox, and which payment in it, is meant.

import { paydesk } from '../next-command.js';
import { type JsonNumber, type JsonObject, numberText } from '../contract/json.js';
import { ServiceError } from '../errors.js';
import type { Remote } from './remote.js';
import { DEFAULT_PORT, portOf, type Run } from './run.js';
import { pausedSandbox } from './paused.js';
import { createRuns, type RunningSandbox } from './runs.js';

/** The app of the chosen profile, where there is one. */
export interface ChosenApp {
  baseUrl: string;
  appId: string;
  /** Whether somebody chose it, by a flag or the environment. */
  isChosen: boolean;
}

/** Every sandbox of this data folder, or the one on this port: that of the profile first, then those that answer. */
export async function findRunning(
  data: string,
  { port, app }: { port: number | undefined; app: ChosenApp | undefined },
): Promise<RunningSandbox[]> {
  const rank = ({ url, answers }: RunningSandbox) => (url === app?.baseUrl ? 2 : Number(answers));
  const runs = await createRuns(data).running();
  return runs.filter((run) => port === undefined || portOf(run) === port).sort((a, b) => rank(b) - rank(a));
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

/** For a sandbox whose process is there, but does not answer. */
export function silentSandbox(run: Run): ServiceError {
  return (
    pausedSandbox(run) ??
    new ServiceError(`The sandbox at ${run.url} is running (pid ${run.pid}), but does not answer.`, {
      code: 'sandbox-silent',
      next: [paydesk('sandbox', 'stop', '--port', portOf(run))],
    })
  );
}

/** Why nothing answers at an address of this machine: its sandbox is paused or busy, or there is none. */
export function noAnswerError(data: string, url: string): ServiceError {
  const run = createRuns(data).at(url);
  return run ? silentSandbox(run) : noSandbox(portOf({ url }));
}

export function noSandbox(port: number | undefined): ServiceError {
  return new ServiceError(
    port === undefined ? 'No sandbox is running.' : `No sandbox is running on port ${port}.`,
    {
      code: 'no-sandbox',
      next: [
        paydesk('sandbox', 'start', ...(port === undefined || port === DEFAULT_PORT ? [] : ['--port', port])),
      ],
    },
  );
}
