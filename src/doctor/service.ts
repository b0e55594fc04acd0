import { commandText, paydesk } from '../next-command.js';
import { firstCustomer } from '../client/app-kind.js';
import { createClient, type ClientOptions } from '../client/client.js';
import type { Connection } from '../client/dispatchers.js';
import type { Transport } from '../client/exchange.js';
import { createTransport } from '../client/transport.js';
import { isJsonObject, type JsonObject } from '../contract/json.js';
import { PaydeskError, ProfileError, ServiceError, TemporaryError } from '../errors.js';
import { isLoopbackUrl } from '../loopback.js';
import { addAgain } from '../profiles/add-again.js';
import type { ResolvedProfile } from '../profiles/resolve.js';
import type { Profile } from '../profiles/store.js';
import { keyTimeouts } from '../profiles/try-key.js';
import { fail, inTurn, notChecked, pass, warn, type Check } from './check.js';

interface ServiceTools {
  profile: ResolvedProfile;
  /** As it is stored; undefined when the environment stands in for it. */
  stored: Profile | undefined;
  apiKey: string;
  connection: Connection;
  headers: Readonly<Record<string, string>>;
  now: () => Date;
  noAnswer: (url: string) => Promise<PaydeskError>;
  onEvent?: ClientOptions['onEvent'];
  signal: AbortSignal;
}

const MAX_SKEW_S = 30;

interface AnswerTiming {
  /** The time that the service sent. */
  date: string | undefined;
  /** By our clock: half-way between request and answer. */
  at: number;
  ms: number;
}

/** What one authenticated read that changes nothing shows: whether it answers, its clock, the key and the kind. */
export async function checkService(tools: ServiceTools): Promise<Check[]> {
  const { profile, apiKey, signal, onEvent } = tools;
  const { baseUrl, appId } = profile;
  let timing: AnswerTiming | undefined;
  const transport = withTiming(
    createTransport({ baseUrl, connection: tools.connection, timeouts: keyTimeouts }),
    tools.now,
    (measured) => (timing = measured),
  );
  // The kind is left out: a contradiction is to be told as a check and not as an error.
  const client = createClient({
    baseUrl,
    appId,
    apiKey: () => apiKey,
    headers: tools.headers,
    transport,
    timeouts: keyTimeouts,
    retry: { attempts: 2, baseMs: 100, capMs: 500 },
    signal,
    ...(onEvent === undefined ? {} : { onEvent }),
  });
  try {
    const found = await firstCustomer(client).then(
      (customer) => ({ customer }),
      (error: unknown) => ({ error }),
    );
    signal.throwIfAborted();
    if ('error' in found && !(found.error instanceof PaydeskError)) throw found.error;
    return await describe(tools, timing, found as Found);
  } finally {
    await client.close();
  }
}

type Found = { customer: JsonObject | undefined } | { error: PaydeskError };

async function describe(
  tools: ServiceTools,
  timing: AnswerTiming | undefined,
  found: Found,
): Promise<Check[]> {
  const { profile } = tools;
  const error = 'error' in found ? found.error : undefined;
  // What only sends us elsewhere is not the service, and the key is not carried there.
  const elsewhere = error?.code === 'redirected';
  if (timing === undefined || elsewhere || error instanceof TemporaryError) {
    const unanswered = elsewhere ? 'the service is elsewhere' : 'the service did not answer';
    return [
      await unreachable(tools, timing, error?.message ?? 'The service did not answer.'),
      timing === undefined ? notChecked('clock', unanswered) : checkClock(timing),
      notChecked('key', unanswered),
      notChecked('kind', unanswered),
    ];
  }
  return [
    pass('service', `${profile.baseUrl} answered in ${timing.ms} ms.`),
    checkClock(timing),
    checkKey(tools, error),
    'customer' in found ? checkKind(tools, found.customer) : notChecked('kind', 'no customer could be read'),
  ];
}

function checkClock({ date, at }: AnswerTiming): Check {
  const theirs = Date.parse(date ?? '');
  if (Number.isNaN(theirs)) return warn('clock', 'The service does not send its time.');
  // Its time has no fractions of a second: half of one is the best guess.
  const seconds = Math.round((at - theirs - 500) / 1000);
  if (Math.abs(seconds) <= MAX_SKEW_S) return pass('clock', 'The clock matches the clock of the service.');
  return warn(
    'clock',
    `The clock of this machine is ${span(Math.abs(seconds))} ${seconds > 0 ? 'ahead of' : 'behind'} the clock of the service.`,
    'Set the clock of this machine, for example by turning on time synchronisation.',
  );
}

/** On this machine it is a sandbox that was stopped or paused. */
async function unreachable(
  { profile: { baseUrl }, noAnswer }: ServiceTools,
  timing: AnswerTiming | undefined,
  message: string,
): Promise<Check> {
  if (timing !== undefined || !isLoopbackUrl(baseUrl))
    return fail('service', message, `Check the base URL: ${commandText(paydesk('whoami'))}`);
  const why = await noAnswer(baseUrl);
  return fail('service', `${message} ${why.message}`, inTurn(why.next));
}

function span(seconds: number): string {
  if (seconds < 120) return `${seconds} s`;
  return seconds < 7200 ? `${Math.round(seconds / 60)} min` : `${Math.round(seconds / 3600)} h`;
}

function checkKey(
  { profile: { appId, sources }, stored }: ServiceTools,
  error: PaydeskError | undefined,
): Check {
  if (error === undefined) return pass('key', `The service accepts the key for app ${appId}.`);
  const missing = error instanceof ServiceError && error.httpStatus === 404;
  if (error instanceof ProfileError || missing) {
    const fix =
      stored === undefined
        ? 'Set PAYDESK_APP_ID and PAYDESK_API_KEY as the management console shows them.'
        : `${addAgainText(stored)} (with the key from the management console)`;
    const message = missing ? `The service found no app ${appId} for this key (HTTP 404).` : error.message;
    return fail('key', `${message} The key is from ${sources.apiKey}.`, fix);
  }
  return warn('key', `paydesk could not test the key by listing customers: ${error.message}`);
}

function checkKind(
  { profile: { kind, appId }, stored }: ServiceTools,
  customer: JsonObject | undefined,
): Check {
  const app = isJsonObject(customer?.app) ? customer.app : undefined;
  if (app?.isBlocked === true) {
    return fail('kind', `App ${appId} is blocked.`, 'Unblock it in the management console.');
  }
  if (typeof app?.isSandbox !== 'boolean') {
    const why =
      customer === undefined ? 'there is no customer yet to check with' : 'the customers do not show it';
    return warn(
      'kind',
      kind === undefined
        ? `It is unknown whether the app is live: ${why}. paydesk treats it as live.`
        : `The profile says ${kind}. The service did not confirm it: ${why}.`,
      kind === undefined
        ? 'Set PAYDESK_KIND=sandbox if it is a test app.'
        : 'Compare the App ID with the management console.',
    );
  }
  const theirs = app.isSandbox ? 'sandbox' : 'live';
  if (kind === undefined) return pass('kind', `The service says that the app is ${theirs}.`);
  if (theirs === kind) return pass('kind', `The app is ${kind}, as in the profile.`);
  return fail(
    'kind',
    `The profile says that app ${appId} is ${kind}, but the service says ${theirs}.`,
    stored === undefined ? `Set PAYDESK_KIND=${theirs}` : addAgainText({ ...stored, kind: theirs }),
  );
}

const addAgainText = (profile: Profile): string => inTurn(addAgain(profile));

/** A transport that reports the timing of each answer. */
function withTiming(
  transport: Transport,
  now: () => Date,
  onAnswer: (timing: AnswerTiming) => void,
): Transport {
  return {
    async send(request) {
      const from = now().getTime();
      const began = performance.now();
      const result = await transport.send(request);
      const ms = performance.now() - began;
      if (result.kind === 'answer' || result.kind === 'open')
        onAnswer({ date: result.headers.date, at: from + ms / 2, ms: Math.round(ms) });
      return result;
    },
    close: () => transport.close(),
  };
}
