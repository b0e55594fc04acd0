import type { Command } from '../next-command.js';
import { endpointOf, pathOf, type EndpointName } from '../contract/endpoints.js';
import type { QueryTexts, Requests } from '../contract/schemas.js';
import { UsageError } from '../errors.js';
import type { Call, Caller } from './call.js';
import type { Answer, Exchange, Fence, OpenAnswer } from './exchange.js';
import type { Retried } from './retry.js';
import { successOf, type ErrorContext } from './service-errors.js';

export interface CallOptions {
  signal?: AbortSignal;
  fence?: Fence;
  mayRepeat?: () => Promise<boolean>;
  /** Where to look for what is not found. */
  lookFor?: Command;
}

/** What a call of each endpoint takes: the values in its path, its query and its body. */
type CallInputs = {
  [Name in EndpointName]: CallOptions &
    Given<'parameters', Requests[Name]['parameters']> &
    Given<'body', Requests[Name]['body']> & { query?: QueryTexts[Name] };
};

/** A value that may be left out where there is nothing to give. */
type Given<Key extends string, Value> = undefined extends Value
  ? { [Each in Key]?: undefined }
  : object extends Value
    ? { [Each in Key]?: Value }
    : { [Each in Key]: Value };

type EndpointCall<Name extends EndpointName> = CallInputs[Name];

interface AnyCall extends CallOptions {
  parameters?: Readonly<Record<string, string>> | undefined;
  query?: Readonly<Record<string, string | number | undefined>> | undefined;
  body?: unknown;
}

/** Calls by their name in the contract. */
export interface EndpointCalls {
  send<Name extends EndpointName>(name: Name, call: EndpointCall<Name>): Promise<Retried<Exchange>>;
  open<Name extends EndpointName>(
    name: Name,
    call: EndpointCall<Name>,
  ): Promise<Retried<Exchange | OpenAnswer>>;
  /** As `send`; whatever is not a success is thrown. `what` completes "There is no … in app X". */
  succeed<Name extends EndpointName>(
    name: Name,
    what: string,
    call: EndpointCall<Name>,
  ): Promise<{ answer: Answer; result: Retried<Exchange> }>;
  contextOf(name: EndpointName, what: string, call?: CallOptions): ErrorContext;
}

export function createEndpointCalls(caller: Caller, appId: string, signal?: AbortSignal): EndpointCalls {
  function prepare(name: EndpointName, given: AnyCall): Call {
    const { method, repeat } = endpointOf(name);
    const { parameters = {}, query, body } = given;
    for (const key in parameters) checkPathPart(key, parameters[key] ?? '');
    return {
      method,
      repeat,
      path: pathOf(name, { appId, ...parameters }, query),
      ...(body === undefined ? {} : { body }),
      ...(given.signal === undefined ? {} : { signal: given.signal }),
      ...(given.fence === undefined ? {} : { fence: given.fence }),
      ...(given.mayRepeat === undefined ? {} : { mayRepeat: given.mayRepeat }),
    };
  }

  function contextOf(name: EndpointName, what: string, given: CallOptions = {}): ErrorContext {
    const stopped = [given.signal, signal].find((one) => one?.aborted) ?? given.signal ?? signal;
    const { repeat } = endpointOf(name);
    return {
      repeat,
      what,
      appId,
      lookFor: given.lookFor,
      ...(stopped === undefined ? {} : { signal: stopped }),
    };
  }

  return {
    contextOf,
    send: async (name, given) => caller.call(prepare(name, given)),
    open: async (name, given) => caller.open(prepare(name, given)),
    async succeed(name, what, given) {
      const result = await caller.call(prepare(name, given));
      return { answer: successOf(result, contextOf(name, what, given)), result };
    },
  };
}

/** A value that would change the path when a server or proxy tidies it up. */
function checkPathPart(name: string, value: string): void {
  if (value === '' || value === '.' || value === '..' || !value.isWellFormed()) {
    throw new UsageError(`${name} ${JSON.stringify(value)} cannot be used.`, { code: 'bad-id' });
  }
}

/** An answer to a write that may not show what was written: `undefined` says that it is to be read back. */
export interface Written<T> {
  value: T | undefined;
  answer: Answer;
  attempts: number;
}
