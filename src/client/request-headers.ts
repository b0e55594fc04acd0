import type { Environment } from '../child-environment.js';

/** What every request says about who sends it: the program, and the trace that it is a part of. */
export function requestHeaders(env: Environment, version: string): Record<string, string> {
  const trace = env['TRACEPARENT']?.trim() ?? '';
  return {
    'user-agent': `paydesk/${version}`,
    ...(/^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/.test(trace) ? { traceparent: trace } : {}),
  };
}
