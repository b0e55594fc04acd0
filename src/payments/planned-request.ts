import { endpointOf, type EndpointName, pathOf } from '../contract/endpoints.js';

/** What `--dry-run` shows instead of sending it. */
export interface PlannedRequest {
  method: string;
  path: string;
  body?: unknown;
}

export function requestOf(
  endpoint: EndpointName,
  parameters: Record<string, string>,
  query: Record<string, string | undefined> = {},
  body?: unknown,
): PlannedRequest {
  return {
    method: endpointOf(endpoint).method,
    path: pathOf(endpoint, parameters, query),
    ...(body === undefined ? {} : { body }),
  };
}
