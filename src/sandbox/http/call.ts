import type { EndpointName, Endpoints } from '../../contract/endpoints.js';
import type { Answers, Requests } from '../../contract/schemas.js';
import type { AnswerChoices } from '../answers.js';
import type { App } from '../domain/apps.js';
import type { SandboxEngine } from '../engine.js';
import type { Addresses } from './addresses.js';

/** What every handler gets beside its request. */
export interface CallContext {
  engine: SandboxEngine;
  answers: AnswerChoices;
  addresses: Addresses;
  app: App;
  /** The query as it came, for variants that the contract does not describe. */
  search: URLSearchParams;
  /** Where it came from, for the record: the API, and what the caller calls itself. */
  via: string;
  /** Answer reads with the payment as it was before its last change. */
  stale: boolean;
}

/** A request that the contract has checked. */
export interface ServiceCall<Name extends EndpointName> extends CallContext {
  parameters: Requests[Name]['parameters'];
  query: Requests[Name]['query'];
  body: Requests[Name]['body'];
}

export interface CallResult<Body> {
  status: number;
  body: Body;
}

/** The answer in another shape, which fills a gap of the spec in another way. */
interface VariantResult {
  status: number;
  variant: Record<string, unknown> | unknown[];
}

export type Handlers<Name extends EndpointName = EndpointName> = {
  readonly [Each in Name]: (call: ServiceCall<Each>) => Promise<CallResult<Answers[Each]> | VariantResult>;
};

export type CustomerEndpoint = {
  [Name in EndpointName]: Endpoints[Name]['path'] extends `/customers${string}` ? Name : never;
}[EndpointName];
