// Which running sandbox, and which payment in it, is meant.

import { type Command, paydesk, switchProfile } from '../next-command.js';
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

/** The same for a command that can use another sandbox that is running, and what to type for that. */
export async function noAnswerOrOther(
  data: string,
  url: string,
  { typed, profiles }: { typed: Command; profiles: ReadonlyArray<{ name: string; baseUrl: string }> },
): Promise<ServiceError> {
  const error = noAnswerError(data, url);
  if (error.code !== 'no-sandbox') return error;
  const other = (await createRuns(data).running()).find(({ answers }) => answers);
  if (!other) return error;
  const profile = profiles.find(({ baseUrl }) => baseUrl === other.url);
  const steps = profile
    ? [switchProfile(typed, profile.name)]
    : [
        paydesk('sandbox', 'apps', 'list', '--port', portOf(other), '--columns', 'app,name,key'),
        paydesk('profiles', 'add', 'NAME', '--base-url', other.url, '--app-id', 'APP', '--sandbox'),
      ];
  const pointing = profile ? `the profile ${profile.name} uses it` : 'no profile uses it';
  return error.with({
    message: `${error.message} Another one is running at ${other.url}; ${pointing}.`,
    next: steps,
  });
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
