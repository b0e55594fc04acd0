import { endpointOf, type EndpointName, pathOf, type PathParameters } from '../contract/endpoints.js';
import type { QueryTexts } from '../contract/schemas.js';

/** What `--dry-run` shows instead of sending it. */
export interface PlannedRequest {
  method: string;
  path: string;
  body?: unknown;
}

export function requestOf<Name extends EndpointName>(
  endpoint: Name,
  parameters: PathParameters[Name] & { appId: string },
  query: QueryTexts[Name] = {},
  body?: unknown,
): PlannedRequest {
  return {
    method: endpointOf(endpoint).method,
    path: pathOf(endpoint, parameters, query),
    ...(body === undefined ? {} : { body }),
  };
}
