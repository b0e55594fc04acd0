// What a sandbox of ours says of itself on every answer, beside the specification. No other service sends these.

/** Which life of the sandbox answers: a reset or an import starts a new one, whose ids mean other payments. */
export const GENERATION_HEADER = 'x-paydesk-generation';

/** Whether the app that answers is a sandbox app or poses as live: `sandbox` or `live`. */
export const KIND_HEADER = 'x-paydesk-kind';
